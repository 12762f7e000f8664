//! What a program does with SQLite's objects by their addresses, as extensions do by handles.

use std::cell::Cell;
use std::ffi::c_int;
use std::mem::ManuallyDrop;

use libsqlite3_sys as sqlite;
use wire::{
    Bound, Database, ObjectOperation, PREPARE_COUNTED, PREPARE_LEGACY, Rows, Text, Writer, code,
};

use super::only_programs;
use super::owner::{Failure, Program};
use crate::operations::statements::{self, Fetched, Most};
use crate::operations::{blob_cache, metadata, values};
use crate::room::{self, NoMemory};
use crate::sqlite::addresses;
use crate::sqlite::blob::Blob;
use crate::sqlite::statement::{Interface, Prepared, Statement};

/// A batch of rows ends at this size, or earlier before it keeps the program waiting: after this
/// many steps of the virtual machine, which take about 0.1 ms.
const MAX_BATCH: Most = Most { rows: 0, bytes: 64 << 10, steps: 10_000, finds_end: true };

/// The flags of `sqlite3_prepare_v3`.
const FLAGS: u32 = 0xff;

thread_local! {
    /// The statement of a binding that failed, and why. The program did not wait for the result, so the
    /// next step of the statement fails.
    static UNBOUND: Cell<Option<(u32, c_int)>> = const { Cell::new(None) };
}

/// Perform an operation. Returns the result code of SQLite's function.
#[inline]
pub fn perform(
    program: &mut Program,
    operation: ObjectOperation,
    reply: &mut Writer,
) -> Result<c_int, Failure> {
    use ObjectOperation as Of;

    let db = program.db;
    let code = match operation {
        Of::CallPrepare { flags, sql } => return prepare(program, flags, sql, reply),
        Of::CallBind { statement, parameter, value } => {
            return bind(program, statement, parameter, value);
        }
        Of::CallBindNext { value } => {
            let (statement, last) = program.bound.ok_or(Failure::Malformed)?;
            return bind(program, statement, last.wrapping_add(1), value);
        }
        Of::CallClearBindings { statement } => at(statement)?.clear_bindings(),
        Of::CallStep { statement, limit } => return step(statement, limit, reply),
        Of::CallReset { statement } => at(statement)?.reset(),
        Of::CallFinalize { statement } => {
            take_unbound(statement);
            ManuallyDrop::into_inner(at(statement)?).finalize()
        }
        Of::CallDescribe { statement } => describe(code::OK, &*at(statement)?, reply)?,
        Of::CallDeclared { statement } => {
            let statement = at(statement)?;
            let declared = |column| statement.column_type(column);
            statements::put_names(reply, statement.column_count(), declared, room::put_text)?;
            code::OK
        }
        Of::CallOrigins { statement } => put_origins(&*at(statement)?, reply)?,
        Of::CallExpandedSql { statement } => {
            room::put_text(reply, at(statement)?.expanded_sql().as_deref())?;
            code::OK
        }
        Of::CallStmtStatus { statement, counter, reset } => {
            at(statement)?.status(counter.cast_signed(), reset.cast_signed())
        }
        Of::CallStmtExplain { statement, mode } => {
            let mut statement = at(statement)?;
            describe(statement.explain(mode.cast_signed()), &statement, reply)?
        }
        Of::CallExecute { sql } => db.execute(sql.c_str()),
        // The head says all.
        Of::CallState {} => code::OK,
        Of::CallDatabase { position, schema } => {
            let database = match position {
                0.. => Database::At(position.into()),
                _ => Database::Named(schema.c_str()),
            };
            metadata::put_database(db, database, reply, room::put_text)?;
            code::OK
        }
        Of::CallColumnMetadata { schema, table, column } => {
            let names = [schema, table, column].map(Text::c_str);
            metadata::put_column(db, names, reply, room::put_text)?
        }
        Of::CallSetLastInsertRowid { row_id } => {
            db.set_last_insert_row_id(row_id);
            code::OK
        }
        Of::CallBlobOpen { schema, table, column, row_id, flags } => {
            let names = [schema, table, column].map(Text::c_str);
            let (code, blob) = Blob::open(db, names, row_id, flags.cast_signed());
            let size = blob.as_ref().map_or(0, Blob::size);
            reply.u32(blob.map_or(0, addresses::of_blob));
            reply.u32(size);
            code
        }
        Of::CallBlobReopen { blob, row_id } => {
            let blob = blob_at(blob)?;
            let code = blob.reopen(row_id);
            reply.u32(blob.size());
            code
        }
        Of::CallBlobRead { blob, offset, count } => {
            blob_at(blob)?.read(offset, count, &mut reply.0)?
        }
        Of::CallBlobWrite { blob, offset, data } => {
            blob_at(blob)?.write(offset, data.bytes().unwrap_or_default())
        }
        Of::CallBlobClose { blob } => ManuallyDrop::into_inner(blob_at(blob)?).close(),
    };
    Ok(code)
}

/// The statement at an address of the program.
#[inline]
fn at(address: u32) -> Result<ManuallyDrop<Statement>, Failure> {
    addresses::statement(address).ok_or(Failure::Malformed)
}

/// The blob at an address of the program.
fn blob_at(address: u32) -> Result<ManuallyDrop<Blob>, Failure> {
    addresses::blob(address).ok_or(Failure::Malformed)
}

fn prepare(program: &Program, flags: u32, sql: Text, reply: &mut Writer) -> Result<c_int, Failure> {
    let Some(terminated) = sql.terminated() else { return Ok(code::MISUSE) };
    let is_counted = flags & PREPARE_COUNTED != 0;
    let sql = &terminated[..terminated.len() - usize::from(is_counted)];
    let interface = match flags & PREPARE_LEGACY {
        0 => Interface::Current(flags & FLAGS),
        _ => Interface::Legacy,
    };
    let Prepared { code, statement, used } = Statement::prepare(program.db, sql, interface);
    let statement = statement.map(addresses::of_statement);
    reply.u32(statement.unwrap_or_default());
    reply.u32(used as u32);
    match statement {
        Some(statement) => Ok(describe(code, &*at(statement)?, reply)?),
        None => Ok(code),
    }
}

/// Write the properties of a statement.
fn describe(code: c_int, statement: &Statement, reply: &mut Writer) -> Result<c_int, NoMemory> {
    reply.u8(statement.is_read_only().into());
    reply.u8(statement.is_explain() as u8);
    statements::describe(statement, reply, room::put_text)?;
    Ok(code)
}

/// Write for each column its database, its table and its name in that table.
fn put_origins(statement: &Statement, reply: &mut Writer) -> Result<c_int, NoMemory> {
    let columns = statement.column_count();
    reply.u32(3 * columns as u32);
    for column in 0..columns {
        let origin = statement.column_origin(column);
        origin.into_iter().try_for_each(|text| room::put_text(reply, text))?;
    }
    Ok(code::OK)
}

#[inline]
fn bind(
    program: &mut Program,
    address: u32,
    parameter: u32,
    value: Bound,
) -> Result<c_int, Failure> {
    let (mut statement, index) = (at(address)?, parameter.cast_signed());
    program.bound = Some((address, parameter));
    let code = match value {
        Bound::Value(value) => statement.bind(index, value),
        Bound::Zeros(count) => statement.bind_zeros(index, count),
        Bound::Pointer(number) => only_programs::bind_pointer(&mut statement, index, number),
    };
    if code != code::OK {
        UNBOUND.set(Some((address, code)));
    }
    Ok(code)
}

/// Why a binding of the statement has failed, if one has.
#[inline]
fn take_unbound(address: u32) -> Option<c_int> {
    let (statement, code) = UNBOUND.get()?;
    if statement != address {
        return None;
    }
    UNBOUND.set(None);
    Some(code)
}

/// Read rows, at most `limit`; 0 for one row without the end that may follow it.
#[inline]
fn step(address: u32, limit: u32, reply: &mut Writer) -> Result<c_int, Failure> {
    let mut statement = at(address)?;
    let prepared = statement.status(sqlite::SQLITE_STMTSTATUS_REPREPARE, 0);
    let start = reply.0.len();
    Rows::default().put(reply);
    let fetched = match take_unbound(address) {
        Some(code) => Fetched { rows: 0, width: 0, code },
        None => blob_cache::during_step(|| {
            let most = Most { rows: limit, ..MAX_BATCH };
            statements::fetch(&mut statement, most, reply, values::put_whole)
        })?,
    };
    let is_changed = prepared != statement.status(sqlite::SQLITE_STMTSTATUS_REPREPARE, 0);
    // The first byte says something else here.
    let rows = Rows { is_last: is_changed, count: fetched.rows, width: fetched.width };
    rows.put_at(start, reply);
    Ok(fetched.code)
}
