//! `sqlite-wasm:extension/sql`: an extension's statements and blobs. SQLite, and so the statements
//! themselves, are on the side of the caller.

mod channel;

use std::borrow::Cow;

use wasmtime::component::Resource;
use wire::{Opened, Operations, Prepared, Reader};

use super::Sandbox;
use super::exports::suspendable::sqlite_wasm::extension::{sql, sql_work};
use crate::contract::types::{Function, SqlError, Value};

pub use channel::{Channel, SQLITE_MISUSE};

/// `SQLITE_TOOBIG` and `SQLITE_RANGE`.
const SQLITE_TOOBIG: i32 = 18;
const SQLITE_RANGE: i32 = 25;

/// Most bytes of bound values that wait for the next step, in all statements of an instance. The
/// extension chooses the values and the host keeps them; one call passes at most 128 million bytes
/// by default.
const MAX_BOUND_BYTES: usize = 256 << 20;

/// A prepared statement.
pub struct Statement {
    handle: u32,
    is_read_only: bool,
    parameter_count: u32,
    /// The reply to `prepare`. The names in it are decoded only when they are needed, which is
    /// rare.
    reply: Vec<u8>,
    /// Some rows were read, but not the last one.
    is_running: bool,
    /// Sent with the next step.
    bindings: Vec<(u32, Value)>,
}

/// An open blob.
pub struct Blob {
    handle: u32,
    size_bytes: u32,
    writable: bool,
    /// The first bytes, valid until the next request.
    head: Vec<u8>,
    read_at: u64,
}

impl Blob {
    /// A part of the blob that is already in memory.
    fn known(&self, requests: u64, offset: u32, length: u32) -> Option<Vec<u8>> {
        let end = offset.checked_add(length)?;
        let part = self.head.get(offset as usize..end as usize)?;
        (requests == self.read_at).then(|| part.to_vec())
    }
}

type Answer<T> = Result<T, SqlError>;

fn misuse(message: &str) -> SqlError {
    SqlError { code: SQLITE_MISUSE, message: message.to_owned() }
}

/// The caller's reply does not match the request.
fn mistaken() -> SqlError {
    misuse("the reply does not fit the request")
}

impl From<wire::Error> for SqlError {
    fn from(_: wire::Error) -> Self {
        mistaken()
    }
}

fn operations() -> Operations {
    Operations::default()
}

impl Statement {
    /// Bind a value, which is sent with the next step, unless all such values exceed `room` bytes.
    fn bind(&mut self, parameter: u32, value: Value, room: usize) -> Answer<()> {
        if self.is_running {
            return Err(misuse("a statement is bound before it runs, or after `reset`"));
        }
        if parameter == 0 || parameter > self.parameter_count {
            let message = format!("the statement has no parameter {parameter}");
            return Err(SqlError { code: SQLITE_RANGE, message });
        }
        self.bindings.retain(|(bound, _)| *bound != parameter);
        self.bindings.push((parameter, value));
        if self.bound_bytes() > room {
            self.bindings.pop();
            let message = format!("more than {MAX_BOUND_BYTES} bytes are bound");
            return Err(SqlError { code: SQLITE_TOOBIG, message });
        }
        Ok(())
    }
}

impl Statement {
    fn bound_bytes(&self) -> usize {
        self.bindings.iter().map(|(_, value)| size_bytes(value)).sum()
    }

    /// Bind the waiting values, and step.
    fn step(&self, limit: u32) -> Operations {
        let bound = self.bindings.iter().fold(operations(), |bound, (parameter, value)| {
            bound.bind(self.handle, *parameter, value.as_wire())
        });
        bound.step(self.handle, limit)
    }
}

fn size_bytes(value: &Value) -> usize {
    match value {
        Value::Text(bytes) | Value::Blob(bytes) => bytes.len(),
        _ => 0,
    }
}

impl Statement {
    /// The statement that SQLite has prepared; none for white space and comments. Also returns how
    /// much of the text was used.
    fn prepared(reply: Vec<u8>) -> Answer<(Option<Self>, u32)> {
        let mut rest = Reader(&reply);
        let Prepared { statement, used, is_read_only } = Prepared::read(&mut rest)?;
        let parameter_count = rest.u32()?;
        let (is_running, bindings) = (false, Vec::new());
        let statement = statement.map(|handle| Self {
            handle,
            is_read_only,
            parameter_count,
            reply,
            is_running,
            bindings,
        });
        Ok((statement, used))
    }

    /// The names of its parameters, empty for those without a name, and of its columns.
    fn names(&self) -> Answer<(Vec<String>, Vec<String>)> {
        let mut rest = Reader(&self.reply);
        Prepared::read(&mut rest)?;
        let mut names = || rest.names().map(|names| names.map(Cow::into_owned).collect());
        Ok((names()?, names()?))
    }
}

impl Blob {
    fn opened(reply: &[u8], writable: bool, read_at: u64) -> Answer<Self> {
        let mut reply = Reader(reply);
        let Opened { blob, size } = Opened::read(&mut reply)?;
        let (handle, head) = (blob.ok_or_else(mistaken)?, reply.bytes()?.to_vec());
        Ok(Self { handle, size_bytes: size, writable, head, read_at })
    }
}

fn rows(reply: &[u8]) -> Answer<sql::Rows> {
    let mut reply = Reader(reply);
    let wire::Rows { is_last, count, .. } = wire::Rows::read(&mut reply)?;
    let mut values = Vec::new();
    while !reply.is_empty() {
        values.push(reply.value()?.into());
    }
    Ok(sql::Rows { values, count, is_last })
}

impl Channel {
    async fn done(&self, work: Operations) -> Answer<()> {
        self.request(work).await.map(|_| ())
    }

    async fn prepared(&self, text: &str) -> Answer<(Option<Statement>, u32)> {
        Statement::prepared(self.request(operations().prepare(text)).await?)
    }

    async fn opened(&self, work: Operations, writable: bool) -> Answer<Blob> {
        let reply = self.request(work).await?;
        Blob::opened(&reply, writable, self.requests())
    }

    async fn last_insert_row_id(&self) -> Answer<i64> {
        Ok(Reader(&self.request(operations().last_insert_row_id()).await?).i64()?)
    }

    async fn changes(&self) -> Answer<(i64, i64)> {
        let reply = self.request(operations().changes()).await?;
        let mut reply = Reader(&reply);
        Ok((reply.i64()?, reply.i64()?))
    }
}

impl sql::Host for Sandbox {
    async fn prepare(&mut self, text: String) -> wasmtime::Result<Answer<sql::Prepared>> {
        let (statement, used) = match self.channel.prepared(&text).await {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        let tail = text.get(used as usize..).unwrap_or_default().to_owned();
        let statement = statement.map(|statement| self.table.push(statement)).transpose()?;
        Ok(Ok(sql::Prepared { statement, tail }))
    }

    async fn execute(&mut self, text: String) -> wasmtime::Result<Answer<()>> {
        Ok(self.channel.done(operations().execute(&text)).await)
    }

    async fn open_blob(
        &mut self,
        schema: String,
        table: String,
        column: String,
        row_id: i64,
        writable: bool,
    ) -> wasmtime::Result<Answer<Resource<Blob>>> {
        let column = [schema.as_str(), &table, &column];
        let work = operations().open_blob(column, row_id, writable);
        Ok(match self.channel.opened(work, writable).await {
            Ok(blob) => Ok(self.table.push(blob)?),
            Err(error) => Err(error),
        })
    }

    async fn last_insert_row_id(&mut self) -> wasmtime::Result<i64> {
        Ok(self.channel.last_insert_row_id().await.unwrap_or_default())
    }

    async fn changes(&mut self) -> wasmtime::Result<(i64, i64)> {
        Ok(self.channel.changes().await.unwrap_or_default())
    }
}

impl sql_work::Host for Sandbox {
    async fn perform(&mut self, operations: Vec<u8>) -> wasmtime::Result<Answer<Vec<u8>>> {
        Ok(self.channel.request(operations.into()).await)
    }

    fn perform_later(&mut self, operations: Vec<u8>) -> wasmtime::Result<Answer<()>> {
        Ok(self.channel.later_bounded(operations.into()))
    }

    async fn register_function(
        &mut self,
        id: u32,
        function: Function,
    ) -> wasmtime::Result<Answer<()>> {
        if let Err(reason) = crate::contract::check::function(&function) {
            return Ok(Err(misuse(&reason.to_string())));
        }
        let handle = match self.channel.functions(|functions| functions.register(id, &function)) {
            Ok(handle) => handle,
            Err(error) => return Ok(Err(error)),
        };
        Ok(self.channel.register(handle, function).await)
    }
}

impl sql::HostStatement for Sandbox {
    fn bind(
        &mut self,
        statement: Resource<Statement>,
        parameter: u32,
        value: Value,
    ) -> wasmtime::Result<Answer<()>> {
        let statement = self.table.get_mut(&statement)?;
        let others = self.bound_bytes.saturating_sub(statement.bound_bytes());
        let bound = statement.bind(parameter, value, MAX_BOUND_BYTES.saturating_sub(others));
        self.bound_bytes = others + statement.bound_bytes();
        Ok(bound)
    }

    fn parameter_index(
        &mut self,
        statement: Resource<Statement>,
        name: String,
    ) -> wasmtime::Result<u32> {
        let (parameters, _) = self.table.get(&statement)?.names().unwrap_or_default();
        let place = parameters.iter().position(|parameter| !name.is_empty() && *parameter == name);
        Ok(place.map_or(0, |place| place as u32 + 1))
    }

    fn parameter_name(
        &mut self,
        statement: Resource<Statement>,
        parameter: u32,
    ) -> wasmtime::Result<String> {
        let (parameters, _) = self.table.get(&statement)?.names().unwrap_or_default();
        let place = (parameter as usize).checked_sub(1);
        Ok(place.and_then(|place| parameters.get(place)).cloned().unwrap_or_default())
    }

    fn parameter_count(&mut self, statement: Resource<Statement>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&statement)?.parameter_count)
    }

    fn column_names(&mut self, statement: Resource<Statement>) -> wasmtime::Result<Vec<String>> {
        let (_, columns) = self.table.get(&statement)?.names().unwrap_or_default();
        Ok(columns)
    }

    fn is_read_only(&mut self, statement: Resource<Statement>) -> wasmtime::Result<bool> {
        Ok(self.table.get(&statement)?.is_read_only)
    }

    async fn step(
        &mut self,
        statement: Resource<Statement>,
        limit: u32,
    ) -> wasmtime::Result<Answer<sql::Rows>> {
        let stepped = self.table.get_mut(&statement)?;
        let work = stepped.step(limit);
        self.bound_bytes = self.bound_bytes.saturating_sub(stepped.bound_bytes());
        stepped.bindings = Vec::new();
        stepped.is_running = true;
        let answer = self.channel.request(work).await.and_then(|reply| rows(&reply));
        // The caller has reset it after a failure.
        self.table.get_mut(&statement)?.is_running =
            answer.as_ref().is_ok_and(|rows| !rows.is_last);
        Ok(answer)
    }

    fn reset(&mut self, statement: Resource<Statement>) -> wasmtime::Result<()> {
        let statement = self.table.get_mut(&statement)?;
        if std::mem::take(&mut statement.is_running) {
            self.channel.later(operations().reset(statement.handle));
        }
        Ok(())
    }

    fn drop(&mut self, statement: Resource<Statement>) -> wasmtime::Result<()> {
        let dropped = self.table.delete(statement)?;
        self.bound_bytes = self.bound_bytes.saturating_sub(dropped.bound_bytes());
        self.channel.later(operations().close(dropped.handle));
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
        if let Some(known) = read.known(self.channel.requests(), offset, length) {
            return Ok(Ok(known));
        }
        let handle = read.handle;
        Ok(match self.channel.request(operations().read(handle, offset, length)).await {
            Ok(bytes) if bytes.len() == length as usize => Ok(bytes),
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
        let work = operations().write(handle, offset, &data);
        let end = u64::from(offset) + data.len() as u64;
        // Refuse an impossible write at once.
        if !writable || end > size_bytes.into() {
            return Ok(self.channel.done(work).await);
        }
        Ok(self.channel.write(work).await)
    }

    async fn reopen(&mut self, blob: Resource<Blob>, row_id: i64) -> wasmtime::Result<Answer<()>> {
        let Blob { handle, writable, .. } = *self.table.get(&blob)?;
        let answer = self.channel.opened(operations().reopen_blob(handle, row_id), writable).await;
        Ok(match answer {
            Ok(reopened) => {
                *self.table.get_mut(&blob)? = reopened;
                Ok(())
            }
            Err(error) => Err(error),
        })
    }

    fn drop(&mut self, blob: Resource<Blob>) -> wasmtime::Result<()> {
        self.channel.later(operations().close(self.table.delete(blob)?.handle));
        Ok(())
    }
}
