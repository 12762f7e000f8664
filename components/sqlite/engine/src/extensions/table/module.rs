//! Modules, and their connected tables.

use std::cell::RefCell;
use std::ffi::{CStr, c_int};
use std::rc::Rc;

use super::Extension;
use super::best_index;
use super::cursor::Cursor;
use crate::extensions::calls::{Returned, call};
use crate::extensions::pointers::or_none;
use crate::extensions::scalar::Function;
use crate::host::dispatch::{self, SqlError, Unfinished};
use crate::host::extension_types::{self, ModuleFlags, Risk};
use crate::host::table_types::{
    Change, ConnectMode, Insertion, Modification, TableConfig, Transaction,
};
use crate::sqlite::connection::Connection;
use crate::sqlite::index_info::IndexInfo;
use crate::sqlite::value::Value;
use crate::sqlite::vtab::{self, Definition};

/// A module of an extension.
struct Module {
    extension: Rc<Extension>,
    index: u32,
    flags: ModuleFlags,
    risk: Risk,
}

/// A connected table.
pub struct Table {
    pub extension: Rc<Extension>,
    table: u32,
    /// At least as many as it has columns.
    pub columns: u32,
    /// An update may omit columns.
    pub takes_unchanged: bool,
    /// Functions that the table overloads and that are not in the manifest.
    overloads: RefCell<Vec<Rc<Function>>>,
}

/// Register the extension's module with this `index`. Returns the result code.
pub fn register(
    db: &Connection,
    extension: Rc<Extension>,
    index: u32,
    module: &extension_types::Module,
    name: &CStr,
) -> c_int {
    let extension_types::Module { kind, flags, risk, ref shadow_names, .. } = *module;
    let definition = Definition { kind, flags, shadow_names };
    db.create_module(name, &definition, Module { extension, index, flags, risk })
}

impl vtab::Module for Module {
    type Table = Table;

    fn connect(
        &self,
        db: &Connection,
        mode: ConnectMode,
        arguments: &[String],
    ) -> Result<Table, SqlError> {
        let handle = self.extension.handle;
        let [_, schema, name, arguments @ ..] = arguments else { return Err(self.unnamed()) };
        let begun = dispatch::table_connect(handle, self.index, mode, schema, name, arguments);
        let connected = call(db, handle, begun)?;
        let table = Table {
            extension: self.extension.clone(),
            table: connected.table,
            columns: 1 + connected.declaration.matches(',').count() as u32,
            takes_unchanged: self
                .flags
                .contains(ModuleFlags::WRITABLE | ModuleFlags::UNCHANGED_COLUMNS),
            overloads: RefCell::default(),
        };
        if let Err(SqlError { code, message }) = db.declare_table(&connected.declaration) {
            let name = &self.extension.name;
            let message = format!("the extension `{name}` cannot declare the table: {message}");
            // The extension has the table already.
            vtab::Table::disconnect(&table, db);
            return Err(SqlError { code, message });
        }
        self.configure(db, connected.config);
        Ok(table)
    }
}

impl Module {
    fn unnamed(&self) -> SqlError {
        self.extension.broke("its table has no name")
    }

    /// Pass to SQLite the declarations of the module and the table; the stricter one applies.
    fn configure(&self, db: &Connection, config: TableConfig) {
        let has = |flag, option| self.flags.contains(flag) || config.contains(option);
        if self.risk == Risk::DirectOnly || config.contains(TableConfig::DIRECT_ONLY) {
            db.set_table_risk(Risk::DirectOnly);
        } else if self.risk == Risk::Innocuous || config.contains(TableConfig::INNOCUOUS) {
            db.set_table_risk(Risk::Innocuous);
        }
        if has(ModuleFlags::CONSTRAINT_SUPPORT, TableConfig::CONSTRAINT_SUPPORT) {
            db.set_constraint_support();
        }
        if has(ModuleFlags::ALL_SCHEMAS, TableConfig::ALL_SCHEMAS) {
            db.set_uses_all_schemas();
        }
    }
}

impl Table {
    /// Call the extension, whose table is the second argument.
    fn call<T: Returned>(
        &self,
        db: &Connection,
        import: impl FnOnce(u32, u32) -> Result<T, Unfinished>,
    ) -> Result<T, SqlError> {
        let extension = self.extension.handle;
        call(db, extension, import(extension, self.table))
    }

    /// The function with this index or handle, kept as long as the table.
    fn overload(&self, index: u32) -> Rc<Function> {
        let listed = self.extension.functions.get(index as usize);
        let mut overloads = self.overloads.borrow_mut();
        let known = overloads.iter().find(|known| known.index == index);
        if let Some(function) = listed.or(known) {
            return function.clone();
        }
        let Extension { handle, has_pointers, .. } = *self.extension;
        let function = Rc::new(Function::overload(handle, index, has_pointers));
        overloads.push(function.clone());
        function
    }
}

impl vtab::Table for Table {
    type Cursor = Cursor;
    type Function = Function;

    fn best_index(&self, db: &Connection, info: &IndexInfo) -> Result<bool, SqlError> {
        let wanted = info.to_info();
        let plan = self
            .call(db, |extension, table| dispatch::table_best_index(extension, table, &wanted))?;
        let Some(plan) = plan else { return Ok(false) };
        best_index::set_plan(info, &plan).map_err(|what| self.extension.broke(what))?;
        Ok(true)
    }

    fn open(&self, db: &Connection) -> Result<Cursor, SqlError> {
        let handle = self.call(db, dispatch::table_open)?;
        Ok(Cursor::new(self.extension.clone(), handle, self.takes_unchanged))
    }

    fn disconnect(&self, db: &Connection) {
        // SQLite drops the table in any case.
        let _ = self.call(db, dispatch::table_disconnect);
    }

    fn destroy(&self, db: &Connection) -> Result<(), SqlError> {
        self.call(db, dispatch::table_destroy)
    }

    fn update(&self, db: &Connection, values: &[&Value]) -> Result<i64, SqlError> {
        let (change, conflict) = (change(values), db.on_conflict());
        let subtypes = subtypes(values.get(2..).unwrap_or_default());
        self.call(db, |extension, table| {
            dispatch::table_update(extension, table, &change, &subtypes, conflict)
        })
    }

    fn transact(&self, db: &Connection, step: Transaction) -> Result<(), SqlError> {
        self.call(db, |extension, table| dispatch::table_transact(extension, table, step))
    }

    fn rename(&self, db: &Connection, name: &str) -> Result<(), SqlError> {
        self.call(db, |extension, table| dispatch::table_rename(extension, table, name))
    }

    fn integrity(&self, db: &Connection, schema: &str, name: &str, quick: bool) -> Option<String> {
        // SQLite shows the message as a fault of the table; a failure can be reported only in this
        // way.
        self.call(db, |extension, table| {
            dispatch::table_integrity(extension, table, schema, name, quick)
        })
        .unwrap_or_else(|error| Some(error.message))
    }

    fn find_function(
        &self,
        db: &Connection,
        arguments: u32,
        name: &str,
    ) -> Option<(Rc<Function>, u8)> {
        // SQLite has no result code for xFindFunction.
        let found = self.call(db, |extension, table| {
            dispatch::table_find_function(extension, table, arguments, name)
        });
        let overload = found.ok()??;
        Some((self.overload(overload.function), overload.operator))
    }
}

/// The change in the arguments of xUpdate.
fn change(values: &[&Value]) -> Change {
    match values {
        [] => Change::Delete(dispatch::Value::Null),
        [old] => Change::Delete(old.to_value()),
        [old, new, columns @ ..] if old.is_null() => Change::Insert(Insertion {
            row_id: new.to_value(),
            columns: columns.iter().map(|value| value.to_value()).collect(),
        }),
        [old, new, columns @ ..] => Change::Update(Modification {
            old: old.to_value(),
            // A primary key that is not changed has no value.
            new: if new.is_unchanged() { old.to_value() } else { new.to_value() },
            columns: columns
                .iter()
                .map(|value| if value.is_unchanged() { None } else { Some(value.to_value()) })
                .collect(),
        }),
    }
}

/// The subtypes of values; empty if none has one.
fn subtypes(values: &[&Value]) -> Vec<u8> {
    or_none(values.iter().map(|value| value.subtype()).collect())
}
