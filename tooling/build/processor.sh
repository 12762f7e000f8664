# shellcheck shell=bash disable=SC2034 # its variables are those of the scripts that source it
# The kind of processor to build for: ARCH, else this machine's. For another one, Debian's
# cross compiler links and compiles C. Sourced by the scripts that build for it.
here=$(uname -m)
arch=${ARCH:-$here}
musl=$arch-unknown-linux-musl
gnu=$arch-unknown-linux-gnu
# What Debian calls it.
case $arch in
aarch64) debian=arm64 ;;
x86_64) debian=amd64 ;;
*) debian=$arch ;;
esac
# Whether LLVM's code of our own components is made, which takes minutes: LLVM=no does without, LLVM=shell makes only
# the shell's.
llvm=
[ "$arch" != "$here" ] || [ "${LLVM:-}" = no ] || llvm=1
# The prefix of the compiler's programs, and the directory of ours.
cross=
cross_packages="gcc-${arch/_/-}-linux-gnu libc6-dev-$debian-cross"
programs=target/release
if [ "$arch" != "$here" ]; then
    cross=$arch-linux-gnu-
    programs=target/$arch
    for system in "$musl" "$gnu"; do
        upper=${system^^}
        export "CC_${system//-/_}=${cross}gcc" "CARGO_TARGET_${upper//-/_}_LINKER=${cross}gcc"
    done
fi
