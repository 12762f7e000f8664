//! `sqlite-wasm:extension/sql-work`: the SQL of an extension. SQLite, with the extension's statements
//! and blobs, is on the side of the caller.

mod channel;

use wire::code;

use super::Sandbox;
use super::exports::suspendable::sqlite_wasm::extension::sql_work;
use crate::contract::types::{Function, SqlError};

pub use channel::Channel;

type Answer<T> = Result<T, SqlError>;

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
