/*
 * Plays clips that Posepress compressed. C99, C++11.
 *
 * A container (a .posepress file) holds a rig and clips. Open it, open its clips, and free the container: clips keep their own
 * bytes. A clip is opened once and shared by all who play it; a cursor is one player of one clip. Sampling allocates nothing.
 *
 *     posepress_container *file = NULL;
 *     posepress_clip *walk = NULL;
 *     posepress_clip_info info = POSEPRESS_CLIP_INFO;
 *     posepress_cursor *cursor = NULL;
 *     posepress_layout layout = POSEPRESS_TRANSFORMS;
 *     char why[256];
 *     if (posepress_container_open(bytes, length, &file, why, sizeof why)) return fail(why);
 *     if (posepress_clip_open(file, 0, NULL, 0, &walk, why, sizeof why)) return fail(why);
 *     posepress_container_free(file);
 *     posepress_clip_info_of(walk, &info);
 *     void *block = malloc(info.cursor_bytes);                               // one a character
 *     posepress_cursor_place(walk, block, info.cursor_bytes, &cursor);
 *     ...
 *     double at = posepress_clip_place(walk, seconds, POSEPRESS_ENDS_OF_CLIP, POSEPRESS_ROUND_NONE);
 *     posepress_sample(walk, cursor, at, &layout, pose, 10 * info.joints);   // every frame
 *     ...
 *     free(block);                                                           // before the clip, or after
 *     posepress_clip_free(walk);
 *
 * Units. Metres, seconds, unit quaternions x y z w; right-handed, Y up, as the clip was made. Transforms are local: relative to
 * the parent joint, scale first, then rotation, then translation.
 *
 * Untrusted input. Any bytes may be given to posepress_container_open; they are checked there and in posepress_clip_open, and what
 * opens is safe to sample at any time, infinite and not-a-number times included. What opening takes in memory grows with the
 * bytes and the rig.
 *
 * Pointers. A null pointer is refused with POSEPRESS_INVALID_ARGUMENT (for functions that return a number or a name: 0, NULL);
 * freeing null does nothing. Handles must come from this library and not be freed yet; buffers must be as long as said.
 * What is written on failure: nothing but handles, which become null, and messages.
 *
 * Structures begin with their size in bytes, which the caller sets (the initialisers do), so that fields can be added at the end: a
 * library that is newer than the header fills in and reads no more than the caller has, one that is older no more than it knows.
 * A size smaller than that of the first version is POSEPRESS_INVALID_ARGUMENT.
 *
 * Threads. Containers and clips do not change, but for tiers: any number of threads may use them at once. A cursor is used by one
 * thread at a time, and may go from thread to thread. There are no globals.
 *
 * Failure. Functions never unwind, and print nothing. A fault of the library itself is caught: it is told on standard error, the status is
 * POSEPRESS_INTERNAL, and buffers may be half written. Where memory for opening runs out the status is POSEPRESS_NO_MEMORY, and all
 * that was taken is given back; a container whose tier could not be put back is as it was. Cursors and sampling allocate nothing.
 */
#ifndef POSEPRESS_H
#define POSEPRESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. Compare with posepress_abi_version() where the library is loaded by itself. */
#define POSEPRESS_ABI_VERSION 1
uint32_t posepress_abi_version(void);

typedef enum posepress_status {
    POSEPRESS_OK = 0,
    POSEPRESS_INVALID_ARGUMENT = 1, /* a null pointer, an index or a number that is none of those allowed */
    POSEPRESS_BAD_BYTES = 2,        /* damaged, or of a codec or version that this build does not have */
    POSEPRESS_TOO_SMALL = 3,        /* a buffer or block is too small, or its address no multiple of its alignment */
    POSEPRESS_OTHER_CLIP = 4,       /* the cursor is that of another clip */
    POSEPRESS_INTERNAL = 5,         /* a fault of the library */
    POSEPRESS_NO_MEMORY = 6         /* memory ran out while something was opened or a tier put back */
} posepress_status;

/* A few words in English, for any number; never freed. */
const char *posepress_status_text(int32_t status);

/* ---- Containers ------------------------------------------------------------------------------------------------------------ */

typedef struct posepress_container posepress_container;

/*
 * Reads a file. The bytes are copied as far as needed and may go. Why it failed is written to `message` as UTF-8 with a zero
 * behind it, cut where there is no room; `message` may be NULL with room 0.
 */
posepress_status posepress_container_open(const uint8_t *bytes, size_t length, posepress_container **container, char *message, size_t message_room);
void posepress_container_free(posepress_container *container);

/*
 * Tiers: what was taken out of the clips into files of their own (.posepress-tier), which may be absent. Clips without them open and
 * play as they are, with more error. The tiers that are not back yet, in the order in which they are put back, and their names as
 * below.
 */
size_t posepress_container_tiers(const posepress_container *container);
const char *posepress_container_tier_name(const posepress_container *container, size_t tier, size_t *length);
/*
 * Puts the next tier back, before clips are opened and while nobody else uses the container. The bytes may go. A file of another
 * container, another tier than the next or damage is POSEPRESS_BAD_BYTES, with found and expected in `message`; the container then
 * stays as it was.
 */
posepress_status posepress_container_join(posepress_container *container, const uint8_t *bytes, size_t length, char *message, size_t message_room);

/*
 * Counts, and names as UTF-8 of `*length` bytes without a zero behind them, valid until the container is freed; NULL where there is
 * none. `length` may be NULL.
 */
size_t posepress_container_clips(const posepress_container *container);
const char *posepress_container_clip_name(const posepress_container *container, size_t clip, size_t *length);
size_t posepress_container_floats(const posepress_container *container);
const char *posepress_container_float_name(const posepress_container *container, size_t track, size_t *length);

/* The rig, parents before children; no joints where it was stripped. */
size_t posepress_container_joints(const posepress_container *container);
const char *posepress_container_joint_name(const posepress_container *container, size_t joint, size_t *length);
/* Parent (-1 of a root), and the bind pose as ten floats: rotation x y z w, translation, scale. */
posepress_status posepress_container_joint(const posepress_container *container, size_t joint, int32_t *parent, float *bind);

/* ---- Clips ----------------------------------------------------------------------------------------------------------------- */

typedef struct posepress_clip posepress_clip;

/* Begins with its size, as every structure here does: initialise it with POSEPRESS_CLIP_INFO. */
typedef struct posepress_clip_info {
    uint32_t struct_size;  /* sizeof(posepress_clip_info): fields are filled in as far as the structure goes */
    uint32_t is_looping;   /* 0 or 1: the last sample is the first one again */
    uint32_t is_additive;  /* 0 or 1: poses are differences, to be put on those of another clip: rotations base * difference,
                              translations base + difference, scales base * difference a component; never as matrices */
    uint32_t cursor_align; /* 16 */
    size_t joints;
    size_t float_tracks;   /* morph weights and other scalars */
    size_t samples;        /* at least 1 */
    double duration_secs;  /* time of the last sample */
    size_t cursor_bytes;   /* of a block for one cursor */
    size_t resident_bytes; /* that the clip keeps in memory, cursors apart */
} posepress_clip_info;

#define POSEPRESS_CLIP_INFO {(uint32_t)sizeof(posepress_clip_info), 0, 0, 0, 0, 0, 0, 0.0, 0, 0}

/*
 * Checks a clip and opens it. `bind` is the bind pose of the rig that the clip was made for, ten floats a joint as above; NULL and
 * 0 for the container's own rig. The container may be freed afterwards.
 */
posepress_status posepress_clip_open(const posepress_container *container, size_t index, const float *bind, size_t bind_joints, posepress_clip **clip, char *message, size_t message_room);
/* Cursors of the clip must not be used any more. */
void posepress_clip_free(posepress_clip *clip);
posepress_status posepress_clip_info_of(const posepress_clip *clip, posepress_clip_info *info);

/* What lies before the clip's start and behind its end. */
enum { POSEPRESS_ENDS_OF_CLIP = 0, POSEPRESS_ENDS_LOOP = 1, POSEPRESS_ENDS_CLAMP = 2 };
/* Which sample a time between two becomes; NONE blends. */
enum { POSEPRESS_ROUND_NONE = 0, POSEPRESS_ROUND_FLOOR = 1, POSEPRESS_ROUND_CEIL = 2, POSEPRESS_ROUND_NEAREST = 3 };

/* The place of a time, in samples from the clip's start, as the functions below take it; 0 for what is no time. */
double posepress_clip_place(const posepress_clip *clip, double time_secs, uint32_t ends, uint32_t rounding);

/* ---- Cursors --------------------------------------------------------------------------------------------------------------- */

typedef struct posepress_cursor posepress_cursor;

/*
 * Makes a cursor in a block of the caller's: at least `cursor_bytes` at a multiple of `cursor_align`, which malloc gives on 64-bit
 * systems. The block must stay where it is, and nothing else may be written to it, while the cursor is used; then it may simply
 * go: there is nothing to be freed. A state never shows in a pose: any cursor of a clip gives the same bits.
 */
posepress_status posepress_cursor_place(const posepress_clip *clip, void *block, size_t bytes, posepress_cursor **cursor);

/* ---- Sampling -------------------------------------------------------------------------------------------------------------- */

/* How a pose lies in `out`. Strides and places count floats. */
enum {
    POSEPRESS_KIND_TRANSFORMS = 0, /* joint after joint: rotation x y z w, translation x y z, scale x y z, each at its place */
    POSEPRESS_KIND_SOA8 = 1,       /* blocks of eight joints: rotation x of all eight, y, z, w, translation x, y, z, scale x, y, z */
    POSEPRESS_KIND_MATRICES = 2    /* joint after joint: three rows of four; the fourth column is the translation */
};

typedef struct posepress_layout {
    uint32_t struct_size; /* sizeof(posepress_layout) */
    uint32_t kind;
    size_t stride;      /* from joint to joint, or from block to block */
    size_t rotation;    /* where the parts of a transform are; not used by the other kinds */
    size_t translation;
    size_t scale;
} posepress_layout;

/* Without gaps: 10 floats a joint, 80 a block, 12 a joint. */
#define POSEPRESS_TRANSFORMS {(uint32_t)sizeof(posepress_layout), POSEPRESS_KIND_TRANSFORMS, 10, 0, 4, 7}
#define POSEPRESS_SOA8 {(uint32_t)sizeof(posepress_layout), POSEPRESS_KIND_SOA8, 80, 0, 0, 0}
#define POSEPRESS_MATRICES {(uint32_t)sizeof(posepress_layout), POSEPRESS_KIND_MATRICES, 12, 0, 0, 0}

/* Floats that so many joints need room for; 0 for a kind that there is not. */
size_t posepress_layout_floats(const posepress_layout *layout, size_t joints);

/*
 * Writes the pose at a place in the clip: 2.5 lies halfway between the third sample and the fourth; places outside are clamped.
 * What the layout leaves between joints stays as it is, lanes behind the last joint too.
 */
posepress_status posepress_sample(const posepress_clip *clip, posepress_cursor *cursor, double at_sample, const posepress_layout *layout, float *out, size_t out_floats);
/* `count` joints from `first` on, the first of them at the start of `out`; of one joint the work is little more than its own. */
posepress_status posepress_sample_range(const posepress_clip *clip, posepress_cursor *cursor, double at_sample, size_t first, size_t count, const posepress_layout *layout, float *out, size_t out_floats);
/*
 * Joints whose bit is set (bit joint % 64 of word joint / 64), each at its place in a whole pose; the places of others stay as they
 * are, and tracks that move none of the wanted joints are not decoded.
 */
posepress_status posepress_sample_mask(const posepress_clip *clip, posepress_cursor *cursor, double at_sample, const uint64_t *mask, size_t mask_words, const posepress_layout *layout, float *out, size_t out_floats);
/* The float tracks at a place: one float each. */
posepress_status posepress_sample_floats(const posepress_clip *clip, double at_sample, float *out, size_t out_floats);

#ifdef __cplusplus
}
#endif

#endif
