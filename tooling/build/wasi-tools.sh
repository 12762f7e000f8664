# shellcheck shell=sh disable=SC2034 # its variables are those of the scripts that source it
# Sourced by the scripts that compile C for components: which compiler this machine has for them.

oldest=16
versions="-22 -21 -20 -19 -18 -17 -$oldest"

# What all C is compiled with.
# -fno-strict-float-cast-overflow: without it clang turns the shell's check
# "does this real fit an integer" into an undefined conversion, and `.dump`
# writes 9223372036854775807.0 for 1e100.
# -U__wasi__: SQLite drops load_extension() where it is defined; the headers in
# `wasi-include` reconcile the libc with that.
FLAGS="-msimd128 -fno-strict-float-cast-overflow -U__wasi__"

fail() {
    echo "error: $*" >&2
    exit 1
}

# first_ending PROGRAM: sets `suffix`, the version at the end of the names of the newest clang and of this program.
# Fails if there is none.
first_ending() {
    for suffix in $versions ""; do
        if command -v "clang$suffix" >/dev/null && command -v "$1$suffix" >/dev/null; then
            return
        fi
    done
    return 1
}

is_new_enough() {
    MAJOR=$("$CLANG" -dumpversion 2>/dev/null | cut -d. -f1)
    [ "${MAJOR:-0}" -ge "$oldest" ]
}

# Sets CLANG, its version MAJOR, and LINKER, for extensions of users: clang and lld are all that they need.
find_linker() {
    hint="install both, in Debian called \`clang\` and \`lld\`, or set WASI_SDK_PATH"
    if [ -n "${WASI_SDK_PATH:-}" ]; then
        CLANG=$WASI_SDK_PATH/bin/clang LINKER=$WASI_SDK_PATH/bin/wasm-ld
        [ -x "$CLANG" ] && [ -x "$LINKER" ] || fail "no WASI SDK in \`$WASI_SDK_PATH\`; correct or unset WASI_SDK_PATH"
    elif first_ending wasm-ld; then
        CLANG=clang$suffix LINKER=wasm-ld$suffix
    else
        # As authors in Rust have.
        first_ending clang || fail "no \`clang\` with \`wasm-ld\`; $hint"
        CLANG=clang$suffix
        LINKER=$(rustc --print sysroot 2>/dev/null)/lib/rustlib/$(uname -m)-unknown-linux-gnu/bin/gcc-ld/wasm-ld
        [ -x "$LINKER" ] || fail "no \`wasm-ld$suffix\` for \`$CLANG\`; $hint"
    fi
    is_new_enough || fail "\`$CLANG\` is older than clang $oldest; install \`clang-$oldest\` and \`lld-$oldest\` or newer"
}

# Sets CLANG, its version MAJOR, AR and STRIP, the HEADERS of the libc, and SYSROOT, options that name them.
find_compiler() {
    if [ -n "${WASI_SDK_PATH:-}" ]; then
        CLANG=$WASI_SDK_PATH/bin/clang
        AR=$WASI_SDK_PATH/bin/llvm-ar
        STRIP=$WASI_SDK_PATH/bin/llvm-strip
        SYSROOT="--sysroot=$WASI_SDK_PATH/share/wasi-sysroot"
        HEADERS=$(printf "%s\n" "$WASI_SDK_PATH"/share/wasi-sysroot/include/wasm32-wasi* | head -n 1)
        [ -x "$CLANG" ] || fail "no WASI SDK in \`$WASI_SDK_PATH\`; correct or unset WASI_SDK_PATH"
    else
        HEADERS=/usr/include/wasm32-wasi
        [ -e "$HEADERS/stdio.h" ] ||
            fail "no WASI headers in \`$HEADERS\`; run \`make setup\` or set WASI_SDK_PATH"
        SYSROOT="--sysroot=/usr -isystem $HEADERS"
        first_ending llvm-ar || fail "no clang with llvm-ar for the components; run \`make setup\` or set WASI_SDK_PATH"
        CLANG=clang$suffix AR=llvm-ar$suffix STRIP=llvm-strip$suffix
    fi
    is_new_enough || fail "\`$CLANG\` is older than clang $oldest; run \`make setup\`"
}
