//! `sqlite-wasm:extension/sql-work`: the SQL of an extension. SQLite, with the extension's statements
//! and blobs, is on the side of the caller.

mod channel;

use wasmtime::component::Linker;
use wire::code;

use super::Sandbox;
use super::exports::suspendable::sqlite_wasm::extension::sql_work;
use crate::contract::types::{Function, SqlError};
use crate::contract::version::{CONTRACT_VERSION, SQL_IMPORT};
use crate::imports::data::Data;

pub use channel::Channel;

type Answer<T> = Result<T, SqlError>;

/// Refuse all SQL: for engines whose script does not need any.
///
/// # Errors
///
/// When the linker has the interface already.
pub fn refuse(linker: &mut Linker<Data>) -> wasmtime::Result<()> {
    let mut interface = linker.instance(&format!("{SQL_IMPORT}{CONTRACT_VERSION}"))?;
    interface.func_wrap("perform", |_, (_,): (Vec<u8>,)| Ok((refused::<Vec<u8>>(),)))?;
    interface.func_wrap("perform-later", |_, (_,): (Vec<u8>,)| Ok((refused::<()>(),)))?;
    interface.func_wrap("register-function", |_, _: (u32, Function)| Ok((refused::<()>(),)))
}

fn refused<T>() -> Answer<T> {
    let message = "it uses SQL and does not say that it needs it".to_owned();
    Err(SqlError { code: code::MISUSE, message })
}

impl sql_work::Host for Sandbox {
    async fn perform(&mut self, operations: Vec<u8>) -> wasmtime::Result<Answer<Vec<u8>>> {
        Ok(self.channel.request(operations.into()).await)
    }

    fn perform_later(&mut self, operations: Vec<u8>) -> wasmtime::Result<Answer<()>> {
        Ok(self.channel.later(operations.into()))
    }

    async fn register_function(
        &mut self,
        id: u32,
        function: Function,
    ) -> wasmtime::Result<Answer<()>> {
        if let Err(reason) = crate::contract::check::function(&function) {
            return Ok(Err(SqlError { code: code::MISUSE, message: reason.to_string() }));
        }
        let handle = match self.channel.functions(|functions| functions.register(id, &function)) {
            Ok(handle) => handle,
            Err(error) => return Ok(Err(error)),
        };
        Ok(self.channel.register(handle, function).await)
    }
}
