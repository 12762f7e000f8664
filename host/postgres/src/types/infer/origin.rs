//! Where the columns of a scope come from.

use sqlparser::ast::Expr;

use super::scope::{Known, Scope};

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
