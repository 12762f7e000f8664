//! The depth of nested calls of extensions whose SQL calls extensions.

use std::cell::Cell;

use wire::code;

use crate::host::dispatch::SqlError;
use crate::sqlite::error::failure;

/// Each level takes some 20 KiB of the stack, and a waiting extension cannot be called again.
const MAX_DEPTH: u32 = 32;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether SQL of an extension is running. Such SQL cannot use capabilities that the extension
/// itself was not granted: files and other extensions.
pub fn is_running() -> bool {
    DEPTH.get() > 0
}

/// How many nested calls of extensions are running SQL.
pub fn current() -> u32 {
    DEPTH.get()
}

/// Run `requests` one level deeper.
pub fn deeper<T>(requests: impl FnOnce() -> T) -> T {
    DEPTH.set(DEPTH.get() + 1);
    let result = requests();
    DEPTH.set(DEPTH.get() - 1);
    result
}

/// Fails if SQL would be nested too deep.
pub fn check() -> Result<(), SqlError> {
    if DEPTH.get() <= MAX_DEPTH {
        return Ok(());
    }
    let message = format!("extensions call each other more than {MAX_DEPTH} deep");
    Err(failure(code::ERROR, &message))
}
