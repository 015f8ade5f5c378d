#!/usr/bin/env bash
# Builds the Python package in a virtual environment and tests it: formats and lints of its Rust, types, tests. Needs the registries of both languages.
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
step stubtest --mypy-config-file src/python/pyproject.toml --concise posepress
step python -m pytest -q -p no:cacheprovider tests/python
