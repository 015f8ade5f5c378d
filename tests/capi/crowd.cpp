// Plays a container's clips from two threads at once, in blocks of eight and by a mask, and prints both, bit by bit.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <posepress.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Free {
    void operator()(posepress_container *container) const { posepress_container_free(container); }
    void operator()(posepress_clip *clip) const { posepress_clip_free(clip); }
};

void check(posepress_status status) {
    if (status != POSEPRESS_OK) throw std::runtime_error(posepress_status_text(status));
}

std::string text_of(const char *what, const std::vector<float> &numbers) {
    std::string text = what;
    for (float number : numbers) {
        std::uint32_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        char word[16];
        std::snprintf(word, sizeof word, " %08x", static_cast<unsigned>(bits));
        text += word;
    }
    return text + "\n";
}

// Half the joints, the odd ones, at every third of a sample.
std::string play(const posepress_clip *clip) {
    posepress_clip_info info = POSEPRESS_CLIP_INFO;
    check(posepress_clip_info_of(clip, &info));
    std::vector<char> block(info.cursor_bytes + info.cursor_align);
    const std::size_t skip = info.cursor_align - reinterpret_cast<std::uintptr_t>(block.data()) % info.cursor_align;
    posepress_cursor *cursor = nullptr;
    check(posepress_cursor_place(clip, block.data() + skip, info.cursor_bytes, &cursor));
    const posepress_layout layout = POSEPRESS_SOA8;
    const std::vector<std::uint64_t> odd((info.joints + 63) / 64, 0xaaaaaaaaaaaaaaaaULL);
    std::string text;
    for (std::size_t third = 0; third + 2 < 3 * info.samples; third++) {
        const double at_sample = third / 3.0;
        std::vector<float> pose(posepress_layout_floats(&layout, info.joints), 0.0f), half = pose;
        check(posepress_sample(clip, cursor, at_sample, &layout, pose.data(), pose.size()));
        check(posepress_sample_mask(clip, cursor, at_sample, odd.data(), odd.size(), &layout, half.data(), half.size()));
        text += text_of("pose", pose) + text_of("odd", half);
    }
    return text;
}

} // namespace

int main(int count, char **arguments) try {
    std::ifstream file(count == 2 ? arguments[1] : "", std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    posepress_container *opened = nullptr;
    check(posepress_container_open(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size(), &opened, nullptr, 0));
    const std::unique_ptr<posepress_container, Free> container(opened);
    for (std::size_t index = 0; index < posepress_container_clips(container.get()); index++) {
        posepress_clip *handle = nullptr;
        check(posepress_clip_open(container.get(), index, nullptr, 0, &handle, nullptr, 0));
        const std::unique_ptr<posepress_clip, Free> clip(handle);
        std::string texts[2];
        std::thread other([&] { texts[1] = play(clip.get()); });
        texts[0] = play(clip.get());
        other.join();
        if (texts[0] != texts[1]) throw std::runtime_error("two players of a clip differ");
        std::fputs(texts[0].c_str(), stdout);
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
