#!/usr/bin/env bash
# Builds Posepress and opens its window on the bundled sample, or on the files given. Any other arguments are passed on.
# Where there is no display, the window is drawn on a virtual one and photographed; the picture's path is printed.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
source "$here/scripts/packages.sh"

install_rust() {
    command -v cargo >/dev/null && return
    if apt-cache show rustup >/dev/null 2>&1; then
        install_missing rustup && rustup default stable
    else
        echo "Rust is missing: install it from https://rustup.rs, then start again" >&2
        exit 1
    fi
}

has_vulkan_driver() {
    compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || compgen -G '/etc/vulkan/icd.d/*.json' >/dev/null
}

install_missing gcc g++ libc6-dev libvulkan1 libxkbcommon-x11-0 libx11-xcb1 libxcursor1 libxi6 libxrandr2
has_vulkan_driver || install_missing mesa-vulkan-drivers
install_rust
cargo build --release --locked --manifest-path "$here/Cargo.toml"
posepress="${CARGO_TARGET_DIR:-$here/target}/release/posepress"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$posepress" "$@"
fi

# ---- no display: a virtual one, and a picture of the whole window ----
install_missing xvfb xauth xdotool imagemagick
scratch=$(mktemp -d)
picture="${POSEPRESS_PICTURE:-${CARGO_TARGET_DIR:-$here/target}/posepress-window.png}"
pids=()
clean_up() { kill "${pids[@]}" 2>/dev/null || true; rm -rf "$scratch"; }
trap clean_up EXIT
export XDG_RUNTIME_DIR="$scratch" WGPU_BACKEND=vulkan

mkfifo "$scratch/display"
Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp 3>"$scratch/display" 2>"$scratch/xvfb.log" &
pids+=($!)
read -r display <"$scratch/display"
export DISPLAY=":$display"

"$posepress" "$@" &
app=$!
pids+=("$app")

# The picture is of the window once it shows more than a blank, at most a minute after the start.
window='' colours=0
for _ in $(seq 120); do
    kill -0 "$app" 2>/dev/null || { wait "$app"; exit; } # a subcommand, or an error: it has printed its answer
    window=$(xdotool search --onlyvisible --name Posepress 2>/dev/null | head -n 1 || true)
    if [ -n "$window" ] && import -window "$window" "$picture" 2>/dev/null; then
        colours=$(identify -format %k "$picture")
        [ "$colours" -gt 200 ] && break
    fi
    sleep 0.5
done
[ "$colours" -gt 200 ] || { echo "the window stayed blank for a minute" >&2; exit 1; }
sleep "${POSEPRESS_SETTLE_SECS:-4}" # the first numbers arrive from the background
import -window "$window" "$picture"
echo "no display here: a picture of the window is at $picture"
