//! All that depends on the inside of wasmtime 48.0.8 and Cranelift 0.135.8.
//!
//! - `layout`: where an instance has what code reads. wasmtime-environ computes it, so a change is
//!   found by comparison, and the image is not used.
//! - `blob`: the form in which Cranelift stores a function in its cache.
//! - `trap`: the codes of traps.
//! - The calling convention `tail` (`cranelift-codegen`, `isa/x64/abi.rs`): vmctx of the callee and
//!   of the caller, then arguments as in SysV; `rbx`, `rbp` and `r12` to `r15` are kept; the callee
//!   removes arguments from the stack, in units of 16 bytes. Instances of modules do not keep `r15`
//!   or another register for wasmtime (`enable_pinned_reg` is off).
//!
//! With another version of wasmtime a test here fails. Then compare each of these with the new
//! version, write that into `VERSION` and `CRANELIFT`, and run the tests of `tooling/build/native-code`.

pub mod blob;
pub mod layout;

/// The version of wasmtime that this module was written for.
pub const VERSION: &str = "48.0.8";

/// The version of Cranelift in it.
pub const CRANELIFT: &str = "0.135.8";

/// What an engine reserves for a memory, in bytes. What inserts an image asserts that its engines do.
pub const RESERVATION_BYTES: usize = 4 << 30;

/// The guard before and behind it, in bytes.
pub const GUARD_BYTES: usize = 32 << 20;

/// The argument registers for integers of `tail` that remain after the two vmctx.
pub const INTEGER_REGISTERS: usize = 4;

/// The argument registers for floats and vectors.
pub const FLOAT_REGISTERS: usize = 8;

/// Cranelift's codes of traps, of which wasmtime makes its own (`clif_trap_to_env_trap`).
pub mod trap {
    use wasmtime_environ::Trap;

    /// wasmtime's own codes begin here (`TRAP_OFFSET`).
    const OFFSET: u8 = 3;

    /// The stack is used up.
    pub const STACK_OVERFLOW: u8 = 251;
    /// The result of a division or conversion does not fit.
    pub const INTEGER_OVERFLOW: u8 = 252;
    /// An address is outside the memory.
    pub const HEAP_OUT_OF_BOUNDS: u8 = 253;
    /// Division by zero.
    pub const DIVISION_BY_ZERO: u8 = 254;
    /// A float is not a number.
    pub const BAD_CONVERSION: u8 = 255;
    /// `unreachable`.
    pub const UNREACHABLE: u8 = Trap::UnreachableCodeReached as u8 + OFFSET;
    /// The table is shorter.
    pub const TABLE_OUT_OF_BOUNDS: u8 = Trap::TableOutOfBounds as u8 + OFFSET;
    /// The slot of the table is empty.
    pub const CALL_TO_NULL: u8 = Trap::IndirectCallToNull as u8 + OFFSET;
    /// The function in the table has another type.
    pub const BAD_SIGNATURE: u8 = Trap::BadSignature as u8 + OFFSET;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wasmtime_is_the_version_that_this_is_pinned_to() {
        let lock = include_str!("../../../Cargo.lock");
        for (name, version) in [
            ("wasmtime", VERSION),
            ("wasmtime-environ", VERSION),
            ("wasmtime-internal-cranelift", VERSION),
            ("cranelift-codegen", CRANELIFT),
        ] {
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(
                lock.contains(&entry),
                "{name} is not {version}: host/native/src/pinned.rs lists what to compare"
            );
        }
    }
}
