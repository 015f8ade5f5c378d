/* Calls that are refused, and what they leave behind. */
#include <posepress.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faults = 0;

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: %s\n", __LINE__, #condition); \
            faults++; \
        } \
    } while (0)

static posepress_clip *open_clip(const posepress_container *container) {
    posepress_clip *clip = NULL;
    EXPECT(posepress_clip_open(container, 0, NULL, 0, &clip, NULL, 0) == POSEPRESS_OK);
    return clip;
}

static void refuse_in_sampling(const posepress_container *container) {
    posepress_clip *clip = open_clip(container), *other = open_clip(container);
    posepress_layout layout = POSEPRESS_TRANSFORMS, unknown = layout, endless = layout, cut = layout;
    posepress_clip_info info = POSEPRESS_CLIP_INFO, cut_info = POSEPRESS_CLIP_INFO;
    posepress_cursor *cursor = NULL;
    struct {
        posepress_clip_info known;
        uint64_t newer[4];
    } grown = {POSEPRESS_CLIP_INFO, {7, 7, 7, 7}};
    unknown.kind = 3;
    endless.stride = endless.rotation = endless.translation = SIZE_MAX;
    cut.struct_size -= 1;
    cut_info.struct_size -= 1;
    grown.known.struct_size = sizeof grown;
    EXPECT(posepress_clip_info_of(clip, &info) == POSEPRESS_OK && info.cursor_align == 16 && info.joints > 1);
    EXPECT(info.struct_size == sizeof info);
    EXPECT(posepress_clip_info_of(clip, &cut_info) == POSEPRESS_INVALID_ARGUMENT && cut_info.joints == 0);
    EXPECT(posepress_clip_info_of(clip, &grown.known) == POSEPRESS_OK && grown.known.joints == info.joints && grown.newer[0] == 7);
    EXPECT(posepress_clip_info_of(clip, NULL) == POSEPRESS_INVALID_ARGUMENT);
    char *block = malloc(info.cursor_bytes);
    EXPECT(posepress_cursor_place(clip, block, info.cursor_bytes - 1, &cursor) == POSEPRESS_TOO_SMALL && !cursor);
    EXPECT(posepress_cursor_place(clip, block + 1, info.cursor_bytes - 1, &cursor) == POSEPRESS_TOO_SMALL && !cursor);
    EXPECT(posepress_cursor_place(clip, NULL, info.cursor_bytes, &cursor) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_cursor_place(clip, block, info.cursor_bytes, NULL) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_cursor_place(clip, block, info.cursor_bytes, &cursor) == POSEPRESS_OK && cursor);
    size_t room = posepress_layout_floats(&layout, info.joints);
    float *pose = malloc(room * sizeof(float));
    EXPECT(room == 10 * info.joints && posepress_layout_floats(&unknown, 4) == 0);
    EXPECT(posepress_sample(clip, cursor, 0.5, &layout, pose, room - 1) == POSEPRESS_TOO_SMALL);
    EXPECT(posepress_sample(clip, cursor, 0.5, &endless, pose, room) == POSEPRESS_TOO_SMALL);
    EXPECT(posepress_sample(clip, cursor, 0.5, &unknown, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_sample(clip, cursor, 0.5, NULL, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_sample(clip, cursor, 0.5, &cut, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_layout_floats(&cut, 4) == 0);
    EXPECT(posepress_sample(clip, cursor, 0.5, &layout, NULL, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_sample(clip, NULL, 0.5, &layout, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_sample(other, cursor, 0.5, &layout, pose, room) == POSEPRESS_OTHER_CLIP);
    EXPECT(posepress_sample_range(clip, cursor, 0.5, info.joints, 1, &layout, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_sample_range(clip, cursor, 0.5, SIZE_MAX, 2, &layout, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_sample_mask(clip, cursor, 0.5, NULL, 1, &layout, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_sample_mask(clip, cursor, 0.5, NULL, 0, &layout, pose, room) == POSEPRESS_OK);
    EXPECT(posepress_sample(clip, cursor, NAN, &layout, pose, room) == POSEPRESS_OK && isfinite(pose[0]));
    EXPECT(posepress_sample(clip, cursor, -INFINITY, &layout, pose, room) == POSEPRESS_OK && isfinite(pose[0]));
    EXPECT(posepress_clip_place(clip, NAN, POSEPRESS_ENDS_LOOP, POSEPRESS_ROUND_CEIL) == 0.0);
    EXPECT(posepress_clip_place(clip, 1e9, POSEPRESS_ENDS_CLAMP, POSEPRESS_ROUND_NONE) == (double)info.samples - 1);
    EXPECT(posepress_clip_place(NULL, 1.0, 0, 0) == 0.0);
    EXPECT(posepress_sample_floats(NULL, 0.0, pose, room) == POSEPRESS_INVALID_ARGUMENT);
    free(pose);
    free(block);
    posepress_clip_free(other);
    posepress_clip_free(clip);
}

static void refuse_in_opening(uint8_t *bytes, size_t length, const posepress_container *container) {
    posepress_container *none = (posepress_container *)bytes;
    posepress_clip *clip = (posepress_clip *)bytes;
    posepress_clip_info info = POSEPRESS_CLIP_INFO;
    char message[256] = "before";
    float bind[10] = {0}, one[10];
    int32_t parent;
    EXPECT(posepress_container_open(NULL, 9, &none, NULL, 0) == POSEPRESS_INVALID_ARGUMENT && !none);
    EXPECT(posepress_container_open(bytes, length, NULL, NULL, 0) == POSEPRESS_INVALID_ARGUMENT);
    for (size_t cut = 0; cut < length; cut += 7)
        EXPECT(posepress_container_open(bytes, cut, &none, message, sizeof message) == POSEPRESS_BAD_BYTES && !none && *message);
    for (size_t at = 0; at < length; at++) {
        bytes[at] ^= 0x20;
        EXPECT(posepress_container_open(bytes, length, &none, message, 8) == POSEPRESS_BAD_BYTES && strlen(message) == 7);
        bytes[at] ^= 0x20;
    }
    EXPECT(posepress_clip_open(container, 1000, NULL, 0, &clip, NULL, 0) == POSEPRESS_INVALID_ARGUMENT && !clip);
    EXPECT(posepress_clip_open(container, 0, bind, 1, &clip, message, sizeof message) == POSEPRESS_BAD_BYTES && !clip);
    EXPECT(strstr(message, "joint count") && strstr(message, "the rig's 1"));
    EXPECT(posepress_clip_info_of(NULL, &info) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_container_joint(container, 0, &parent, one) == POSEPRESS_OK && parent == -1);
    one[0] = 7.0f;
    EXPECT(posepress_container_joint(container, 0, NULL, one) == POSEPRESS_INVALID_ARGUMENT && one[0] == 7.0f);
    EXPECT(posepress_container_joint(container, posepress_container_joints(container), &parent, one) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_container_joint_name(container, 0, NULL) && !posepress_container_joint_name(NULL, 0, NULL));
    EXPECT(!posepress_container_float_name(container, posepress_container_floats(container), NULL));
    EXPECT(posepress_container_clips(NULL) == 0 && posepress_layout_floats(NULL, 1) == 0);
    EXPECT(strcmp(posepress_status_text(POSEPRESS_OK), "done") == 0 && strcmp(posepress_status_text(-7), "no status") == 0);
    EXPECT(posepress_container_join(NULL, bytes, length, NULL, 0, NULL, 0) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_container_tiers(container) == 0 && posepress_container_tiers(NULL) == 0);
    EXPECT(!posepress_container_tier_name(container, 0, NULL));
    posepress_container_free(NULL);
    posepress_clip_free(NULL);
}

int main(int count, char **arguments) {
    static uint8_t bytes[1 << 20];
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file) return 2;
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    posepress_container *container = NULL;
    EXPECT(posepress_container_open(bytes, length, &container, NULL, 0) == POSEPRESS_OK);
    refuse_in_opening(bytes, length, container);
    EXPECT(posepress_container_join(container, NULL, 9, NULL, 0, NULL, 0) == POSEPRESS_INVALID_ARGUMENT);
    EXPECT(posepress_container_join(container, bytes, length, NULL, 0, NULL, 0) == POSEPRESS_BAD_BYTES);
    refuse_in_sampling(container);
    posepress_container_free(container);
    printf("sizes %zu %zu\n", sizeof(posepress_clip_info), sizeof(posepress_layout));
    return faults ? 1 : 0;
}
