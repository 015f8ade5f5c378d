#!/usr/bin/env bash
# Runs a program for Windows on Linux. Cargo calls it for the target x86_64-pc-windows-gnu.
#
#   scripts/wine.sh PROGRAM [ARGUMENT...]
#
# It takes the wine of this machine where that is version 9 or later. Else it installs one of Debian 13 into target/wine, which needs root.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# The drive C: is in target: no file of the user changes.
export WINEPREFIX=$root/target/wine-drive WINEDEBUG=${WINEDEBUG:--all} XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp}
mkdir -p "$WINEPREFIX"
# The session ends with the program. In a session that began without a display, no later program would have one.
run='wine "$@" || status=$?; wineserver -w; exit "${status:-0}"'

version=$({ wine --version 2>/dev/null || true; } | sed 's/^wine-\([0-9]*\).*/\1/')
if [ "${version:-0}" -ge 9 ]; then
    exec bash -c "$run" wine "$@"
fi
source "$root/scripts/packages.sh"
debian "$root/target/wine" trixie wine,wine64,mesa-vulkan-drivers
exec "$root/scripts/inside.sh" "$root/target/wine" bash -c "$run" wine "$@"
