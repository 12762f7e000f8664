//! What a connection gets when it loads an extension: functions, collations and modules.

use std::rc::Rc;

use super::calls::call;
use super::collation::Collation;
use super::scalar::{Function, c_name, create_function, function_flags, registered};
use super::{attached, statistics, table};
use crate::host::dispatch::{self, Loaded, SqlError};
use crate::host::extension_types::{self, Connecting, FunctionKind};
use crate::sqlite::connection::Connection;

/// Register what an extension has, and let it use the connection.
pub fn connect(db: &Connection, loaded: &Loaded) -> Result<(), SqlError> {
    let extension = attached::attach(db, loaded.extension, &loaded.manifest.name)?;
    register_all(db, loaded, extension)?;
    match loaded.manifest.connects {
        Connecting::Never => Ok(()),
        Connecting::AtLoad => call(db, extension, dispatch::connect(extension)),
    }
}

/// Register what an extension has, which the connection calls by `extension`.
pub fn register_all(db: &Connection, loaded: &Loaded, extension: u32) -> Result<(), SqlError> {
    let manifest = &loaded.manifest;
    registered(statistics::register(db), statistics::NAME)?;
    for (index, function) in (0..).zip(&manifest.functions) {
        register_function(db, extension, index, function)?;
    }
    for (index, collation) in (0..).zip(&manifest.collations) {
        let name = c_name(&collation.name)?;
        let code =
            db.create_collation(&name, collation.encoding, Rc::new(Collation { extension, index }));
        registered(code, &collation.name)?;
    }
    let functions: Vec<_> = (0..)
        .zip(&manifest.functions)
        .map(|(index, function)| Rc::new(Function::new(extension, index, function)))
        .collect();
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

/// Register a function that the extension knows by `index`.
fn register_function(
    db: &Connection,
    extension: u32,
    index: u32,
    function: &extension_types::Function,
) -> Result<(), SqlError> {
    let called = Rc::new(Function::new(extension, index, function));
    if function.kind == FunctionKind::Scalar {
        return create_function(db, function, called);
    }
    let name = c_name(&function.name)?;
    let is_window = function.kind == FunctionKind::Window;
    let (arguments, flags) = (function.arguments.into(), function_flags(function));
    let code = db.create_aggregate(&name, arguments, flags, is_window, called);
    registered(code, &function.name)
}
