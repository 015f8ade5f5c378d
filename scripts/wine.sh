#!/usr/bin/env bash
# Runs a program for Windows on Linux. Cargo calls it for the target x86_64-pc-windows-gnu.
#
#   scripts/wine.sh PROGRAM [ARGUMENT...]
#
# It takes the wine of this machine where that is version 9 or later. Else it installs one of Debian 13 into target/wine, which needs root.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# The drive C: is in target: no file of the user changes.
export WINEPREFIX=$root/target/wine-drive WINEDEBUG=${WINEDEBUG:--all} XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp} PATH=/usr/sbin:/sbin:$PATH
mkdir -p "$WINEPREFIX"

version=$({ wine --version 2>/dev/null || true; } | sed 's/^wine-\([0-9]*\).*/\1/')
if [ "${version:-0}" -ge 9 ]; then
    exec wine "$@"
fi

system=$root/target/wine
if [ ! -d "$system/usr/lib/wine" ]; then
    source "$root/scripts/packages.sh"
    install_missing debootstrap
    rm -rf "$system"
    debootstrap --variant=minbase --include=wine,wine64,mesa-vulkan-drivers trixie "$system" > "$system.log"
fi
# The repository and what lies beside it have the same paths in there. The mounts end with the command.
export WINE_SYSTEM=$system WINE_FOLDER=$PWD WINE_BESIDE=${root%/*}
exec unshare --mount bash -c '
    mkdir -p "$WINE_SYSTEM$WINE_BESIDE"
    mount --bind "$WINE_BESIDE" "$WINE_SYSTEM$WINE_BESIDE"
    mount --bind /tmp "$WINE_SYSTEM/tmp"
    mount -t proc proc "$WINE_SYSTEM/proc"
    exec chroot "$WINE_SYSTEM" bash -c "cd \"\$WINE_FOLDER\" && exec wine \"\$@\"" wine "$@"
' wine "$@"
