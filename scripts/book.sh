#!/usr/bin/env bash
# Writes the generated pages of the book from the program's own lists and texts, then builds the book where mdbook is installed.
# --check writes nothing, and fails where a page differs. --pages leaves the build out.
# POSEPRESS and POSEPRESS_KEYS name programs that are built already; without them cargo builds both.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=--write
build=true
for argument in "$@"; do
    case "$argument" in
        --check) mode=--check ;;
        --pages) build=false ;;
        *) echo "unknown option $argument; there are --check and --pages" >&2; exit 2 ;;
    esac
done

target="${CARGO_TARGET_DIR:-target}/debug"
if [ -z "${POSEPRESS:-}" ]; then
    cargo build --quiet --locked --workspace --bins
    POSEPRESS="$target/posepress"
fi
if [ -z "${POSEPRESS_KEYS:-}" ]; then
    cargo build --quiet --locked --workspace --example keys
    POSEPRESS_KEYS="$target/examples/keys"
fi
python3 scripts/book_pages.py "$mode" "$POSEPRESS" "$POSEPRESS_KEYS"

if $build && command -v mdbook >/dev/null; then
    mdbook build docs/book
fi
