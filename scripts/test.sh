#!/usr/bin/env bash
# Runs what CI runs, cheapest first: format, lints, a build without the window, all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

# Pictures of the window are drawn by Mesa's software Vulkan driver.
install_missing mesa-vulkan-drivers libvulkan1

step() { printf '\n== %s\n' "$*"; "$@"; }
step cargo fmt --all --check
step cargo clippy --workspace --all-targets -- -D warnings
step cargo build --no-default-features
if cargo tree --no-default-features --edges normal --prefix none | grep -E '^(eframe|egui|winit|wgpu|rfd) '; then
    echo "the build without the window must not depend on these" >&2
    exit 1
fi
step cargo test --workspace
