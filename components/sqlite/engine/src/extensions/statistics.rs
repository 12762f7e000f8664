//! The table `extension_stats`: the usage of each loaded extension.

use std::ffi::{CStr, c_int};

use crate::host::dispatch::{self, ExtensionUsage, SqlError};
use crate::host::extension_types::{ModuleFlags, ModuleKind, Risk, TextEncoding};
use crate::host::table_types::ConnectMode;
use crate::sqlite::connection::Connection;
use crate::sqlite::context::Context;
use crate::sqlite::index_info::IndexInfo;
use crate::sqlite::value::Value;
use crate::sqlite::vtab::{self, Definition};

use super::scalar::Function;

/// The name of the table.
pub const NAME: &str = "extension_stats";

const DECLARATION: &str = "CREATE TABLE x(name TEXT, calls INTEGER, batches INTEGER, \
    sql_requests INTEGER, time_ms INTEGER, peak_memory_bytes INTEGER, starts INTEGER)";

/// An estimate for the planner; there are few rows.
const ROWS: i64 = 10;

struct Module;
struct Table;

struct Cursor {
    extensions: Vec<ExtensionUsage>,
    row: usize,
}

/// Register the table on a connection. Returns the result code.
pub fn register(db: &Connection) -> c_int {
    let definition = Definition {
        kind: ModuleKind::EponymousOnly,
        flags: ModuleFlags::empty(),
        shadow_names: &[],
    };
    db.create_module(c"extension_stats", &definition, Module)
}

impl vtab::Module for Module {
    type Table = Table;

    fn connect(&self, db: &Connection, _: ConnectMode, _: &[String]) -> Result<Table, SqlError> {
        db.set_table_risk(Risk::Innocuous);
        db.declare_table(DECLARATION).map(|()| Table)
    }
}

impl vtab::Table for Table {
    type Cursor = Cursor;
    type Function = Function;

    fn best_index(&self, _: &Connection, info: &IndexInfo) -> Result<bool, SqlError> {
        info.set_cost(ROWS as f64, ROWS);
        Ok(true)
    }

    fn open(&self, _: &Connection) -> Result<Cursor, SqlError> {
        Ok(Cursor { extensions: Vec::new(), row: 0 })
    }
}

impl vtab::Cursor for Cursor {
    type Table = Table;

    fn filter(
        &mut self,
        _: &Connection,
        _: &Table,
        _: c_int,
        _: Option<&CStr>,
        _: &[&Value],
    ) -> Result<(), SqlError> {
        *self = Self { extensions: dispatch::statistics(), row: 0 };
        Ok(())
    }

    fn next(&mut self, _: &Connection) -> Result<(), SqlError> {
        self.row += 1;
        Ok(())
    }

    fn is_at_end(&self) -> bool {
        self.row >= self.extensions.len()
    }

    fn column(&self, context: &Context, column: u32) {
        let Some(extension) = self.extensions.get(self.row) else { return };
        let number = match column {
            0 => return context.set_text(extension.name.as_bytes(), TextEncoding::Utf8),
            1 => extension.calls,
            2 => extension.batches,
            3 => extension.requests,
            4 => extension.time,
            5 => extension.peak_memory,
            _ => extension.starts.into(),
        };
        context.set_integer(number as i64);
    }

    fn row_id(&self) -> Result<i64, SqlError> {
        Ok(self.row as i64)
    }
}
