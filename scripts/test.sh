#!/usr/bin/env bash
# Cheapest first: format, spelling, licences, the book, lints, documentation, the builds without window and without std, all tests. CI runs it with
# --readers and --python. --readers: what is exported is also read by programs of others, and batches run on Dask, which need node, Python, and the
# registries of both.
# --ozz has ozz archives played by a port of ozz-animation, which builds with an older compiler alone: rustup fetches that. --engines installs the C
# library with cargo-c, and builds Bevy for the example. --packages builds each package by itself, as it is published. --python builds the Python
# package and tests it. --blender tests the extension in Blender's module, which takes 350 MB. --windows builds for Windows, and runs the tests in wine,
# which needs root and 2 GB. --portable, for systems other than Linux, leaves out the window's tests, whose pictures are of Mesa's driver, and programs in C.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/windows.sh

# The same cases every time, so that a change is judged by itself. Others: PROPTEST_RNG_SEED=$RANDOM PROPTEST_CASES=5000.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-20261121}"

readers=false
ozz=false
engines=false
packages=false
python=false
blender=false
windows=false
portable=false
for argument in "$@"; do
    case "$argument" in
        --readers) readers=true ;;
        --ozz) ozz=true ;;
        --engines) engines=true ;;
        --packages) packages=true ;;
        --python) python=true ;;
        --blender) blender=true ;;
        --windows) windows=true ;;
        --portable) portable=true ;;
        *) echo "unknown option $argument; there are --readers, --ozz, --engines, --packages, --python, --blender, --windows and --portable" >&2; exit 2 ;;
    esac
done

# Pictures of the window are drawn by Mesa's software Vulkan driver; programs in C and C++ are compiled and played.
install_missing mesa-vulkan-drivers libvulkan1 gcc g++ libc6-dev

step() { printf '\n== %s\n' "$*"; "$@"; }
step_if_installed() {
    if command -v "$1" >/dev/null; then step "${@:2}"; else printf '\n== %s: not installed, left out\n' "$1"; fi
}
step cargo fmt --all --check
step_if_installed typos typos
step_if_installed cargo-deny cargo deny --locked check licenses bans sources
if $readers && ! command -v mdbook >/dev/null; then
    step cargo install --quiet --locked --no-default-features mdbook@0.5.4
fi
step_if_installed mdbook mdbook build docs/book
step_if_installed mdbook mdbook test docs/book
step cargo clippy --locked --workspace --all-targets -- -D warnings
# With the features of the whole workspace, so that only the binary without its window is new.
step cargo clippy --locked --workspace --all-targets --no-default-features -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --locked --workspace --no-deps
if cargo tree --locked -p posepress --no-default-features --edges normal --prefix none | grep -E '^(eframe|egui|winit|wgpu|rfd) '; then
    echo "the build without the window must not depend on these" >&2
    exit 1
fi
# The runtime plays every codec without the standard library.
codecs=raw,quantize,every-second-key,linear-keys,per-track,variable-rate,catmull-rom,wavelet,press,archive,texts
step cargo check --locked -p posepress-runtime --no-default-features --features "libm,$codecs"
# The packages apart are not built here; their locks fit their manifests.
for package in fuzz examples/bevy src/page/bindgen src/python; do
    step cargo update --locked --workspace --quiet --manifest-path "$package/Cargo.toml"
done
if $portable; then
    step cargo test --locked --workspace --lib --bins --test core --test runtime --test cli
else
    step cargo test --locked --workspace
fi
# The pages of the book that are written from the program's lists.
$portable || step_if_installed python3 scripts/book.sh --check --pages
if $readers; then
    command -v npm >/dev/null || install_missing nodejs npm
    python3 -c 'import numpy' 2>/dev/null || install_missing python3-numpy
    # What the browser that npm brings links to.
    install_missing libnss3 libexpat1
    # Programs that check what packages tell a desktop.
    install_missing desktop-file-utils appstream shared-mime-info
    step npm ci --silent --no-audit --no-fund --prefix tests/readers
    # Dask, for batches on many machines, and readers of report formats.
    python3 -c 'import ensurepip' 2>/dev/null || install_missing python3-venv
    [ -x tests/readers/python/bin/pip ] || step python3 -m venv tests/readers/python
    step tests/readers/python/bin/pip install --quiet --require-hashes -r scripts/batch_dask.txt -r tests/readers/requirements.txt
    # The npm package, which the tests below play in node, and the window as a page, which they use in a browser.
    web=()
    if [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ] || step rustup target add wasm32-unknown-unknown; then
        step scripts/web.sh
        step scripts/web.sh window
    else
        printf '\n== the target wasm32-unknown-unknown cannot be had: the npm package, the page and their tests are left out\n'
        web=(--skip web:: --skip page::)
    fi
    # As above, with the features of the whole workspace: what is built already is taken.
    step cargo test --locked --workspace --test core -- --ignored readers:: round_trips:: "${web[@]}"
    step cargo test --locked --workspace --test cli -- --ignored readers
    # Pages of reports play in Firefox too.
    install_missing firefox-esr xvfb xauth
    step cargo test --locked --workspace --test cli -- --ignored in_firefox
fi
if $ozz; then
    step cargo test --locked --workspace --test core -- --ignored readers_ozz::
fi
if $engines; then
    step cargo test --locked --workspace --test capi -- --ignored
    step cargo test --locked --manifest-path examples/bevy/Cargo.toml
fi
if $packages; then
    step cargo check --locked -p posepress --no-default-features
    step cargo package --locked --workspace
fi
if $python; then
    step scripts/python.sh
fi
if $blender; then
    step scripts/blender.sh
fi
if $windows; then
    install_missing xvfb xauth
    step for_windows xvfb-run --auto-servernum cargo test --locked --workspace --target "$WINDOWS" --lib --test core --test runtime --test cli
fi
