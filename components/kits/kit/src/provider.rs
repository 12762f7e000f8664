//! Implements the exports: by the tables of an extension in Rust, or by a script that an engine runs.

use std::cmp::Ordering;

use crate::aggregate::Running;
use crate::table::{Connected, Connection};
use crate::{Arguments, Definition, Output, Result, Value, bindings, sql};

/// The implementation of the contract that the exports call. Every [`Definition`] is one.
pub trait Provider: 'static {
    /// The manifest.
    fn describe() -> bindings::types::Manifest;

    /// A connection loads the extension.
    fn connect() -> Result<()> {
        Ok(())
    }

    /// Such a connection is closed.
    fn disconnect() {}

    /// Call a scalar function or tokenizer by its index in the manifest.
    fn call(function: u32, values: &mut [Value], subtypes: &[u8]) -> Result<Output>;

    /// Start a computation of an aggregate by its index in the manifest. The name is for errors.
    fn start(function: u32) -> (&'static str, Box<dyn Running>);

    /// Compare by a collation.
    fn compare(collation: u32, left: &[u8], right: &[u8]) -> Ordering;

    /// Connect a table of a module by its index in the manifest.
    fn connect_table(module: u32, connection: Connection) -> Result<Connected>;
}

impl<T: Definition> Provider for T {
    fn describe() -> bindings::types::Manifest {
        T::manifest()
    }

    fn connect() -> Result<()> {
        T::CONNECT.map_or(Ok(()), |connect| connect())
    }

    fn disconnect() {
        if let Some(disconnect) = T::DISCONNECT {
            disconnect();
        }
    }

    fn call(function: u32, values: &mut [Value], subtypes: &[u8]) -> Result<Output> {
        if let Some(number) = function.checked_sub(sql::FIRST_REGISTERED) {
            return T::REGISTERED(number, Arguments::new("", values, subtypes));
        }
        let index = function as usize;
        match T::SCALARS.get(index) {
            Some(scalar) => scalar.call_with(values, subtypes),
            // In the manifest's list tokenizers come last.
            None => T::TOKENIZERS[index - T::SCALARS.len() - T::AGGREGATES.len()].call(values),
        }
    }

    fn start(function: u32) -> (&'static str, Box<dyn Running>) {
        // In the manifest's list aggregates come after the scalars.
        T::AGGREGATES[function as usize - T::SCALARS.len()].begin()
    }

    fn compare(collation: u32, left: &[u8], right: &[u8]) -> Ordering {
        T::COLLATIONS[collation as usize].order(left, right)
    }

    fn connect_table(module: u32, connection: Connection) -> Result<Connected> {
        (T::MODULES[module as usize].connect)(connection)
    }
}
