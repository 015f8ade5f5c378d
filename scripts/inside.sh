#!/usr/bin/env bash
# Runs a command in the Debian system of a folder. The command has the current folder, /tmp, and this repository with what lies beside it, at the
# same paths. The mounts end with the command. Needs root.
#
#   scripts/inside.sh FOLDER COMMAND [ARGUMENT...]
set -euo pipefail
[ "$(id -u)" -eq 0 ] || { echo "scripts/inside.sh mounts folders, which needs root" >&2; exit 1; }
export PATH=/usr/sbin:/sbin:$PATH
export INSIDE=$1 INSIDE_FOLDER=$PWD INSIDE_BESIDE
INSIDE_BESIDE=$(cd "$(dirname "$0")/../.." && pwd)
shift
exec unshare --mount bash -c '
    mkdir -p "$INSIDE$INSIDE_BESIDE"
    mount --bind "$INSIDE_BESIDE" "$INSIDE$INSIDE_BESIDE"
    mount --bind /tmp "$INSIDE/tmp"
    mount -t proc proc "$INSIDE/proc"
    exec chroot "$INSIDE" bash -c "cd \"\$INSIDE_FOLDER\" && exec \"\$@\"" inside "$@"
' inside "$@"
