#!/usr/bin/env bash
# Builds the Python package in a virtual environment and tests it: formats and lints of its Rust, types, tests. Needs the registries of both languages.
#
#   scripts/python.sh [PYTHON...]
#
# Also installs the wheel in a new environment of each PYTHON, 3.10 or later, and tests it there.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

step() { printf '\n== %s\n' "$*"; "$@"; }
venv=tests/python/.venv
python3 -c 'import ensurepip' 2>/dev/null || install_missing python3-venv
[ -x "$venv/bin/pip" ] || step python3 -m venv "$venv"
step "$venv/bin/pip" install --quiet --require-hashes -r tests/python/requirements.txt
command -v npm >/dev/null || install_missing nodejs npm
step npm ci --silent --no-audit --no-fund --prefix tests/readers
export VIRTUAL_ENV="$PWD/$venv" PATH="$PWD/$venv/bin:$PATH"
# What the workspace has built is taken.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
manifest=src/python/Cargo.toml
step cargo fmt --check --manifest-path "$manifest"
step cargo clippy --locked --manifest-path "$manifest" -- -D warnings
step maturin develop --quiet --locked --manifest-path "$manifest"
step mypy --config-file src/python/pyproject.toml src/python/posepress tests/python examples/python src/blender/posepress_blender scripts/batch_dask.py
step tests/readers/node_modules/.bin/pyright -p src/python --pythonpath "$venv/bin/python"
step tests/readers/node_modules/.bin/pyright --verifytypes posepress --ignoreexternal --pythonpath "$venv/bin/python"
step stubtest --mypy-config-file src/python/pyproject.toml --concise posepress
step python -m pytest -q -p no:cacheprovider tests/python
numpy=$(mktemp -d)
trap 'rm -rf "$numpy"' EXIT
step pip install --quiet --require-hashes --no-deps --target "$numpy" -r tests/python/numpy_1.txt
PYTHONPATH="$numpy" step python -m pytest -q -p no:cacheprovider tests/python/test_{arrays,same_bytes,blender_arrays}.py

[ $# -gt 0 ] || exit 0
wheels=target/python-wheels
rm -rf "$wheels"
step maturin build --quiet --locked --skip-auditwheel --manifest-path "$manifest" --out "$wheels"
for other in "$@"; do
    environment=$(mktemp -d)
    step "$other" -m venv "$environment"
    step "$environment/bin/pip" install --quiet "$(echo "$wheels"/*.whl)[plot,table]" hypothesis pytest tqdm
    (export VIRTUAL_ENV=$environment PATH="$environment/bin:$PATH"; python --version; step python -m pytest -q -p no:cacheprovider tests/python)
    rm -rf "$environment"
done
