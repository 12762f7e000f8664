//! Starting an instance: instantiated, with its script if it is an engine, and with its exports found.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use anyhow::{Result, anyhow};
use wasmtime::Store;

use super::trap::Shared;
use super::{Code, exports, script};
use crate::contract::types::SqlError;
use crate::extensions::Limits;
use crate::imports::data::Data;
use crate::limits::address_space::{self, NoAddressSpace};
use crate::words::shown as text;

pub type Answer<T> = Result<T, SqlError>;

/// A store, with the exports of its instance.
pub struct Started<E> {
    pub store: Store<Data>,
    pub exports: E,
    /// It replaces an instance that was connected and trapped: the next call connects it first.
    pub is_lost: bool,
    /// Its `connect` was called.
    pub is_connected: bool,
}

impl Started<exports::direct::Exports> {
    pub fn connect(&mut self) -> wasmtime::Result<Answer<()>> {
        let answer = self.exports.extension()?.call_connect(&mut self.store)?;
        self.is_connected = answer.is_ok();
        Ok(answer)
    }
}

impl Started<exports::suspendable::Exports> {
    pub async fn connect(&mut self) -> wasmtime::Result<Answer<()>> {
        let answer = self.exports.extension()?.call_connect(&mut self.store).await?;
        self.is_connected = answer.is_ok();
        Ok(answer)
    }

    /// Connect it if it replaces one that trapped.
    pub async fn reconnect(&mut self) -> wasmtime::Result<Answer<()>> {
        if self.is_lost && !self.is_connected { self.connect().await } else { Ok(Ok(())) }
    }
}

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

/// The error of a call that waits although nothing answers it.
pub fn waits_for_nothing() -> wasmtime::Error {
    wasmtime::format_err!("it waits where there is nothing to wait for")
}

/// The result of a call that cannot be suspended.
pub fn at_once<T>(call: impl Future<Output = wasmtime::Result<T>>) -> wasmtime::Result<T> {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(waits_for_nothing()),
    }
}
