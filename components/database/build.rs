//! Sets the size of the stack.

/// Stack in linear memory, in bytes: SQLite's depth limits are set for that of a native main
/// thread. Only the pages that are used take memory.
const STACK_BYTES: usize = 8 << 20;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-cdylib=-zstack-size={STACK_BYTES}");
}
