//! The extensions that a connection uses, and its handles for them.

use std::cell::RefCell;
use std::ffi::CStr;

use super::pointers;
use crate::host::dispatch::{self, SqlError};
use crate::operations::open_handles;
use crate::sqlite::connection::{ClientData, Connection, ConnectionId};
use crate::sqlite::error::failure;

struct Attached {
    db: ConnectionId,
    extensions: RefCell<Vec<AttachedExtension>>,
}

struct AttachedExtension {
    extension: u32,
    /// The connection's handle.
    handle: u32,
    name: String,
}

impl ClientData for Attached {
    const NAME: &CStr = c"sqlite-wasm-extensions";
}

/// A connection's handle for an extension that it has attached.
pub fn handle(db: &Connection, extension: u32) -> Option<u32> {
    let extensions = db.client_data::<Attached>()?.extensions.borrow();
    extensions.iter().find(|attached| attached.extension == extension).map(|it| it.handle)
}

/// The name of the extension behind the connection's `handle`.
pub fn name(db: &Connection, handle: u32) -> Option<String> {
    let extensions = db.client_data::<Attached>()?.extensions.borrow();
    extensions.iter().find(|attached| attached.handle == handle).map(|it| it.name.clone())
}

/// Attach the extension `name`. Returns the connection's handle for it.
pub fn attach(db: &Connection, extension: u32, name: &str) -> Result<u32, SqlError> {
    if let Some(handle) = handle(db, extension) {
        return Ok(handle);
    }
    if db.client_data::<Attached>().is_none() {
        let no_memory = |code| failure(code, "no memory is left for another extension");
        db.set_client_data(Attached { db: db.id(), extensions: RefCell::default() })
            .map_err(no_memory)?;
    }
    let handle = dispatch::attach(extension)?;
    if let Some(attached) = db.client_data::<Attached>() {
        let name = name.to_owned();
        attached.extensions.borrow_mut().push(AttachedExtension { extension, handle, name });
    }
    Ok(handle)
}

impl Drop for Attached {
    /// SQLite closes the connection: its statements are finalized, and no function is called any
    /// more.
    fn drop(&mut self) {
        for AttachedExtension { extension, handle, .. } in self.extensions.take() {
            // The host reports a trap; SQLite closes the connection in any case.
            let _ = dispatch::disconnect(handle);
            open_handles::forget(self.db, handle);
            if handle != extension {
                pointers::take(handle);
            }
        }
    }
}
