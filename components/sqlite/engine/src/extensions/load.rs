//! Loading: SQLite's `load_extension` opens a library by the VFS and calls its entry point. Here
//! the library is an extension, which the host loads; its entry point registers what it has.

use std::cell::RefCell;
use std::ffi::CStr;
use std::rc::Rc;

use super::calls::call;
use super::collation::Collation;
use super::scalar::{Function, c_name, create_function, function_flags, registered};
use super::table::Functions;
use super::tokenizer::Tokenizer;
use super::{attached, embedded, statistics, table};
use crate::host::dispatch::{self, Loaded, SqlError};
use crate::host::extension_types::{self, Connecting, FunctionKind};
use crate::operations::depth;
use crate::paths::{LastLink, granted};
use crate::sqlite::connection::{ClientData, Connection};
use crate::sqlite::error::failure;

/// Load an extension by its name or path.
pub fn load(name: &str) -> Result<Loaded, String> {
    if depth::is_running() {
        return Err("SQL of an extension cannot load extensions".to_owned());
    }
    let name = host_name(name)?;
    embedded::refuse(&name)?;
    let loaded = dispatch::load(&name)?;
    embedded::refuse(&loaded.manifest.name)?;
    Ok(loaded)
}

/// The name for the host: a name unchanged, a path as the file to which it leads.
fn host_name(name: &str) -> Result<String, String> {
    if !name.contains('/') {
        return Ok(name.to_owned());
    }
    // `dispatch` only takes text.
    granted(name.as_bytes(), LastLink::Follow)
        .and_then(|path| String::from_utf8(path).ok())
        .ok_or_else(|| format!("`{}` is outside the granted directories", name.escape_debug()))
}

/// What a connection has registered for extensions, by its handles for them.
#[derive(Default)]
struct Registered(RefCell<Vec<(u32, Functions)>>);

impl ClientData for Registered {
    const NAME: &CStr = c"sqlite-wasm-registered";
}

/// Register what an extension has, and let it use the connection.
pub fn connect(db: &Connection, loaded: &Loaded) -> Result<(), SqlError> {
    let extension = attached::attach(db, loaded.extension, &loaded.manifest.name)?;
    register_all(db, loaded, extension)?;
    match loaded.manifest.connects {
        Connecting::Never => Ok(()),
        Connecting::AtLoad => call(db, extension, dispatch::connect(extension)),
    }
}

/// The functions of an extension, which the connection calls by `extension`.
fn functions(db: &Connection, loaded: &Loaded, extension: u32) -> Result<Functions, SqlError> {
    if db.client_data::<Registered>().is_none() {
        let no_memory = |code| failure(code, "no memory is left for another extension");
        db.set_client_data(Registered::default()).map_err(no_memory)?;
        registered(statistics::register(db), statistics::NAME)?;
    }
    let Some(Registered(all)) = db.client_data() else { return Ok(Functions::default()) };
    let mut all = all.borrow_mut();
    if let Some((_, known)) = all.iter().find(|(handle, _)| *handle == extension) {
        return Ok(known.clone());
    }
    let indexed = (0..).zip(&loaded.manifest.functions);
    let new = indexed.map(|(index, it)| Rc::new(Function::new(extension, index, it)));
    let new: Functions = new.collect();
    all.push((extension, new.clone()));
    Ok(new)
}

/// Register what an extension has, which the connection calls by `extension`: of its functions
/// those that the connection does not have, as a program starts sooner if it need not register
/// hundreds twice.
pub fn register_all(db: &Connection, loaded: &Loaded, extension: u32) -> Result<(), SqlError> {
    let manifest = &loaded.manifest;
    let functions = functions(db, loaded, extension)?;
    for (function, called) in manifest.functions.iter().zip(&*functions) {
        // SQLite holds what it has.
        if Rc::strong_count(called) == 1 {
            register_function(db, function, called.clone())?;
        }
    }
    for (index, collation) in (0..).zip(&manifest.collations) {
        let name = c_name(&collation.name)?;
        let code =
            db.create_collation(&name, collation.encoding, Rc::new(Collation { extension, index }));
        registered(code, &collation.name)?;
    }
    let extension = Rc::new(table::Extension {
        handle: extension,
        name: manifest.name.clone(),
        has_pointers: functions.iter().any(|function| function.has_pointers),
        functions,
    });
    for (index, module) in (0..).zip(&manifest.modules) {
        let code = table::register(db, extension.clone(), index, module, &c_name(&module.name)?);
        registered(code, &module.name)?;
    }
    Ok(())
}

fn register_function(
    db: &Connection,
    function: &extension_types::Function,
    called: Rc<Function>,
) -> Result<(), SqlError> {
    let name = c_name(&function.name)?;
    let is_window = match function.kind {
        FunctionKind::Scalar => return create_function(db, function, called),
        FunctionKind::Tokenizer => {
            let code = db.create_tokenizer(&name, Tokenizer(called));
            return registered(code, &function.name);
        }
        FunctionKind::Aggregate => false,
        FunctionKind::Window => true,
    };
    let (arguments, flags) = (function.arguments.into(), function_flags(function));
    let code = db.create_aggregate(&name, arguments, flags, is_window, called);
    registered(code, &function.name)
}
