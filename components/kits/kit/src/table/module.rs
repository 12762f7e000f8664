//! Modules: the kinds of tables in an extension.

use super::{AnyTable, Connection, OpenTable, Table};
use crate::{Result, Risk, bindings};
use bindings::types::ModuleFlags as Flags;

/// The way in which a module's tables are created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleKind {
    /// By CREATE VIRTUAL TABLE.
    Created,
    /// By CREATE VIRTUAL TABLE, or by the module's name alone.
    Eponymous,
    /// By the module's name alone.
    EponymousOnly,
}

/// A connected table, and its CREATE TABLE statement.
#[doc(hidden)]
pub struct Connected {
    pub(crate) table: Box<dyn AnyTable>,
    pub(crate) declaration: String,
}

impl Connected {
    /// This table.
    pub fn new<T: Table>(table: T, declaration: String) -> Self {
        Self { table: Box::new(OpenTable::new(table)), declaration }
    }
}

/// A module of the extension's table.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    name: &'static str,
    kind: ModuleKind,
    risk: Risk,
    flags: Flags,
    shadow_names: &'static [&'static str],
    pub(crate) connect: fn(Connection) -> Result<Connected>,
}

macro_rules! abilities {
    ($($(#[$doc:meta])* $method:ident $flag:ident;)*) => {$(
        $(#[$doc])*
        pub const fn $method(mut self) -> Self {
            self.flags = self.flags.union(Flags::$flag);
            self
        }
    )*};
}

impl Module {
    /// A module whose tables are `T`.
    pub const fn new<T: Table>(name: &'static str, kind: ModuleKind, risk: Risk) -> Self {
        Self {
            name,
            kind,
            risk,
            flags: Flags::empty(),
            shadow_names: &[],
            connect: |connection| {
                let (table, declaration) = T::connect(connection)?;
                Ok(Connected::new(table, declaration))
            },
        }
    }

    abilities! {
        /// It supports INSERT, UPDATE and DELETE: `Table::update`.
        writable WRITABLE;
        /// It takes part in transactions: `Table::transact`.
        transactions TRANSACTIONS;
        /// It takes part in savepoints too.
        savepoints SAVEPOINTS;
        /// It supports ALTER TABLE … RENAME: `Table::rename`.
        rename RENAME;
        /// `PRAGMA integrity_check` calls `Table::integrity`.
        integrity INTEGRITY;
        /// It overloads functions: `Table::find_function`.
        overloads OVERLOADS;
        /// It can refuse a change because of a constraint.
        constraint_support CONSTRAINT_SUPPORT;
        /// It can use any attached database.
        all_schemas ALL_SCHEMAS;
    }

    /// The endings, without the `_`, of the names of its shadow tables.
    pub const fn shadow_names(mut self, names: &'static [&'static str]) -> Self {
        self.shadow_names = names;
        self
    }

    pub(crate) fn declare(&self) -> bindings::types::Module {
        use bindings::types::ModuleKind as Kind;
        bindings::types::Module {
            name: self.name.into(),
            kind: match self.kind {
                ModuleKind::Created => Kind::Created,
                ModuleKind::Eponymous => Kind::Eponymous,
                ModuleKind::EponymousOnly => Kind::EponymousOnly,
            },
            // `Change` marks columns that do not change.
            flags: self.flags | Flags::UNCHANGED_COLUMNS,
            risk: self.risk.into(),
            shadow_names: self.shadow_names.iter().map(|&name| name.into()).collect(),
        }
    }
}
