//! Virtual tables, as traits for SQLite's module callbacks.

use std::ffi::{CStr, c_int};
use std::rc::Rc;

use wire::code;

use super::connection::Connection;
use super::context::Context;
use super::error::failure;
use super::function::Scalar;
use super::index_info::IndexInfo;
use super::value::Value;
use crate::host::dispatch::SqlError;
use crate::host::extension_types::{ModuleFlags, ModuleKind};
use crate::host::table_types::{ConnectMode, Transaction};

/// A virtual-table module.
pub trait Module: 'static {
    type Table: Table;

    /// Connect a table, or create it. The arguments begin with the names of the module, the schema
    /// and the table.
    fn connect(
        &self,
        db: &Connection,
        mode: ConnectMode,
        arguments: &[String],
    ) -> Result<Self::Table, SqlError>;
}

/// A connected table. SQLite calls only the methods that the flags of the module name.
pub trait Table: Sized + 'static {
    type Cursor: Cursor<Table = Self>;
    /// The functions that it overloads.
    type Function: Scalar;

    /// Choose a plan; false when the constraints cannot be used in this way.
    fn best_index(&self, db: &Connection, info: &IndexInfo) -> Result<bool, SqlError>;

    fn open(&self, db: &Connection) -> Result<Self::Cursor, SqlError>;

    /// The connection is done with the table.
    fn disconnect(&self, _: &Connection) {}

    /// DROP TABLE.
    fn destroy(&self, _: &Connection) -> Result<(), SqlError> {
        Ok(())
    }

    /// As xUpdate: the row id of an insertion.
    fn update(&self, _: &Connection, _: &[&Value]) -> Result<i64, SqlError> {
        Err(failure(code::READONLY, ""))
    }

    fn transact(&self, _: &Connection, _: Transaction) -> Result<(), SqlError> {
        Ok(())
    }

    fn rename(&self, _: &Connection, _: &str) -> Result<(), SqlError> {
        Ok(())
    }

    /// What is wrong with the content.
    fn integrity(
        &self,
        _: &Connection,
        _schema: &str,
        _name: &str,
        _quick: bool,
    ) -> Option<String> {
        None
    }

    /// The table's own version of a function, and its operator for xBestIndex or 0. SQLite may call
    /// it as long as the table is connected.
    fn find_function(&self, _: &Connection, _: u32, _: &str) -> Option<(Rc<Self::Function>, u8)> {
        None
    }
}

/// A scan.
pub trait Cursor: 'static {
    type Table;

    /// Begin the scan that a plan describes.
    fn filter(
        &mut self,
        db: &Connection,
        table: &Self::Table,
        number: c_int,
        text: Option<&CStr>,
        arguments: &[&Value],
    ) -> Result<(), SqlError>;

    fn next(&mut self, db: &Connection) -> Result<(), SqlError>;

    fn is_at_end(&self) -> bool;

    /// Set a column of the row in the context.
    fn column(&self, context: &Context, column: u32);

    fn row_id(&self) -> Result<i64, SqlError>;

    fn close(self, _: &Connection)
    where
        Self: Sized,
    {
    }
}

/// What a module registers itself as.
pub struct Definition<'a> {
    pub kind: ModuleKind,
    pub flags: ModuleFlags,
    /// The endings of the names of its shadow tables.
    pub shadow_names: &'a [String],
}
