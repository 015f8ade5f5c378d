# Sourced by the other scripts: installs what is not there yet, and nothing else.

# install_missing PACKAGE...
install_missing() {
    local missing=() package sudo=()
    command -v dpkg-query >/dev/null || { echo "no dpkg here: please see to these yourself: $*" >&2; return 0; }
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    echo "installing ${missing[*]}" >&2
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# debian FOLDER SUITE [PACKAGE,...]: the base system of Debian in a folder, with these packages. scripts/inside.sh runs commands there.
debian() {
    [ -e "$1.made" ] && return
    install_missing debootstrap
    rm -rf "$1"
    PATH=/usr/sbin:/sbin:$PATH debootstrap --variant=minbase ${3:+--include="$3"} "$2" "$1" > "$1.log"
    touch "$1.made"
}
