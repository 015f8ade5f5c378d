# Sourced by the other scripts: builds for Windows on Linux.

WINDOWS=x86_64-pc-windows-gnu

# for_windows COMMAND...: with the compilers for Windows, and with wine for what cargo runs.
for_windows() {
    install_missing gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix
    rustup target add "$WINDOWS"
    # The runtime of C++ inside: the program needs no DLL that Windows does not have.
    RUSTFLAGS="-C link-arg=-static" CC_x86_64_pc_windows_gnu=x86_64-w64-mingw32-gcc-posix CXX_x86_64_pc_windows_gnu=x86_64-w64-mingw32-g++-posix \
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc-posix CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$PWD/scripts/wine.sh "$@"
}
