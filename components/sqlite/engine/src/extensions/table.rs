//! Virtual tables of extensions, by `dispatch.table-*`.

mod best_index;
mod cursor;
mod module;

pub use module::register;

use std::rc::Rc;

use wire::code;

use crate::extensions::scalar::Function;
use crate::host::dispatch::SqlError;
use crate::sqlite::error::failure;

/// The functions of an extension's manifest, with a connection's handle.
pub type Functions = Rc<[Rc<Function>]>;

/// The extension of a table.
pub struct Extension {
    pub handle: u32,
    pub name: String,
    /// Columns, and arguments of overloads, can be pointers.
    pub has_pointers: bool,
    /// The functions of the manifest, with which tables can overload functions.
    pub functions: Functions,
}

impl Extension {
    /// The error for a violation of the contract.
    pub fn broke(&self, what: &str) -> SqlError {
        let message = format!("the extension `{}` broke the contract: {what}", self.name);
        failure(code::ERROR, &message)
    }
}
