#!/usr/bin/env bash
# Compares bytes and poses with tests/digests.csv on aarch64, under qemu. --release takes an optimised build. The test itself compares
# processors with AVX2 and without.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

release=()
[ "${1:-}" != --release ] || release=(--release)
triple=aarch64-unknown-linux-gnu
install_missing gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
if [ ! -d "$(rustc --print target-libdir --target "$triple")" ]; then
    rustup target add "$triple" || {
        echo "The target $triple cannot be had, so nothing is compared. It needs the network once: rustup target add $triple" >&2
        exit 1
    }
fi
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu"

cargo test --locked "${release[@]}" --target "$triple" -p posepress-core --test core digests::
cargo test --locked "${release[@]}" --target "$triple" -p posepress-runtime --test runtime
