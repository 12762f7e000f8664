//! The tables of the connection, whose instance this is.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use sql_tokens::quoted_name;
use sqlite_wasm_kit::{Result, sql};

use crate::arguments::Definition;
use crate::index::Index;
use crate::storage::{Names, arguments_of, first};

pub type Shared = Rc<RefCell<Index>>;

thread_local! {
    static TABLES: RefCell<HashMap<Names, Shared>> = RefCell::default();
}

pub fn add(names: Names, index: Index) -> Shared {
    let index = Rc::new(RefCell::new(index));
    insert(&names, &index);
    index
}

fn insert(names: &Names, index: &Shared) {
    TABLES.with_borrow_mut(|tables| tables.insert(key(names), index.clone()));
}

/// A table has another name: nothing must find it by the old one, also after a rollback.
pub fn rename(old: &Names, new: &Names, index: &Shared) {
    remove(old, index);
    insert(new, index);
}

/// Remove a table, unless another one has its name now.
pub fn remove(names: &Names, index: &Shared) {
    TABLES.with_borrow_mut(|tables| {
        if tables.get(&key(names)).is_some_and(|known| Rc::ptr_eq(known, index)) {
            tables.remove(&key(names));
        }
    });
}

/// Whether a transaction has changed a table, apart from one that is in use now.
pub fn has_changes() -> bool {
    let is_changed = |table: &Shared| table.try_borrow().is_ok_and(|it| !it.is_settled());
    TABLES.with_borrow(|tables| tables.values().any(is_changed))
}

/// SQLite's names do not differ in the case of ASCII letters.
fn key(names: &Names) -> Names {
    Names { schema: names.schema.to_ascii_lowercase(), name: names.name.to_ascii_lowercase() }
}

/// A table by its name: of this connection, also where no statement has used it yet;
/// `None` if it is not one of `ann`.
pub fn find(name: &str) -> Result<Option<Shared>> {
    for schema in ["temp", "main"] {
        let names = Names { schema: schema.into(), name: name.into() };
        if let Some(known) = TABLES.with_borrow(|tables| tables.get(&key(&names)).cloned()) {
            return Ok(Some(known));
        }
        if is_ours(&names)? {
            let definition = Definition::parse(name, &arguments_of(&names)?)?;
            return Ok(Some(Rc::new(RefCell::new(Index::new(names, definition)))));
        }
    }
    Ok(None)
}

fn is_ours(names: &Names) -> Result<bool> {
    let schema = quoted_name(&names.schema);
    let sql = format!(
        "SELECT sql FROM {schema}.sqlite_schema WHERE name = ? COLLATE NOCASE AND rootpage = 0"
    );
    let row = first(&mut sql::prepare(&sql)?, [sqlite_wasm_kit::Value::text(&*names.name)])?;
    let text = row.and_then(|mut row| row.pop()).unwrap_or_default().into_bytes();
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    let using = text.split_once(" using ").map(|(_, rest)| rest.trim_start());
    Ok(using.is_some_and(|rest| {
        rest.strip_prefix("ann").is_some_and(|it| it.trim_start().starts_with('('))
    }))
}
