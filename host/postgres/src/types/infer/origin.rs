//! Where the columns of a scope come from.

use std::rc::Rc;

use sqlparser::ast::Expr;

use super::super::Typed;
use super::scope::{Columns, Known, Scope};

impl Scope {
    /// Whether an expression is a column that this scope knows, and if so, whether it is a table's own.
    pub fn is_stored(&self, expr: &Expr) -> Option<bool> {
        let known = match expr {
            Expr::Identifier(name) => self.known(None, &name.value),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., table, name] => self.known(Some(&table.value), &name.value),
                _ => None,
            },
            Expr::Nested(inner) => return self.is_stored(inner),
            _ => None,
        };
        known.map(|known| known.is_stored)
    }

    /// How many columns a name may be; more than one only within a table, as SQLite counts others.
    pub fn count(&self, table: Option<&str>, name: &str) -> usize {
        let fits =
            |(known, _): &&(String, _)| table.is_none_or(|table| known.eq_ignore_ascii_case(table));
        let of_table = |(_, columns): &(String, Rc<Columns>)| {
            columns.iter().filter(|known| known.name.eq_ignore_ascii_case(name)).count()
        };
        self.tables.iter().filter(fits).map(of_table).max().unwrap_or(0)
    }

    /// Whether no table has this name.
    pub fn lacks(&self, table: &str) -> bool {
        !self.has_unknown && !self.tables.iter().any(|(known, _)| known.eq_ignore_ascii_case(table))
    }

    /// A name that two tables have.
    pub fn repeated(&self) -> Option<&str> {
        self.tables.iter().enumerate().find_map(|(index, (name, _))| {
            let is_again = self.tables[..index].iter().any(|(other, _)| other == name);
            (is_again && !name.is_empty()).then_some(name.as_str())
        })
    }

    /// The types of all columns.
    pub fn types(&self) -> impl Iterator<Item = Option<Typed>> {
        let all = self.tables.iter().flat_map(|(_, columns)| columns.iter());
        all.map(|column| column.typed)
    }

    /// The names of all columns.
    pub fn names(&self) -> Vec<String> {
        let all = self.tables.iter().flat_map(|(_, columns)| columns.iter());
        all.map(|column| column.name.clone()).collect()
    }

    /// The names of the columns of the last table with this name.
    pub fn columns_named(&self, table: &str) -> Vec<String> {
        let found = self.tables.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(table));
        let columns = found.iter().flat_map(|(_, columns)| columns.iter());
        columns.map(|column| column.name.clone()).collect()
    }

    /// How many columns `*` has, or that of one table.
    pub fn width(&self, table: Option<&str>) -> usize {
        let fits =
            |(known, _): &&(String, _)| table.is_none_or(|table| known.eq_ignore_ascii_case(table));
        self.tables.iter().filter(fits).map(|(_, columns)| columns.len()).sum()
    }

    /// The table of a column and its name, where this scope has it.
    pub fn origin(&self, expr: &Expr) -> Option<(String, String)> {
        let (wanted, name) = match expr {
            Expr::Identifier(name) => (None, name),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., table, name] => (Some(table.value.as_str()), name),
                _ => return None,
            },
            Expr::Nested(inner) => return self.origin(inner),
            _ => return None,
        };
        self.tables.iter().find_map(|(table, columns)| {
            let fits = wanted.is_none_or(|wanted| table.eq_ignore_ascii_case(wanted));
            let column = columns.iter().find(|known| known.name.eq_ignore_ascii_case(&name.value));
            column.filter(|_| fits).map(|column| (table.clone(), column.name.clone()))
        })
    }

    /// Whether the columns of a table depend on what is grouped: its primary key.
    pub fn is_dependent(&self, table: &str, keys: &[Expr]) -> bool {
        let Some((_, columns)) = self.tables.iter().find(|(known, _)| known == table) else {
            return false;
        };
        let mut parts = columns.iter().filter(|column| column.is_key).peekable();
        let is_grouped = |part: &Known| {
            let part = Some((table.to_owned(), part.name.clone()));
            keys.iter().any(|key| self.origin(key) == part)
        };
        parts.peek().is_some() && parts.all(is_grouped)
    }

    /// A column that is not grouped.
    pub fn ungrouped(&self, keys: &[Expr]) -> Option<(String, String)> {
        self.tables.iter().find_map(|(table, columns)| {
            if self.is_dependent(table, keys) {
                return None;
            }
            let is_free = |column: &&Known| {
                let own = Some((table.clone(), column.name.clone()));
                !keys.iter().any(|key| self.origin(key) == own)
            };
            columns.iter().find(is_free).map(|column| (table.clone(), column.name.clone()))
        })
    }
}
