//! Starting an instance: instantiated, with its script if it is an engine, and with its exports found.

use anyhow::{Result, anyhow};
use wasmtime::Store;

use super::instance::Started;
use super::suspended::at_once;
use super::trap::Shared;
use super::{Code, exports, script};
use crate::extensions::Limits;
use crate::imports::data::Data;
use crate::limits::address_space::{self, NoAddressSpace};
use crate::words::shown as text;

/// Start an instance whose calls are complete when they return.
///
/// # Errors
///
/// When it does not start, or its script fails.
pub fn direct(
    code: &Code,
    mut store: Store<Data>,
    is_lost: bool,
    (shared, limits): (&Shared, &Limits),
) -> Result<Started<exports::direct::Exports>> {
    let instance = code.pre.instantiate(&mut store).map_err(not_started)?;
    if let Some(script) = &code.script {
        let load = script::load(&mut store, &instance)?;
        let answer = load.call(&mut store, (script.source.clone(),));
        script::check(answer.map_err(|trap| anyhow!(shared.message(&trap, limits)))?)?;
    }
    let exports =
        exports::direct::Exports::find(&code.pre, &mut store, &instance).map_err(other_type)?;
    Ok(Started { store, exports, is_lost, is_connected: false })
}

/// Start an instance whose calls may be suspended.
///
/// # Errors
///
/// As [`direct`].
pub fn suspendable(
    code: &Code,
    mut store: Store<Data>,
    is_lost: bool,
    (shared, limits): (&Shared, &Limits),
) -> Result<Started<exports::suspendable::Exports>> {
    let instance = at_once(code.pre.instantiate_async(&mut store)).map_err(not_started)?;
    if let Some(script) = &code.script {
        let load = script::load(&mut store, &instance)?;
        let answer = at_once(load.call_async(&mut store, (script.source.clone(),)));
        script::check(answer.map_err(|trap| anyhow!(shared.message(&trap, limits)))?)?;
    }
    let exports = exports::suspendable::Exports::find(&code.pre, &mut store, &instance)
        .map_err(other_type)?;
    Ok(Started { store, exports, is_lost, is_connected: false })
}

/// Why an instance could not be started.
fn not_started(error: wasmtime::Error) -> anyhow::Error {
    if address_space::is_missing(&error) { anyhow!(NoAddressSpace) } else { error.into() }
}

/// A function is missing, or has another type.
fn other_type(error: wasmtime::Error) -> anyhow::Error {
    let cause = text::one_line(&error.root_cause().to_string());
    anyhow!("its exports do not have the types of the contract: {cause}; build it again")
}
