//! SQLite's objects by their addresses in the sandbox.
//!
//! A program is trusted as much as this component: the sandbox is its own, and protects it from what
//! happens here. So only operations of programs come here (`wire::Group::is_open_to`), with addresses
//! that they got from here.

use std::mem::ManuallyDrop;
use std::ptr::{NonNull, with_exposed_provenance_mut};

use super::blob::Blob;
use super::statement::Statement;

/// The address of a statement that from now on belongs to the program.
pub fn of_statement(statement: Statement) -> u32 {
    ManuallyDrop::new(statement).as_ptr().expose_provenance() as u32
}

/// The same for a blob.
pub fn of_blob(blob: Blob) -> u32 {
    ManuallyDrop::new(blob).as_ptr().expose_provenance() as u32
}

/// The statement at an address; `None` for 0. It stays the program's.
#[inline]
pub fn statement(address: u32) -> Option<ManuallyDrop<Statement>> {
    let statement = NonNull::new(with_exposed_provenance_mut(address as usize))?;
    // SAFETY: the program's address, until the program closes it.
    Some(unsafe { Statement::from_ptr(statement) })
}

/// The same for a blob.
pub fn blob(address: u32) -> Option<ManuallyDrop<Blob>> {
    let blob = NonNull::new(with_exposed_provenance_mut(address as usize))?;
    // SAFETY: as above.
    Some(unsafe { Blob::from_ptr(blob) })
}
