#!/bin/sh
# Installs into PREFIX (default: ~/.local), without root:
#
#   ./install.sh [PREFIX]
#
# `rm -r PREFIX/lib/sqlite-wasm-run PREFIX/bin/sqlite-wasm-run` removes it.
set -eu
prefix=${1:-$HOME/.local}
here=$(cd "$(dirname "$0")" && pwd)
target=$prefix/lib/sqlite-wasm-run
"$here/sqlite-wasm-run" --version >/dev/null 2>&1 || {
    echo "error: these programs are for another processor than this one ($(uname -m)), or their file system is mounted noexec" >&2
    exit 1
}
mkdir -p "$prefix/bin" "$prefix/lib" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
    "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
# As a whole: what is there may be running.
rm -rf "$target.new"
cp -R "$here" "$target.new"
rm -f "$target.new/install.sh"
"$target.new/sqlite-wasm-run" precompile "$target.new/cli.wasm" -o "$target.new/cli.cwasm"
rm -rf "$target"
mv "$target.new" "$target"
ln -sf ../lib/sqlite-wasm-run/sqlite-wasm-run "$prefix/bin/sqlite-wasm-run"
cp "$here/share/sqlite-wasm-run.1" "$prefix/share/man/man1/"
cp "$here/share/completion.bash" "$prefix/share/bash-completion/completions/sqlite-wasm-run"
cp "$here/share/completion.zsh" "$prefix/share/zsh/site-functions/_sqlite-wasm-run"
cp "$here/share/completion.fish" "$prefix/share/fish/vendor_completions.d/sqlite-wasm-run.fish"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "add $prefix/bin to your PATH" ;;
esac
"$prefix/bin/sqlite-wasm-run" --version
