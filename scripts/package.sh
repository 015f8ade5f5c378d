#!/usr/bin/env bash
# Makes the packages of this version in target/packages, on one Linux machine (Debian or Ubuntu), and checks them.
#
#   scripts/package.sh deb|rpm|tarball|static|windows|blender|materials...   makes these; macos on macOS
#   scripts/package.sh all                                                   makes all of them, and SHA256SUMS
#   scripts/package.sh check                                                 unpacks each that is there into an empty folder and plays the commands of the README and of the first tutorial there;
#                                                                            installs the .deb in a bare Debian, plays the one for Windows in wine, and opens the windows of both
#
# deb, rpm and tarball hold one program, for glibc 2.28 and later. static is the command line alone, for any Linux. The tools come from crates.io and PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/windows.sh

ZIGBUILD=0.24.1
DEB=3.8.0
RPM=0.21.1
SBOM=0.5.9
ZIG=0.14.1
MATURIN=1.16.0
GLIBC=2.28
GNU=x86_64-unknown-linux-gnu
MUSL=x86_64-unknown-linux-musl

version=$(cargo metadata --locked --no-deps --format-version 1 | python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "posepress"))')
target=$PWD/target
packages=$target/packages
tools=$target/package-tools
stage=$target/package-stage
export PATH=$tools/bin:$PATH
# The commit that `posepress --version --json` states.
POSEPRESS_COMMIT=$(git rev-parse HEAD 2>/dev/null || true)
if [ -n "$POSEPRESS_COMMIT" ]; then export POSEPRESS_COMMIT; else unset POSEPRESS_COMMIT; fi

step() { printf '\n== %s\n' "$*"; "$@"; }

# tool CRATE VERSION: a cargo command of that version, for packages alone.
tool() {
    "$tools/bin/$1" --version 2>/dev/null | grep -q " $2\$" && return
    CARGO_TARGET_DIR=$tools/build step cargo install --quiet --locked --root "$tools" "$1@$2"
}

# zig: the C compiler that links against an older glibc, and against musl.
zig() {
    tool cargo-zigbuild "$ZIGBUILD"
    [ -x "$tools/python/bin/python3" ] || { install_missing python3-venv; step python3 -m venv "$tools/python"; }
    step "$tools/python/bin/pip" install --quiet "ziglang==$ZIG"
    # cargo-zigbuild asks the first Python for zig.
    export PATH=$tools/python/bin:$PATH
    step rustup target add "$1"
}

# Manual pages, completions and the texts that every package holds.
texts() {
    rm -rf "$stage"
    mkdir -p "$stage/man" "$stage/completions"
    "$1" generate man --output "$stage/man"
    "$1" generate completions --output "$stage/completions"
    "$1" generate skill --output "$stage"
    gzip --no-name --best "$stage"/man/*
    printf 'posepress (%s) unstable; urgency=medium\n\n  * Changes are listed in CHANGELOG.md.\n\n -- Posepress <posepress@users.noreply.github.com>  %s\n' \
        "$version" "$(git log -1 --format=%cD)" > "$stage/changelog"
    cp LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md src/app/assets/third-party-notices.txt "$stage"
}

# The module that pages of reports carry.
decoder() {
    export POSEPRESS_WEB_MODULE=$target/web/decoder.wasm
    CARGO_TARGET_DIR=$target step scripts/web.sh --decoder
}

# The window, against the oldest glibc that is promised.
window() {
    zig "$GNU"
    decoder
    step cargo zigbuild --locked --profile dist --target "$GNU.$GLIBC"
    texts "$target/$GNU/dist/posepress"
}

deb() {
    window
    tool cargo-deb "$DEB"
    step cargo deb --locked --no-build --no-strip --profile dist --target "$GNU" --output "$packages/"
}

rpm() {
    window
    tool cargo-generate-rpm "$RPM"
    step cargo generate-rpm --profile dist --target "$GNU" --output "$packages/"
}

# archive NAME PROGRAM: the program with the texts and what a desktop needs, in one folder.
archive() {
    local folder=$stage/$1
    mkdir -p "$folder"
    cp "$2" "$folder/posepress"
    cp -r "$stage"/{LICENSE-MIT,LICENSE-APACHE,README.md,CHANGELOG.md,SKILL.md,third-party-notices.txt,man,completions} "$folder"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -C "$stage" -cJf "$packages/$1.tar.xz" "$1"
}

tarball() {
    window
    archive "posepress-$version-x86_64-linux" "$target/$GNU/dist/posepress"
}

static() {
    zig "$MUSL"
    decoder
    step cargo zigbuild --locked --profile dist --no-default-features --features mcp,usd --target "$MUSL"
    texts "$target/$MUSL/dist/posepress"
    archive "posepress-cli-$version-x86_64-linux-static" "$target/$MUSL/dist/posepress"
}

windows() {
    install_missing zip
    decoder
    step for_windows cargo build --locked --profile dist --target "$WINDOWS"
    local folder=$stage/posepress-$version-x86_64-windows
    rm -rf "$folder" && mkdir -p "$folder"
    cp "$target/$WINDOWS/dist/posepress.exe" LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md src/app/assets/third-party-notices.txt "$folder"
    (cd "$stage" && rm -f "$packages/$(basename "$folder").zip" && zip -qrX "$packages/$(basename "$folder").zip" "$(basename "$folder")")
}

# The bundle for macOS, for both of its processors. It needs the tools of macOS.
macos() {
    local app=$target/package-stage/Posepress.app icons=$target/package-stage/posepress.iconset triples=(aarch64-apple-darwin x86_64-apple-darwin) programs=() triple size
    step rustup target add "${triples[@]}"
    decoder
    for triple in "${triples[@]}"; do
        step cargo build --locked --profile dist --target "$triple"
        programs+=("$target/$triple/dist/posepress")
    done
    rm -rf "$app" "$icons"
    mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources" "$icons"
    step lipo -create -output "$app/Contents/MacOS/posepress" "${programs[@]}"
    sed "s/@VERSION@/$version/" packaging/Info.plist > "$app/Contents/Info.plist"
    for size in 16 32 128 256 512; do
        cp "packaging/icons/posepress-$size.png" "$icons/icon_${size}x$size.png"
    done
    step iconutil --convert icns --output "$app/Contents/Resources/posepress.icns" "$icons"
    cp LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md src/app/assets/third-party-notices.txt "$app/Contents/Resources"
    # Without a certificate: the signature that processors of Apple ask of every program.
    step codesign --force --sign "${POSEPRESS_CERTIFICATE:--}" "$app"
    step ditto -c -k --keepParent "$app" "$packages/posepress-$version-macos.zip"
}

# The Blender extension with the wheel of this system inside. POSEPRESS_WHEELS names wheels of several systems instead.
blender() {
    local wheels=${POSEPRESS_WHEELS:-} folder=$target/package-wheels
    if [ -z "$wheels" ]; then
        zig "$GNU"
        step "$tools/python/bin/pip" install --quiet "maturin==$MATURIN"
        rm -rf "$folder"
        decoder
        step "$tools/python/bin/maturin" build --quiet --release --locked --zig --compatibility "manylinux_${GLIBC/./_}" --target "$GNU" \
            -m src/python/Cargo.toml -i "$tools/python/bin/python3" --out "$folder"
        wheels=$(echo "$folder"/*.whl)
    fi
    # shellcheck disable=SC2086 # one word per wheel
    step python3 scripts/blender_zip.py "$version" "$packages/posepress-blender-$version.zip" $wheels
    step python3 scripts/blender_zip.py --check "$packages/posepress-blender-$version.zip"
}

# The bill of materials of the program, as CycloneDX.
materials() {
    tool cargo-cyclonedx "$SBOM"
    # It writes one beside each manifest; that of the program has all that the others have.
    local name=posepress-$version
    step cargo cyclonedx --quiet --format json --override-filename "$name"
    mv "$name.json" "$packages/$name.cdx.json"
    rm -f src/*/"$name.json"
}

all() {
    # Not joined by &&, which would let a failed step inside one of them pass.
    deb
    rpm
    tarball
    static
    windows
    blender
    materials
    (cd "$packages" && sha256sum -- * > SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
}

# The commands of the README and of the first tutorial of the command line.
first_commands() {
    awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside && /^posepress /' README.md docs/book/src/tutorial/first-build-machine.md
}

# play PROGRAM...: the first commands, in an empty folder and without this checkout's environment. Status 3 is a gate that is not met.
play() {
    local home line status commands program=("$@")
    home=$(mktemp -d)
    mkdir "$home/assets"
    cp src/app/assets/sample.glb "$home"
    cp src/app/assets/sample.glb "$home/assets"
    awk '/^```toml/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/book/src/tutorial/first-build-machine.md > "$home/recipe.toml"
    commands=$(first_commands)
    (
        cd "$home"
        posepress() { env -i HOME="$home" PATH=/usr/bin:/bin "${program[@]}" "$@"; }
        posepress --version --json
        while IFS= read -r line <&3; do
            status=0
            eval "$line" > last.txt 2> last-messages.txt || status=$?
            case $status in
                0 | 3) ;;
                *) echo "$line: status $status" >&2; cat last-messages.txt >&2; exit 1 ;;
            esac
        done 3<<< "$commands"
        sha256sum sample.posepress | tee -a "$target/package-sums"
    )
    rm -rf "$home"
}

# opens NAME PROGRAM...: its window opens on a display in memory. The picture of it is kept.
opens() {
    install_missing xvfb xauth xdotool imagemagick mesa-vulkan-drivers
    local picture=$target/package-windows/$1.png
    shift
    mkdir -p "${picture%/*}"
    PICTURE=$picture xvfb-run --auto-servernum --server-args='-screen 0 1280x800x24' bash -c '
        "$@" src/app/assets/sample.glb &
        for _ in $(seq 120); do
            sleep 1
            xdotool search --name "^Posepress" > /dev/null 2>&1 && opened=yes && break
        done
        sleep 30
        import -window root "$PICTURE"
        kill $!
        # A window that draws nothing has few colours.
        [ -n "${opened:-}" ] && [ "$(identify -format %k "$PICTURE")" -gt 500 ]
    ' opens "$@"
    echo "its window: $picture"
}

# installed PACKAGE: a .deb in a Debian 12 that has only its base system. What it recommends is for the window. Nothing is left when it goes.
installed() {
    local bare=$target/bare recommended
    local inside=("$PWD/scripts/inside.sh" "$bare")
    debian "$bare" bookworm
    "${inside[@]}" apt-get -qq update
    "${inside[@]}" apt-get -qq install -y --no-install-recommends "$1" > "$bare.log"
    play "${inside[@]}" posepress
    recommended=$("${inside[@]}" dpkg-query --show --showformat='${Recommends}' posepress | tr -d ,)
    # shellcheck disable=SC2086 # one word per package
    "${inside[@]}" apt-get -qq install -y --no-install-recommends $recommended >> "$bare.log"
    opens deb "${inside[@]}" posepress
    "${inside[@]}" apt-get -qq purge -y posepress >> "$bare.log"
    [ -z "$(find "$bare"/{usr,etc} -iname '*posepress*')" ]
}

# unpack PACKAGE FOLDER: prints the program in it.
unpack() {
    case "$1" in
        *.deb) dpkg-deb -x "$1" "$2" ;;
        *.rpm) rpm2cpio "$1" | (cd "$2" && cpio -id --quiet) ;;
        *.tar.xz) tar -C "$2" -xf "$1" ;;
        *.zip) unzip -q "$1" -d "$2" ;;
    esac
    find "$2" -type f \( -name posepress.exe -o -name posepress -perm /u+x \)
}

check() {
    install_missing rpm2cpio cpio unzip
    local folder package program
    rm -f "$target/package-sums"
    for package in "$packages"/*.{deb,rpm,tar.xz,zip}; do
        [ -e "$package" ] || continue
        printf '\n== %s\n' "${package##*/}"
        case "$package" in
            *-blender-*) python3 scripts/blender_zip.py --check "$package"; continue ;;
        esac
        folder=$(mktemp -d)
        program=$(unpack "$package" "$folder")
        case "$program" in
            "") echo "no program in it" >&2; exit 1 ;;
            *.exe)
                play "$PWD/scripts/wine.sh" "$program"
                opens windows "$PWD/scripts/wine.sh" "$program"
                ;;
            *) play "$program" ;;
        esac
        case "$package" in
            *.deb) installed "$package" ;;
        esac
        rm -rf "$folder"
    done
    [ "$(sort -u "$target/package-sums" | wc -l)" -eq 1 ] || { echo "the packages write different bytes" >&2; exit 1; }
}

[ $# -gt 0 ] || { sed -n 2,9p "$0"; exit 2; }
mkdir -p "$packages"
for what in "$@"; do
    case "$what" in
        deb | rpm | tarball | static | windows | macos | blender | materials | all | check) "$what" ;;
        *) echo "unknown package '$what'; there are deb, rpm, tarball, static, windows, macos, blender, materials, all and check" >&2; exit 2 ;;
    esac
done
