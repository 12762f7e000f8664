//! The tables of a connection, with what their definitions say of columns.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::table_text::TableText;
use sqlite_wasm_postgres::types::infer::{Column, Schema};
use sqlite_wasm_postgres::types::{Scalar, Type, Typed, view};

use crate::session::connection::SessionConnection;

/// Tables that are kept at most, and texts whose analysis is.
pub const MAX_KEPT: usize = 64;

/// The tables of a connection.
pub struct Tables<'a> {
    pub engine: &'a SessionConnection,
    pub known: &'a RefCell<HashMap<String, Option<Vec<Column>>>>,
    pub views: &'a RefCell<HashSet<String>>,
}

impl Tables<'_> {
    /// What the comments in the definition of a key that SQLite assigns say: its width, and whether it is
    /// `GENERATED ALWAYS AS IDENTITY`.
    fn describe_key(&self, table: &str, key: &mut Column) {
        let sql = format!(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND lower(name) = {} AND sql LIKE '%/*%'",
            quoted_text(table)
        );
        let found = self.engine.own_rows(&sql, |row| row.get::<_, String>(0));
        let Some(sql) = found.ok().and_then(|mut rows| rows.pop()) else { return };
        let Ok(text) = TableText::read(&sql) else { return };
        let span = text.column(&key.name).map(|column| column.data_type.clone());
        let declared = span.and_then(|span| sql.get(span)).unwrap_or_default();
        let has = |comment: &str| declared.contains(comment);
        key.is_identity = has("/* GENERATED ALWAYS AS IDENTITY */");
        let widths = [("/* BIGINT */", Scalar::Int8), ("/* SMALLINT */", Scalar::Int2)];
        let width = widths.into_iter().find(|(comment, _)| has(comment));
        key.computed = width.map(|(_, scalar)| Typed::plain(Type::One(scalar)));
    }

    /// The types of the columns that a view computes.
    fn add_computed(&self, view: &str, columns: &mut [Column]) {
        let name = quoted_text(view);
        let sql = ["sqlite_temp_schema", "sqlite_schema"].map(|schema| {
            format!("SELECT sql FROM {schema} WHERE type = 'view' AND lower(name) = {name}")
        });
        let found = self.engine.own_rows(&sql.join(" UNION ALL "), |row| row.get::<_, String>(0));
        let Some(sql) = found.ok().and_then(|all| all.into_iter().next()) else { return };
        self.views.borrow_mut().insert(view.to_owned());
        for (name, declared) in view::types(&sql) {
            let column = columns.iter_mut().find(|column| column.name == name);
            if let Some(column) = column {
                column.computed = Typed::declared(&declared);
            }
        }
    }
}

impl Schema for Tables<'_> {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        let name = table.to_ascii_lowercase();
        if let Some(known) = self.known.borrow().get(&name) {
            return known.clone();
        }
        let sql = format!("PRAGMA table_xinfo({})", quoted_name(&name));
        let found = self.engine.own_rows(&sql, |row| {
            // 1 is a hidden one of a virtual table.
            let hidden = row.get::<_, i64>(6)?;
            let column = Column {
                name: row.get(1)?,
                declared: row.get(2)?,
                is_key: row.get::<_, i64>(5)? > 0,
                default: row.get(4)?,
                is_generated: hidden > 1,
                is_identity: false,
                computed: None,
            };
            Ok((hidden != 1).then_some(column))
        });
        let found = found.map(|all| all.into_iter().flatten().collect::<Vec<_>>());
        let mut found = found.ok().filter(|columns| !columns.is_empty());
        if let Some(key) = found.iter_mut().flatten().find(|column| column.is_numbered()) {
            self.describe_key(&name, key);
        }
        if let Some(columns) = &mut found {
            self.add_computed(&name, columns);
        }
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_KEPT {
            known.clear();
            self.views.borrow_mut().clear();
        }
        known.insert(name, found.clone());
        found
    }
}
