//! What a connection gets when it loads an extension: functions, collations and modules.

use std::rc::Rc;

use super::calls::call;
use super::collation::Collation;
use super::scalar::{Function, c_name, create_function, function_flags, registered};
use super::{attached, table};
use crate::host::dispatch::{self, Loaded, SqlError};
use crate::host::extension_types::{self, Connecting, FunctionKind};
use crate::sqlite::connection::Connection;

/// Register what an extension has, and let it use the connection.
pub fn connect(db: &Connection, loaded: &Loaded) -> Result<(), SqlError> {
    let extension = attached::attach(db, loaded)?;
    register_all(db, loaded)?;
    match loaded.manifest.connects {
        Connecting::Never => Ok(()),
        Connecting::AtLoad => call(db, extension, dispatch::connect(extension)),
    }
}

/// Register what an attached extension has: of its functions those that the connection does not
/// have, since a program starts sooner if it need not register hundreds twice.
pub fn register_all(db: &Connection, loaded: &Loaded) -> Result<(), SqlError> {
    let (manifest, Some((extension, functions))) =
        (&loaded.manifest, attached::get(db, loaded.extension))
    else {
        return Ok(());
    };
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
    if function.kind == FunctionKind::Scalar {
        return create_function(db, function, called);
    }
    let name = c_name(&function.name)?;
    let is_window = function.kind == FunctionKind::Window;
    let (arguments, flags) = (function.arguments.into(), function_flags(function));
    let code = db.create_aggregate(&name, arguments, flags, is_window, called);
    registered(code, &function.name)
}
