//! The extensions that a connection uses, and the handles that it calls them by.

use std::cell::RefCell;
use std::ffi::CStr;
use std::rc::Rc;

use super::scalar::{Function, registered};
use super::{pointers, sql::open_handles, statistics};
use crate::host::dispatch::{self, Loaded, SqlError};
use crate::sqlite::connection::{ClientData, Connection, ConnectionId};
use crate::sqlite::error::failure;

struct Attached {
    db: ConnectionId,
    extensions: RefCell<Vec<AttachedExtension>>,
}

struct AttachedExtension {
    extension: u32,
    /// The connection's own handle for it.
    handle: u32,
    name: String,
    functions: Functions,
}

/// The functions of an extension's manifest, as a connection calls them.
pub type Functions = Rc<[Rc<Function>]>;

impl ClientData for Attached {
    const NAME: &CStr = c"sqlite-wasm-extensions";
}

/// A connection's handle for an extension that it has attached, and the extension's functions.
pub fn get(db: &Connection, extension: u32) -> Option<(u32, Functions)> {
    let extensions = db.client_data::<Attached>()?.extensions.borrow();
    let attached = extensions.iter().find(|attached| attached.extension == extension)?;
    Some((attached.handle, attached.functions.clone()))
}

/// The name of the extension that a connection calls by `handle`.
pub fn name(db: &Connection, handle: u32) -> Option<String> {
    let extensions = db.client_data::<Attached>()?.extensions.borrow();
    extensions.iter().find(|attached| attached.handle == handle).map(|it| it.name.clone())
}

/// Attach an extension: the connection's handle for it.
pub fn attach(db: &Connection, loaded: &Loaded) -> Result<u32, SqlError> {
    let Loaded { extension, manifest } = loaded;
    if let Some((handle, _)) = get(db, *extension) {
        return Ok(handle);
    }
    if db.client_data::<Attached>().is_none() {
        let no_memory = |code| failure(code, "no memory is left for another extension");
        db.set_client_data(Attached { db: db.id(), extensions: RefCell::default() })
            .map_err(no_memory)?;
        registered(statistics::register(db), statistics::NAME)?;
    }
    let handle = dispatch::attach(*extension)?;
    if let Some(attached) = db.client_data::<Attached>() {
        let functions = (0..).zip(&manifest.functions);
        let functions = functions.map(|(index, it)| Rc::new(Function::new(handle, index, it)));
        attached.extensions.borrow_mut().push(AttachedExtension {
            extension: *extension,
            handle,
            name: manifest.name.clone(),
            functions: functions.collect(),
        });
    }
    Ok(handle)
}

impl Drop for Attached {
    /// SQLite closes the connection: its statements are gone, and it calls no function any more.
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
