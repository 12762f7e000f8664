#!/bin/sh
# Installs into PREFIX (default: ~/.local), without root:
#
#   ./install.sh [PREFIX]
#   ./install.sh --remove [PREFIX]   # also as PREFIX/lib/sqlite-wasm-run/install.sh
#
# Removing leaves what the user made: the key in ~/.local/state/sqlite-wasm-run, the cache in
# ~/.cache/sqlite-wasm-run.
set -eu
# Nobody else may replace the programs, and others may run those that root installs.
umask 022
# It would make `cd` print.
unset CDPATH

fail() {
    echo "error: $*" >&2
    exit 1
}

# put FILE DIRECTORY [NAME]: replaces an existing entry, which may be a link to another file.
put() {
    mkdir -p "$2"
    rm -f "$2/${3:-${1##*/}}"
    cp "$1" "$2/${3:-${1##*/}}"
}

remove=
[ "${1-}" != --remove ] || { remove=yes && shift; }
prefix=${1-${HOME:?is not set; name a directory: ./install.sh PREFIX}/.local}
case $prefix in
-* | '') fail "usage: ./install.sh [--remove] [PREFIX]" ;;
/*) ;;
*) prefix=$PWD/$prefix ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
target=$prefix/lib/sqlite-wasm-run
if [ "$remove" ]; then
    [ -d "$target" ] || fail "$target does not exist; nothing was installed there"
    rm -f "$prefix/bin/sqlite-wasm-run" "$prefix/share/man/man1/sqlite-wasm-run.1" \
        "$prefix/share/bash-completion/completions/sqlite-wasm-run" \
        "$prefix/share/zsh/site-functions/_sqlite-wasm-run" \
        "$prefix/share/fish/vendor_completions.d/sqlite-wasm-run.fish"
    rm -rf "$target"
    exit
fi
"$here/sqlite-wasm-run" --version >/dev/null 2>&1 ||
    fail "these programs are for another processor than this one ($(uname -m)), or their file system is mounted noexec"
mkdir -p "$prefix/bin" "$prefix/lib"
# As a whole: what is there may be running.
rm -rf "$target.new"
cp -R "$here" "$target.new"
"$target.new/sqlite-wasm-run" precompile "$target.new/cli.wasm" -o "$target.new/cli.cwasm" ||
    echo "warning: the shell could not be compiled; the first start will" >&2
rm -rf "$target"
mv "$target.new" "$target"
rm -f "$prefix/bin/sqlite-wasm-run"
ln -s ../lib/sqlite-wasm-run/sqlite-wasm-run "$prefix/bin/sqlite-wasm-run"
put "$here/share/sqlite-wasm-run.1" "$prefix/share/man/man1"
put "$here/share/completion.bash" "$prefix/share/bash-completion/completions" sqlite-wasm-run
put "$here/share/completion.zsh" "$prefix/share/zsh/site-functions" _sqlite-wasm-run
put "$here/share/completion.fish" "$prefix/share/fish/vendor_completions.d" sqlite-wasm-run.fish
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "add $prefix/bin to your PATH" ;;
esac
"$prefix/bin/sqlite-wasm-run" --version
