# shellcheck shell=sh disable=SC2034 # its variables are those of the scripts that source it
# Sourced by `wasi-clang` and `wasi-ar`: which compiler this machine has for
# the components. Sets CLANG, AR, MAJOR and SYSROOT.

oldest=16
headers=/usr/include/wasm32-wasi

fail() {
    echo "error: $*" >&2
    exit 1
}

major_of() {
    "$1" -dumpversion 2>/dev/null | cut -d. -f1
}

if [ -n "${WASI_SDK_PATH:-}" ]; then
    CLANG=$WASI_SDK_PATH/bin/clang
    AR=$WASI_SDK_PATH/bin/llvm-ar
    SYSROOT="--sysroot=$WASI_SDK_PATH/share/wasi-sysroot"
    [ -x "$CLANG" ] || fail "no WASI SDK in \`$WASI_SDK_PATH\`; correct or unset WASI_SDK_PATH"
else
    [ -e "$headers/stdio.h" ] ||
        fail "no WASI headers in \`$headers\`; run \`make setup\` or set WASI_SDK_PATH"
    SYSROOT="--sysroot=/usr -isystem $headers"
    for suffix in -22 -21 -20 -19 -18 -17 -$oldest ""; do
        if command -v "clang$suffix" "llvm-ar$suffix" >/dev/null; then
            CLANG=clang$suffix
            AR=llvm-ar$suffix
            break
        fi
    done
    [ -n "${CLANG:-}" ] ||
        fail "no clang with llvm-ar for the components; run \`make setup\` or set WASI_SDK_PATH"
fi
MAJOR=$(major_of "$CLANG")
[ "${MAJOR:-0}" -ge "$oldest" ] || fail "\`$CLANG\` is older than clang $oldest; run \`make setup\`"
