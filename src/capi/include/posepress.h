/*
 * Plays clips that Posepress compressed. C99, C++11.
 *
 * A container (a .posepress file) holds a rig and clips. Open it, open its clips, and free the container: clips keep their own
 * bytes. A clip is opened once and shared by all of its players; a cursor is the state of one player. Sampling allocates nothing.
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
 *     void *block = malloc(info.cursor_bytes);                               // one per character
 *     posepress_cursor_place(walk, block, info.cursor_bytes, &cursor);
 *     ...
 *     double at = posepress_clip_place(walk, seconds, POSEPRESS_ENDS_OF_CLIP, POSEPRESS_ROUND_NONE);
 *     posepress_sample(walk, cursor, at, &layout, pose, 10 * info.joints);   // every frame
 *     ...
 *     free(block);                                                           // before the clip, or after
 *     posepress_clip_free(walk);
 *
 * Units. Metres, seconds, unit quaternions x y z w; right-handed, Y up. Transforms are local: relative to the parent joint, scale
 * first, then rotation, then translation.
 *
 * Untrusted input. Any bytes may be given to posepress_container_open. They are checked there and in posepress_clip_open. An opened
 * clip is safe to sample at any time, infinite and NaN times included. The memory for opening grows with the bytes and the rig.
 *
 * Pointers. A null pointer is refused with POSEPRESS_INVALID_ARGUMENT (for functions that return a number or a name: 0, NULL);
 * freeing null does nothing. Handles must come from this library and not be freed yet; buffers must have the stated length.
 * On failure a function writes only handles, which become null, messages, and the lengths of names, which become 0.
 *
 * Structures begin with their size in bytes, which the caller sets (the initialisers do), so that fields can be added at the end.
 * A library reads and writes only the fields that both it and the caller's structure have. It takes missing fields of the caller as
 * zero. A size below that of the first version gives POSEPRESS_INVALID_ARGUMENT.
 *
 * Threads. Containers and clips do not change, except when a tier is joined: any number of threads may use them at once. One
 * thread at a time may use a cursor, and it may move between threads. There is no global state to set up or free.
 *
 * Failure. Functions never unwind. A bug of the library is caught: it is printed on standard error, the status is POSEPRESS_INTERNAL,
 * and buffers may be half written. Functions print nothing else. If memory for opening runs out, the status is POSEPRESS_NO_MEMORY and all
 * memory is released; a container that fails to join a tier is unchanged. Cursors and sampling allocate nothing.
 */
#ifndef POSEPRESS_H
#define POSEPRESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ABI version of this header. Compare it with posepress_abi_version() if you load the library at run time. */
#define POSEPRESS_ABI_VERSION 1
uint32_t posepress_abi_version(void);

typedef enum posepress_status {
    POSEPRESS_OK = 0,
    POSEPRESS_INVALID_ARGUMENT = 1, /* a null pointer, or an index or number out of range */
    POSEPRESS_BAD_BYTES = 2,        /* damaged bytes, or an unknown codec or version */
    POSEPRESS_TOO_SMALL = 3,        /* a buffer or block is too small, or not aligned */
    POSEPRESS_OTHER_CLIP = 4,       /* the cursor belongs to another clip */
    POSEPRESS_INTERNAL = 5,         /* a bug of the library */
    POSEPRESS_NO_MEMORY = 6         /* memory ran out while opening or joining a tier */
} posepress_status;

/* A short English text for a status, also for unknown numbers; do not free it. */
const char *posepress_status_text(int32_t status);

/* ---- Containers ------------------------------------------------------------------------------------------------------------ */

typedef struct posepress_container posepress_container;

/*
 * Reads a file. The needed bytes are copied, so you may free them. An error is written to `message` as UTF-8 with a terminating
 * zero, cut to fit; `message` may be NULL with room 0.
 */
posepress_status posepress_container_open(const uint8_t *bytes, size_t length, posepress_container **container, char *message, size_t message_room);
void posepress_container_free(posepress_container *container);

/*
 * Tiers: detail of the clips in separate files (.posepress-tier), which may be absent. Clips without them open and play, with more
 * error. These functions count and name the tiers that are not joined yet, in joining order. Names have the form described below.
 */
size_t posepress_container_tiers(const posepress_container *container);
const char *posepress_container_tier_name(const posepress_container *container, size_t tier, size_t *length);
/*
 * Joins the next tier. Call it before you open clips, and while no other thread uses the container. You may free the bytes
 * afterwards. `bind` and `bind_joints` are as in posepress_clip_open: NULL and 0 for a container with its rig. A file of another container, a tier out of order or damage gives POSEPRESS_BAD_BYTES, with found and expected in
 * `message`; the container is then unchanged.
 */
posepress_status posepress_container_join(posepress_container *container, const uint8_t *bytes, size_t length, const float *bind, size_t bind_joints, char *message, size_t message_room);

/*
 * Counts, and names as UTF-8: `*length` bytes without a terminating zero, valid until the container is freed. For an index out of
 * range, the name is NULL and `*length` 0. `length` may be NULL.
 */
size_t posepress_container_clips(const posepress_container *container);
const char *posepress_container_clip_name(const posepress_container *container, size_t clip, size_t *length);
size_t posepress_container_floats(const posepress_container *container);
const char *posepress_container_float_name(const posepress_container *container, size_t track, size_t *length);

/* The rig, parents before children; no joints if it was stripped. */
size_t posepress_container_joints(const posepress_container *container);
const char *posepress_container_joint_name(const posepress_container *container, size_t joint, size_t *length);
/* The parent (-1 for a root) and the bind pose as ten floats: rotation x y z w, translation, scale. */
posepress_status posepress_container_joint(const posepress_container *container, size_t joint, int32_t *parent, float *bind);

/* ---- Clips ----------------------------------------------------------------------------------------------------------------- */

typedef struct posepress_clip posepress_clip;

/* Begins with its size, like every structure here: initialise it with POSEPRESS_CLIP_INFO. */
typedef struct posepress_clip_info {
    uint32_t struct_size;  /* sizeof(posepress_clip_info): only fields within it are filled in */
    uint32_t is_looping;   /* 0 or 1: the last sample equals the first */
    uint32_t is_additive;  /* 0 or 1: poses are differences, to add to the poses of another clip: rotations base * difference,
                              translations base + difference, scales base * difference per component; never as matrices */
    uint32_t cursor_align; /* 16 */
    size_t joints;
    size_t float_tracks;   /* morph weights and other scalars */
    size_t samples;        /* at least 1 */
    double duration_secs;  /* time of the last sample */
    size_t cursor_bytes;   /* size of a block for one cursor */
    size_t resident_bytes; /* memory of the clip, without cursors and the container's bind pose */
} posepress_clip_info;

#define POSEPRESS_CLIP_INFO {(uint32_t)sizeof(posepress_clip_info), 0, 0, 0, 0, 0, 0, 0.0, 0, 0}

/*
 * Checks a clip and opens it. `bind` is the bind pose of the rig that the clip was made for, ten floats per joint as above; with
 * NULL and 0, the container's rig is used. You may free the container afterwards.
 */
posepress_status posepress_clip_open(const posepress_container *container, size_t index, const float *bind, size_t bind_joints, posepress_clip **clip, char *message, size_t message_room);
/* Do not use cursors of the clip afterwards. */
void posepress_clip_free(posepress_clip *clip);
posepress_status posepress_clip_info_of(const posepress_clip *clip, posepress_clip_info *info);

/* The behaviour before the clip's start and after its end. */
enum { POSEPRESS_ENDS_OF_CLIP = 0, POSEPRESS_ENDS_LOOP = 1, POSEPRESS_ENDS_CLAMP = 2 };
/* Rounding of a time between two samples; NONE blends. */
enum { POSEPRESS_ROUND_NONE = 0, POSEPRESS_ROUND_FLOOR = 1, POSEPRESS_ROUND_CEIL = 2, POSEPRESS_ROUND_NEAREST = 3 };

/* Converts a time to a place in the clip, in samples from its start, for `at_sample` of the functions below; 0 for NaN. */
double posepress_clip_place(const posepress_clip *clip, double time_secs, uint32_t ends, uint32_t rounding);

/* ---- Cursors --------------------------------------------------------------------------------------------------------------- */

typedef struct posepress_cursor posepress_cursor;

/*
 * Makes a cursor in the caller's block: at least `cursor_bytes` at a multiple of `cursor_align`. Blocks of malloc have this alignment
 * on 64-bit systems. The block must stay where it is, and nothing else may be written to it, while the cursor is used. Afterwards you
 * may free the block; the cursor itself needs no free. Its state never affects a pose: every cursor of a clip gives the same bits.
 */
posepress_status posepress_cursor_place(const posepress_clip *clip, void *block, size_t bytes, posepress_cursor **cursor);

/* ---- Sampling -------------------------------------------------------------------------------------------------------------- */

/* The layout of a pose in `out`. Strides and offsets count floats. */
enum {
    POSEPRESS_KIND_TRANSFORMS = 0, /* joint after joint: rotation x y z w, translation x y z, scale x y z, each at its offset */
    POSEPRESS_KIND_SOA8 = 1,       /* blocks of eight joints: rotation x of all eight, y, z, w, translation x, y, z, scale x, y, z */
    POSEPRESS_KIND_MATRICES = 2    /* joint after joint: three rows of four; the fourth column is the translation */
};

typedef struct posepress_layout {
    uint32_t struct_size; /* sizeof(posepress_layout) */
    uint32_t kind;
    size_t stride;      /* floats from joint to joint, or from block to block */
    size_t rotation;    /* offsets within a transform; the other kinds ignore them */
    size_t translation;
    size_t scale;
} posepress_layout;

/* Without gaps: 10 floats per joint, 80 per block, 12 per joint. */
#define POSEPRESS_TRANSFORMS {(uint32_t)sizeof(posepress_layout), POSEPRESS_KIND_TRANSFORMS, 10, 0, 4, 7}
#define POSEPRESS_SOA8 {(uint32_t)sizeof(posepress_layout), POSEPRESS_KIND_SOA8, 80, 0, 0, 0}
#define POSEPRESS_MATRICES {(uint32_t)sizeof(posepress_layout), POSEPRESS_KIND_MATRICES, 12, 0, 0, 0}

/* Length of `out` in floats for that many joints; 0 for an unknown kind. */
size_t posepress_layout_floats(const posepress_layout *layout, size_t joints);

/*
 * Writes the pose at a place in the clip: 2.5 lies halfway between the third sample and the fourth; places outside are clamped.
 * Gaps between joints and lanes beyond the last joint keep their values.
 */
posepress_status posepress_sample(const posepress_clip *clip, posepress_cursor *cursor, double at_sample, const posepress_layout *layout, float *out, size_t out_floats);
/* Writes `count` joints, beginning with joint `first` at the start of `out`. One joint costs little more than its share of a pose. */
posepress_status posepress_sample_range(const posepress_clip *clip, posepress_cursor *cursor, double at_sample, size_t first, size_t count, const posepress_layout *layout, float *out, size_t out_floats);
/*
 * Writes the joints whose bit is set (bit joint % 64 of word joint / 64), each at its place in a whole pose. Joints beyond the last
 * word are off. Other places keep their values. Tracks without wanted joints are not decoded, but some codecs decode whole groups.
 */
posepress_status posepress_sample_mask(const posepress_clip *clip, posepress_cursor *cursor, double at_sample, const uint64_t *mask, size_t mask_words, const posepress_layout *layout, float *out, size_t out_floats);
/* Writes the float tracks at a place in the clip: one float per track. */
posepress_status posepress_sample_floats(const posepress_clip *clip, double at_sample, float *out, size_t out_floats);

#ifdef __cplusplus
}
#endif

#endif
