//! COPY: the data goes by in pieces, of which only an unfinished row is kept.

use std::cell::RefCell;

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::copy::{Reader, Writer};
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::frames::{self, Message};
use sqlite_wasm_postgres::translate::{Copy, CopyFormat, Statement};
use sqlite_wasm_postgres::types::infer::Column;
use sqlite_wasm_postgres::types::{TEXT, Typed};
use sqlite_wasm_postgres::values::Value;

use super::converse::Conversation;
use super::execute::{check, only_reads};
use super::failure::{Failure, Result, no_room};
use super::stream::{Gone, Stream};
use crate::session::error::Error as SessionError;

fn type_of(declared: Option<&str>) -> Typed {
    declared.and_then(Typed::declared).unwrap_or(Typed::plain(TEXT))
}

impl Conversation<'_> {
    /// COPY FROM STDIN: the rows that were inserted.
    pub fn copy_in(&mut self, copy: &Copy, statement: &Statement) -> Result<u64> {
        let columns = self.copied(copy)?;
        check_named(copy, columns.iter().map(|column| column.name.as_str()))?;
        let names: Vec<_> = columns.iter().map(|column| column.name.clone()).collect();
        let types =
            columns.iter().map(|column| (column.name.clone(), type_of(Some(&column.declared))));
        let types = types.collect();
        let table = copy.table.as_deref().unwrap_or_default();
        let insert = if copy.is_filtered {
            copy.insert_where(statement, &columns, &self.table(table)?)?
        } else {
            copy.insert(&names)
        };
        if self.is_read_only() {
            return Err(only_reads("COPY FROM").into());
        }
        self.begin_at_last()?;
        let is_alone = self.engine.is_autocommit();
        if is_alone {
            self.run_plain("BEGIN")?;
            self.is_implicit = true;
        }
        let (patience, then) = self.engine.patience();
        let reader = Reader::new(copy.options.clone(), table, types);
        let stream = &mut self.stream;
        let copied = self.engine.run_often(&insert, |insert| {
            // Only a client that may insert gets CopyInResponse.
            stream.out.copy(b'G', copy.options.format == CopyFormat::Binary, names.len());
            receive(
                stream,
                (reader, copy.is_filtered),
                insert,
                |gone| match gone {
                    Gone::Late => SessionError::Ended(then),
                    Gone::Busy(_) => no_room().into(),
                    _ => SessionError::Gone,
                },
                patience,
            )
        });
        // Nothing of a row is kept any more.
        let _ = self.stream.hold_row(0);
        let rows = copied.map_err(|error| of_copy(error.into(), table))?;
        if is_alone {
            self.end_implicit()?;
        }
        Ok(rows)
    }

    /// The columns that COPY names.
    fn copied(&self, copy: &Copy) -> Result<Vec<Column>> {
        let table = copy.table.as_deref().unwrap_or_default();
        let all = self.table(table)?;
        if copy.columns.is_empty() {
            return Ok(all.into_iter().filter(|column| !column.is_generated).collect());
        }
        let find = |name: &String| {
            let found = all.iter().find(|column| column.name.eq_ignore_ascii_case(name));
            found.cloned().ok_or_else(|| {
                let message = format!("column \"{name}\" of relation \"{table}\" does not exist");
                Failure::from(Error::new(sqlstate::UNDEFINED_COLUMN, message))
            })
        };
        let columns: Vec<Column> = copy.columns.iter().map(find).collect::<Result<_>>()?;
        match columns.iter().find(|column| column.is_generated) {
            Some(column) => Err(generated(column).into()),
            None => Ok(columns),
        }
    }

    /// What COPY TO reads: of a whole table the columns that COPY FROM would write.
    fn copied_to(&self, copy: &Copy, statement: &Statement) -> Result<Statement> {
        let mut statement = statement.clone();
        let Some(table) = &copy.table else { return Ok(statement) };
        let all = self.table(table)?;
        if !all.iter().any(|column| column.is_generated) {
            return Ok(statement);
        }
        let columns = self.copied(copy)?;
        let names: Vec<_> = columns.iter().map(|column| column.name.clone()).collect();
        statement.sql = copy.select(&names);
        Ok(statement)
    }

    /// COPY TO STDOUT: the rows that were sent.
    pub fn copy_out(&mut self, copy: &Copy, statement: &Statement) -> Result<u64> {
        self.begin_at_last()?;
        let read_only = self.is_read_only().then_some("COPY TO");
        let statement = &self.copied_to(copy, statement)?;
        let columns = self.columns(statement, "")?;
        check_named(copy, columns.iter().map(|column| column.name.as_str()))?;
        let types = columns.iter().map(|column| column.typed).collect();
        let is_binary = copy.options.format == CopyFormat::Binary;
        let count = columns.len();
        self.stream.out.copy(b'H', is_binary, count);
        let mut writer = Writer::new(copy.options.clone(), types);
        // The header of binary data belongs to its first row; a line with names is one itself.
        let mut data = Vec::new();
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        writer.begin(&names, &mut data);
        if !is_binary && !data.is_empty() {
            self.stream.out.message(b'd', |out| out.append(&mut data));
        }
        let stream = &mut self.stream;
        let mut rows = 0;
        self.engine.run(
            &statement.sql,
            |_| Ok(()),
            |prepared| check(prepared, count, 0, read_only),
            |row| {
                rows += 1;
                let values: Vec<_> = (0..count)
                    .map(|at| row.get_ref(at).map(Into::into))
                    .collect::<Result<_, _>>()?;
                writer.row(values.into_iter(), &mut data)?;
                stream.out.message(b'd', |out| out.extend_from_slice(&data));
                data.clear();
                stream.send_if_full().map_err(|_| SessionError::Gone)
            },
        )?;
        writer.end(&mut data);
        if !data.is_empty() {
            self.stream.out.message(b'd', |out| out.append(&mut data));
        }
        self.stream.out.empty(b'c');
        Ok(rows)
    }
}

fn generated(column: &Column) -> Error {
    let message = format!("column \"{}\" is a generated column", column.name);
    let detail = "Generated columns cannot be used in COPY.";
    Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message).detail(detail)
}

/// Whether each column that options name is copied.
fn check_named<'a>(copy: &Copy, columns: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
    match copy.options.named().find(|name| !columns.clone().any(|column| column == *name)) {
        Some(name) => {
            let table = copy.table.as_deref().unwrap_or_default();
            let message = format!("column \"{name}\" of relation \"{table}\" does not exist");
            Err(Error::new(sqlstate::UNDEFINED_COLUMN, message).into())
        }
        None => Ok(()),
    }
}

/// An error of a row, without what only SQLite says of it.
fn of_copy(failure: Failure, table: &str) -> Failure {
    match failure {
        Failure::Error(error) if error.code == sqlstate::CHECK_VIOLATION => {
            Failure::Error(error.of_check(table))
        }
        Failure::Error(error) if error.code == sqlstate::NOT_NULL_VIOLATION => {
            Failure::Error(Error { detail: None, ..error })
        }
        other => other,
    }
}

/// Insert what the client sends, until it says that this is all.
fn receive(
    stream: &mut Stream,
    (mut reader, is_filtered): (Reader, bool),
    insert: &mut dyn FnMut(&[Value]) -> Result<usize, SessionError>,
    gone: impl Fn(Gone) -> SessionError,
    patience: std::time::Duration,
) -> Result<u64, SessionError> {
    let start = std::time::Instant::now();
    // The reader knows only its own errors.
    let failed = RefCell::new(None);
    let mut rows = 0;
    let mut row = |values: &[_]| {
        let inserted = insert(values).map_err(|error| {
            failed.replace(Some(error));
            Error::new(sqlstate::INTERNAL_ERROR, "COPY")
        })?;
        // A view has its rows elsewhere.
        rows += if is_filtered { inserted as u64 } else { 1 };
        Ok(())
    };
    let why = |error: Error| failed.take().unwrap_or_else(|| error.into());
    let mut body = Vec::new();
    loop {
        let left = patience.saturating_sub(start.elapsed());
        let tag = stream.read(&mut body, left).map_err(&gone)?;
        match frames::read(tag, &body)? {
            Message::CopyData(data) => {
                reader.push(data, &mut row).map_err(why)?;
                stream.hold_row(reader.kept()).map_err(&gone)?;
            }
            Message::CopyDone => {
                reader.finish(&mut row).map_err(why)?;
                return Ok(rows);
            }
            Message::CopyFail(reason) => {
                let message = format!("COPY from stdin failed: {reason}");
                return Err(Error::new(sqlstate::QUERY_CANCELED, message).into());
            }
            Message::Flush | Message::Sync => {}
            _ => return Err(frames::violation("unexpected message during COPY from stdin").into()),
        }
    }
}
