#!/usr/bin/env bash
# Tests the Blender extension in Blender's Python module, without a window. The module takes 350 MB and needs CPython 3.11.
#
#   scripts/blender.sh              tests it on the newest version of tests/blender/bpy.txt
#   scripts/blender.sh all          tests it on all of them
#   scripts/blender.sh table        writes docs/measured/blender.md
#
# POSEPRESS_WHEEL names a wheel that is built already. POSEPRESS_PYTHON names CPython 3.11, if python3.11 is not on the path.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; "$@"; }
python=${POSEPRESS_PYTHON:-python3.11}
command -v "$python" >/dev/null || { echo "Blender's module needs CPython 3.11: set POSEPRESS_PYTHON" >&2; exit 1; }
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
wheel=${POSEPRESS_WHEEL:-}

# use VERSION: the virtual environment of a version, with the wheel in it.
use() {
    venv=tests/blender/.venv-$1
    [ -x "$venv/bin/pip" ] || step "$python" -m venv "$venv"
    grep "^bpy==$1 " tests/blender/bpy.txt > "$venv/bpy.txt"
    step "$venv/bin/pip" install --quiet --no-cache-dir --require-hashes -r tests/blender/requirements.txt -r "$venv/bpy.txt"
    if [ -z "$wheel" ]; then
        step "$venv/bin/maturin" build --quiet --release --locked --skip-auditwheel -m src/python/Cargo.toml -i "$venv/bin/python" \
            --out "$CARGO_TARGET_DIR/blender"
        wheel=$(ls -t "$CARGO_TARGET_DIR"/blender/*.whl | head -1)
    fi
    step "$venv/bin/pip" install --quiet --no-deps --force-reinstall "$wheel"
}

versions=$(sed -n 's/^bpy==\([0-9.]*\) .*/\1/p' tests/blender/bpy.txt)
newest=${versions%%$'\n'*}
case "${1:-}" in
    "") versions=$newest ;;
    all) ;;
    table)
        use "$newest"
        step "$venv/bin/python" scripts/blender_table.py docs/measured/blender.md
        exit
        ;;
    *) sed -n 2,8p "$0"; exit 2 ;;
esac
for version in $versions; do
    use "$version"
    POSEPRESS_WHEEL=$wheel step "$venv/bin/python" -m pytest -q -p no:cacheprovider -rs tests/blender
done
