//! `sqlite-wasm:extension/sql`: an extension's statements and blobs. The
//! statements themselves are on the side of the caller, who has SQLite.

use wasmtime::component::Resource;

use super::contract::suspendable::sqlite_wasm::extension::sql;
use super::exchange::{Exchange, SQLITE_MISUSE};
use super::sandbox::Sandbox;
use crate::bindings::sqlite_wasm::host::dispatch::{
    SqlAction, SqlBlob, SqlPrepared, SqlReply, SqlStep,
};
use crate::extensions::types::{Function, SqlError, Value};

/// `SQLITE_TOOBIG` and `SQLITE_RANGE`.
const SQLITE_TOOBIG: i32 = 18;
const SQLITE_RANGE: i32 = 25;

/// Most bytes of the values that are bound and wait for the next step. The
/// extension chooses them and the host keeps them; SQLite's own limit for one
/// value is the same.
const MAX_BOUND_BYTES: usize = 1_000_000_000;

/// A prepared statement.
pub struct Statement {
    prepared: SqlPrepared,
    handle: u32,
    /// Rows were read, and the last one was not.
    is_running: bool,
    /// They go with the next step.
    bindings: Vec<(u32, Value)>,
}

/// An open blob.
pub struct Blob {
    handle: u32,
    size_bytes: u32,
    writable: bool,
    /// How it begins, as long as nothing else was asked.
    head: Vec<u8>,
    read_at: u64,
}

impl Blob {
    /// A part that is known already.
    fn known(&self, asked: u64, offset: u32, length: u32) -> Option<Vec<u8>> {
        let end = offset.checked_add(length)?;
        let part = self.head.get(offset as usize..end as usize)?;
        (asked == self.read_at).then(|| part.to_vec())
    }
}

type Answer<T> = Result<T, SqlError>;

fn misuse(message: &str) -> SqlError {
    SqlError { code: SQLITE_MISUSE, message: message.to_owned() }
}

/// The caller has answered something else than was asked.
fn mistaken() -> SqlError {
    misuse("the answer does not fit the question")
}

impl Statement {
    fn bind(&mut self, parameter: u32, value: Value) -> Answer<()> {
        if self.is_running {
            return Err(misuse("a statement is bound before it runs, or after `reset`"));
        }
        if parameter == 0 || parameter as usize > self.prepared.parameters.len() {
            let message = format!("the statement has no parameter {parameter}");
            return Err(SqlError { code: SQLITE_RANGE, message });
        }
        self.bindings.retain(|(bound, _)| *bound != parameter);
        self.bindings.push((parameter, value));
        let bytes: usize = self.bindings.iter().map(|(_, value)| size_bytes(value)).sum();
        if bytes > MAX_BOUND_BYTES {
            self.bindings.pop();
            let message = format!("more than {MAX_BOUND_BYTES} bytes are bound");
            return Err(SqlError { code: SQLITE_TOOBIG, message });
        }
        Ok(())
    }
}

fn size_bytes(value: &Value) -> usize {
    match value {
        Value::Text(bytes) | Value::Blob(bytes) => bytes.len(),
        _ => 0,
    }
}

impl Exchange {
    async fn numbers(&self, question: SqlAction) -> (i64, i64) {
        match self.ask(question).await {
            Ok(SqlReply::Number(number)) => (number, 0),
            Ok(SqlReply::Numbers(numbers)) => numbers,
            _ => (0, 0),
        }
    }

    async fn done(&self, question: SqlAction) -> Answer<()> {
        match self.ask(question).await? {
            SqlReply::Done => Ok(()),
            _ => Err(mistaken()),
        }
    }
}

impl sql::Host for Sandbox {
    async fn prepare(&mut self, text: String) -> wasmtime::Result<Answer<sql::Prepared>> {
        let prepared = match self.exchange.ask(SqlAction::Prepare(text.clone())).await {
            Ok(SqlReply::Prepared(prepared)) => prepared,
            Ok(_) => return Ok(Err(mistaken())),
            Err(error) => return Ok(Err(error)),
        };
        let tail = text.get(prepared.used as usize..).unwrap_or_default().to_owned();
        let Some(handle) = prepared.statement else {
            return Ok(Ok(sql::Prepared { statement: None, tail }));
        };
        if let Err(error) = self.exchange.keep(handle) {
            return Ok(Err(error));
        }
        let statement = Statement { prepared, handle, is_running: false, bindings: Vec::new() };
        let statement = Some(self.table.push(statement)?);
        Ok(Ok(sql::Prepared { statement, tail }))
    }

    async fn execute(&mut self, text: String) -> wasmtime::Result<Answer<()>> {
        Ok(self.exchange.done(SqlAction::Execute(text)).await)
    }

    async fn open_blob(
        &mut self,
        schema: String,
        table: String,
        column: String,
        row_id: i64,
        writable: bool,
    ) -> wasmtime::Result<Answer<Resource<Blob>>> {
        let place = SqlBlob { schema, table, column, row_id, writable };
        let opened = match self.exchange.ask(SqlAction::OpenBlob(place)).await {
            Ok(SqlReply::Blob(opened)) => opened,
            Ok(_) => return Ok(Err(mistaken())),
            Err(error) => return Ok(Err(error)),
        };
        if let Err(error) = self.exchange.keep(opened.blob) {
            return Ok(Err(error));
        }
        let (handle, size_bytes, head) = (opened.blob, opened.size, opened.head);
        let read_at = self.exchange.asked();
        Ok(Ok(self.table.push(Blob { handle, size_bytes, writable, head, read_at })?))
    }

    async fn last_insert_row_id(&mut self) -> wasmtime::Result<i64> {
        Ok(self.exchange.numbers(SqlAction::LastInsertRowId).await.0)
    }

    async fn changes(&mut self) -> wasmtime::Result<(i64, i64)> {
        Ok(self.exchange.numbers(SqlAction::Changes).await)
    }

    async fn register_function(
        &mut self,
        number: u32,
        function: Function,
    ) -> wasmtime::Result<Answer<()>> {
        if let Err(reason) = super::check::function(&function) {
            return Ok(Err(misuse(&reason.to_string())));
        }
        let named = match self.exchange.functions(|functions| functions.add(number)) {
            Ok(named) => named,
            Err(error) => return Ok(Err(error)),
        };
        Ok(self.exchange.done(SqlAction::RegisterFunction((named, function))).await)
    }
}

impl sql::HostStatement for Sandbox {
    fn bind(
        &mut self,
        statement: Resource<Statement>,
        parameter: u32,
        value: Value,
    ) -> wasmtime::Result<Answer<()>> {
        Ok(self.table.get_mut(&statement)?.bind(parameter, value))
    }

    fn parameter_index(
        &mut self,
        statement: Resource<Statement>,
        name: String,
    ) -> wasmtime::Result<u32> {
        let parameters = &self.table.get(&statement)?.prepared.parameters;
        let place = parameters.iter().position(|parameter| !name.is_empty() && *parameter == name);
        Ok(place.map_or(0, |place| place as u32 + 1))
    }

    fn parameter_name(
        &mut self,
        statement: Resource<Statement>,
        parameter: u32,
    ) -> wasmtime::Result<String> {
        let parameters = &self.table.get(&statement)?.prepared.parameters;
        let place = (parameter as usize).checked_sub(1);
        Ok(place.and_then(|place| parameters.get(place)).cloned().unwrap_or_default())
    }

    fn parameter_count(&mut self, statement: Resource<Statement>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&statement)?.prepared.parameters.len() as u32)
    }

    fn column_names(&mut self, statement: Resource<Statement>) -> wasmtime::Result<Vec<String>> {
        Ok(self.table.get(&statement)?.prepared.columns.clone())
    }

    fn is_read_only(&mut self, statement: Resource<Statement>) -> wasmtime::Result<bool> {
        Ok(self.table.get(&statement)?.prepared.read_only)
    }

    async fn step(
        &mut self,
        statement: Resource<Statement>,
        limit: u32,
    ) -> wasmtime::Result<Answer<sql::Rows>> {
        let stepped = self.table.get_mut(&statement)?;
        let bindings = std::mem::take(&mut stepped.bindings);
        let step = SqlStep { statement: stepped.handle, bindings, limit };
        stepped.is_running = true;
        let answer = self.exchange.ask(SqlAction::Step(step)).await;
        let stepped = self.table.get_mut(&statement)?;
        Ok(match answer {
            Ok(SqlReply::Rows(rows)) => {
                stepped.is_running = !rows.is_last;
                let (values, count, is_last) = (rows.values, rows.count, rows.is_last);
                Ok(sql::Rows { values, count, is_last })
            }
            Ok(_) => Err(mistaken()),
            Err(error) => {
                // The caller has reset it.
                stepped.is_running = false;
                Err(error)
            }
        })
    }

    fn reset(&mut self, statement: Resource<Statement>) -> wasmtime::Result<()> {
        let statement = self.table.get_mut(&statement)?;
        if std::mem::take(&mut statement.is_running) {
            self.exchange.reset(statement.handle);
        }
        Ok(())
    }

    fn drop(&mut self, statement: Resource<Statement>) -> wasmtime::Result<()> {
        self.exchange.close(self.table.delete(statement)?.handle);
        Ok(())
    }
}

impl sql::HostBlob for Sandbox {
    fn size(&mut self, blob: Resource<Blob>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&blob)?.size_bytes)
    }

    async fn read(
        &mut self,
        blob: Resource<Blob>,
        offset: u32,
        length: u32,
    ) -> wasmtime::Result<Answer<Vec<u8>>> {
        let read = self.table.get(&blob)?;
        if let Some(known) = read.known(self.exchange.asked(), offset, length) {
            return Ok(Ok(known));
        }
        let handle = read.handle;
        Ok(match self.exchange.ask(SqlAction::ReadBlob((handle, offset, length))).await {
            Ok(SqlReply::Bytes(bytes)) if bytes.len() == length as usize => Ok(bytes),
            Ok(_) => Err(mistaken()),
            Err(error) => Err(error),
        })
    }

    async fn write(
        &mut self,
        blob: Resource<Blob>,
        offset: u32,
        data: Vec<u8>,
    ) -> wasmtime::Result<Answer<()>> {
        let Blob { handle, size_bytes, writable, .. } = *self.table.get(&blob)?;
        let end = u64::from(offset) + data.len() as u64;
        // What cannot be is refused at once.
        if !writable || end > size_bytes.into() {
            return Ok(self.exchange.done(SqlAction::WriteBlob((handle, offset, data))).await);
        }
        Ok(self.exchange.write(handle, offset, data).await)
    }

    async fn reopen(&mut self, blob: Resource<Blob>, row_id: i64) -> wasmtime::Result<Answer<()>> {
        let handle = self.table.get(&blob)?.handle;
        let answer = self.exchange.ask(SqlAction::ReopenBlob((handle, row_id))).await;
        let reopened = self.table.get_mut(&blob)?;
        Ok(match answer {
            Ok(SqlReply::Blob(opened)) => {
                reopened.size_bytes = opened.size;
                reopened.head = opened.head;
                reopened.read_at = self.exchange.asked();
                Ok(())
            }
            Ok(_) => Err(mistaken()),
            Err(error) => Err(error),
        })
    }

    fn drop(&mut self, blob: Resource<Blob>) -> wasmtime::Result<()> {
        self.exchange.close(self.table.delete(blob)?.handle);
        Ok(())
    }
}
