#!/usr/bin/env bash
# Builds the npm package posepress into target/web/posepress: three sets of codecs, each with and without SIMD. Prints the size of each module,
# raw and compressed with brotli. Needs the target wasm32-unknown-unknown, node, and npm's binaryen.
# --decoder builds only target/web/decoder.wasm, which pages of reports carry where POSEPRESS_WEB_MODULE names it at build time.
# window builds the window as a folder of static files, target/web/window, and prints its size. It needs clang for the readers of FBX and meshopt.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

target="${CARGO_TARGET_DIR:-$PWD/target}"
package="$target/web/posepress"
triple=wasm32-unknown-unknown
# What rustc uses by default, and SIMD where it is asked for: every browser since 2021 has them.
features=(--enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-nontrapping-float-to-int --enable-reference-types
    --enable-sign-ext --enable-simd)

command -v npm >/dev/null || install_missing nodejs npm
if [ ! -d "$(rustc --print target-libdir --target "$triple")" ]; then
    rustup target add "$triple" || {
        echo "The target $triple cannot be had, so the package for the web is not built. It needs the network once: rustup target add $triple" >&2
        exit 1
    }
fi
npm ci --silent --no-audit --no-fund --prefix src/web/npm

# Rust uses no addresses below 1024. A function with one caller stays one: that is smaller, and V8 runs it faster.
smaller=(--low-memory-unused -Oz --converge --one-caller-inline-max-function-size=0 --reorder-locals)
# The same module on every machine: paths of crates in it do not name a home.
paths="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"

# module NAME LEVEL FEATURES RUSTFLAG [OUT]
module() {
    CARGO_TARGET_DIR="$target/web/$1" CARGO_ENCODED_RUSTFLAGS="$paths${4:+$'\x1f'$4}" CARGO_PROFILE_WEB_OPT_LEVEL="$2" \
        cargo build --quiet --locked -p posepress-web --profile web --target "$triple" --no-default-features --features "$3"
    src/web/npm/node_modules/.bin/wasm-opt "${smaller[@]}" "${features[@]}" --strip-debug --strip-producers --strip-target-features \
        "$target/web/$1/$triple/web/posepress_web.wasm" -o "${5:-$package/posepress-$1.wasm}"
}

# Small: the codecs with random access and archives, short errors. Browsers that inflate streams have SIMD.
module page s random-access,archive -Ctarget-feature=+simd128 "$target/web/decoder.wasm"
[ "${1:-}" != --decoder ] || exit 0

if [ "${1:-}" = window ]; then
    command -v clang >/dev/null || install_missing clang llvm
    window="$target/web/window"
    # As much stack as the main thread of a program has; the default is 1 MB.
    # There is no C library for this target: src/page has the functions that the two libraries call.
    CC_wasm32_unknown_unknown=clang CXX_wasm32_unknown_unknown=clang++ AR_wasm32_unknown_unknown=llvm-ar \
        CFLAGS_wasm32_unknown_unknown="-DUFBX_NO_LIBC -DUFBX_NO_STDIO -I$PWD/src/page/include" \
        CARGO_TARGET_DIR="$target/web/page" CARGO_ENCODED_RUSTFLAGS="$paths"$'\x1f'-Clink-arg=-zstack-size=8388608 \
        cargo build --quiet --locked -p posepress-page --profile page --target "$triple"
    rm -rf "$window"
    mkdir -p "$window"
    CARGO_TARGET_DIR="$target/web/bindgen" cargo run --quiet --locked --manifest-path src/page/bindgen/Cargo.toml -- \
        "$target/web/page/$triple/page/posepress_page.wasm" "$window"
    src/web/npm/node_modules/.bin/wasm-opt -Oz "${features[@]}" --strip-debug --strip-producers --strip-target-features \
        "$window/page_bg.wasm" -o "$window/page_bg.wasm"
    cp src/page/site/* src/app/assets/icon.png src/app/assets/sample.glb LICENSE-MIT LICENSE-APACHE src/app/assets/third-party-notices.txt "$window"
    # The page kept for use without a network is one version: that of its bytes.
    version="$(cat "$window"/page* "$window"/*.html "$window"/start.js "$window"/sample.glb | sha256sum | cut -c1-16)"
    sed -i "s/@VERSION@/$version/" "$window/offline.js"
    node scripts/web_sizes.mjs "$window"
    exit 0
fi

rm -rf "$package"
mkdir -p "$package"
cp -L src/web/npm/{package.json,posepress.js,posepress.d.ts,README.md,third-party-notices.txt} LICENSE-MIT LICENSE-APACHE "$package"
for flavour in "" -simd; do
    flags=
    [ -z "$flavour" ] || flags=-Ctarget-feature=+simd128
    # codecs is the small one of those with many codecs; the others decode twice as fast.
    module "press$flavour" 3 press "$flags"
    module "codecs$flavour" s random-access "$flags"
    module "full$flavour" 3 random-access,archive,tiers,texts "$flags"
done
node scripts/web_sizes.mjs "$package"
