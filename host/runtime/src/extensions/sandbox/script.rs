//! Loading a script into the instance of an engine.

use anyhow::{Context, Result, bail};
use wasmtime::Store;
use wasmtime::component::{Instance, TypedFunc};

use crate::contract::script::ENGINE_EXPORT;
use crate::contract::types::SqlError;
use crate::contract::version::CONTRACT_VERSION;
use crate::imports::data::Data;
use crate::words::shown as text;

/// `script.load`.
type Load = TypedFunc<(Vec<u8>,), (Result<(), SqlError>,)>;

/// The function of the engine that loads a script.
///
/// # Errors
///
/// When the component is not an engine.
pub fn load(store: &mut Store<Data>, instance: &Instance) -> Result<Load> {
    let interface = format!("{ENGINE_EXPORT}{CONTRACT_VERSION}");
    let interface = instance.get_export_index(&mut *store, None, &interface);
    let load = interface.and_then(|it| instance.get_export_index(&mut *store, Some(&it), "load"));
    let load = load.context("its engine does not run scripts")?;
    Ok(instance.get_typed_func(store, load)?)
}

/// Refuse an extension whose script failed.
pub fn check((answer,): (Result<(), SqlError>,)) -> Result<()> {
    match answer {
        Ok(()) => Ok(()),
        Err(failure) => bail!(text::shortened(failure.message)),
    }
}
