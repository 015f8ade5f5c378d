#!/usr/bin/env bash
# Cheapest first: format, lints, the builds without window and without std, all tests. CI runs it with --readers: what is
# exported is then also read by programs that nobody here wrote, which need node and npm's registry. --ozz has ozz archives played by a
# port of ozz-animation, which builds with an older compiler alone: rustup fetches that. --engines installs the C library with cargo-c,
# and builds Bevy for the example.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

# The same cases every time, so that a change is judged by itself. Others: PROPTEST_RNG_SEED=$RANDOM PROPTEST_CASES=5000.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-20261121}"

readers=false
ozz=false
engines=false
for argument in "$@"; do
    case "$argument" in
        --readers) readers=true ;;
        --ozz) ozz=true ;;
        --engines) engines=true ;;
        *) echo "unknown option $argument; there are --readers, --ozz and --engines" >&2; exit 2 ;;
    esac
done

# Pictures of the window are drawn by Mesa's software Vulkan driver; programs in C and C++ are compiled and played.
install_missing mesa-vulkan-drivers libvulkan1 gcc g++ libc6-dev

step() { printf '\n== %s\n' "$*"; "$@"; }
step cargo fmt --all --check
step cargo clippy --locked --workspace --all-targets -- -D warnings
step cargo clippy --locked -p posepress --no-default-features -- -D warnings
if cargo tree --locked -p posepress --no-default-features --edges normal --prefix none | grep -E '^(eframe|egui|winit|wgpu|rfd) '; then
    echo "the build without the window must not depend on these" >&2
    exit 1
fi
# The runtime plays every codec without the standard library.
codecs=raw,quantize,every-second-key,linear-keys,per-track,variable-rate,catmull-rom,wavelet,press
step cargo check --locked -p posepress-runtime --no-default-features --features "libm,$codecs"
# The packages apart are not built here; their locks fit their manifests.
for package in fuzz examples/bevy; do
    step cargo update --locked --workspace --quiet --manifest-path "$package/Cargo.toml"
done
step cargo test --locked --workspace
if $readers; then
    command -v npm >/dev/null || install_missing nodejs npm
    # What the browser that npm brings links to.
    install_missing libnss3 libexpat1
    step npm ci --silent --no-audit --no-fund --prefix tests/readers
    # As above, with the features of the whole workspace: what is built already is taken.
    step cargo test --locked --workspace --test core -- --ignored readers:: round_trips::
    step cargo test --locked --workspace --test cli -- --ignored pages::readers
fi
if $ozz; then
    step cargo test --locked --workspace --test core -- --ignored readers_ozz::
fi
if $engines; then
    step cargo test --locked --workspace --test capi -- --ignored
    step cargo test --locked --manifest-path examples/bevy/Cargo.toml
fi
