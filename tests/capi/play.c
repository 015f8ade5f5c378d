/* Prints every clip of a container, its tiers put back as far as they are given, bit by bit: whole poses as transforms, one joint as a matrix, float tracks. */
#include <posepress.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_bits(const char *what, double at_sample, const float *numbers, size_t count) {
    printf("%s %.3f", what, at_sample);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        printf(" %08x", (unsigned)bits);
    }
    printf("\n");
}

static int fail(const char *what, posepress_status status, const char *message) {
    fprintf(stderr, "%s: %s: %s\n", what, posepress_status_text(status), message);
    return 1;
}

static int play(const posepress_clip *clip) {
    posepress_layout transforms = POSEPRESS_TRANSFORMS, matrices = POSEPRESS_MATRICES;
    posepress_clip_info info = POSEPRESS_CLIP_INFO;
    posepress_cursor *cursor = NULL;
    posepress_status status = posepress_clip_info_of(clip, &info);
    void *block = malloc(info.cursor_bytes);
    size_t room = posepress_layout_floats(&transforms, info.joints);
    float *pose = malloc(room * sizeof(float)), *floats = malloc((info.float_tracks + 1) * sizeof(float)), matrix[12];
    if (!status) status = posepress_cursor_place(clip, block, info.cursor_bytes, &cursor);
    for (int step = -1; !status && step <= 9; step++) {
        double at = posepress_clip_place(clip, info.duration_secs * step / 7, POSEPRESS_ENDS_OF_CLIP, POSEPRESS_ROUND_NONE);
        status = posepress_sample(clip, cursor, at, &transforms, pose, room);
        if (status) break;
        print_bits("pose", at, pose, room);
        status = posepress_sample_range(clip, cursor, at, info.joints - 1, 1, &matrices, matrix, 12);
        if (status) break;
        print_bits("matrix", at, matrix, 12);
        status = posepress_sample_floats(clip, at, floats, info.float_tracks);
        print_bits("floats", at, floats, info.float_tracks);
    }
    free(floats);
    free(pose);
    free(block);
    return status;
}

static uint8_t bytes[1 << 20];

static size_t read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    return length;
}

int main(int count, char **arguments) {
    char message[256] = "";
    posepress_container *container = NULL;
    size_t length = count > 1 ? read_file(arguments[1]) : 0;
    if (!length || posepress_abi_version() != POSEPRESS_ABI_VERSION) return 2;
    posepress_status status = posepress_container_open(bytes, length, &container, message, sizeof message);
    memset(bytes, 0, sizeof bytes); /* nothing is read from there any more */
    if (status) return fail("container", status, message);
    for (int tier = 2; !status && tier < count; tier++) {
        size_t missing = posepress_container_tiers(container);
        length = read_file(arguments[tier]);
        status = posepress_container_join(container, bytes, length, NULL, 0, message, sizeof message);
        memset(bytes, 0, sizeof bytes);
        if (posepress_container_tiers(container) + !status != missing) return 3;
    }
    if (status) {
        posepress_container_free(container);
        return fail("tier", status, message);
    }
    for (size_t index = 0; !status && index < posepress_container_clips(container); index++) {
        size_t name_length;
        const char *name = posepress_container_clip_name(container, index, &name_length);
        posepress_clip *clip = NULL;
        status = posepress_clip_open(container, index, NULL, 0, &clip, message, sizeof message);
        if (!status) {
            printf("clip %.*s\n", (int)name_length, name);
            status = (posepress_status)play(clip);
        }
        posepress_clip_free(clip);
    }
    posepress_container_free(container);
    return status ? fail("clip", status, message) : 0;
}
