//! Where the columns of a scope come from.

use std::collections::HashSet;
use std::rc::Rc;

use sqlparser::ast::{Expr, Ident};

use super::super::Typed;
use super::scope::{Columns, Known, Scope};

/// One side of a column that a join merges: its type, and whether it is a table's own.
pub type Side = (Option<Typed>, bool);

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

    /// Whether an expression is a column whose rows are kept while they are read.
    pub fn is_kept(&self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::Identifier(name) => self.known(None, &name.value),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [.., table, name] => self.known(Some(&table.value), &name.value),
                _ => None,
            },
            _ => None,
        }
        .map(|known| known.is_kept)
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

    /// The columns of `*`, or of that of one table.
    pub(super) fn all<'a>(&'a self, table: Option<&'a str>) -> impl Iterator<Item = &'a Known> {
        self.placed(table).map(|(_, _, known)| known)
    }

    /// The same with the names of their tables, and whether they are merged with those of another one.
    fn placed<'a>(
        &'a self,
        table: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a str, bool, &'a Known)> {
        let fits = move |name: &str| table.is_none_or(|table| name.eq_ignore_ascii_case(table));
        let tables = self.tables.iter().enumerate().filter(move |(_, (name, _))| fits(name));
        let stored =
            tables.flat_map(|(at, (_, columns))| (0..columns.len()).map(move |place| (at, place)));
        // Without a query of its own, as a table alone, a scope has no order but that of its tables.
        let has_order = table.is_none() && !self.shown.is_empty();
        let places = self.shown.iter().copied().filter(move |_| has_order);
        places.chain(stored.filter(move |_| !has_order)).filter_map(move |(at, place)| {
            let (name, columns) = self.tables.get(at)?;
            Some((name.as_str(), self.merged.contains_key(&(at, place)), columns.get(place)?))
        })
    }

    /// The columns that joins merge: their names, and both sides.
    pub fn merged_columns(&self) -> Vec<(String, [Side; 2])> {
        let at = |(table, place): (usize, usize)| self.tables.get(table)?.1.get(place);
        let pair = |(right, left): (&(usize, usize), &(usize, usize))| {
            let (left, right) = (at(*left)?, at(*right)?);
            let side = |known: &Known| (known.typed, known.is_stored);
            Some((left.name.clone(), [side(left), side(right)]))
        };
        self.merged.iter().filter_map(pair).collect()
    }

    /// Whether `*` has its columns in another order than SQLite.
    pub fn is_reordered(&self) -> bool {
        !self.shown.is_sorted()
    }

    /// The types of the columns of `*`, or of that of one table; `None` if they are not known.
    pub fn types(&self, table: Option<&str>) -> Option<Vec<Option<Typed>>> {
        let is_known = !self.is_unknown() && self.width(table) > 0;
        is_known.then(|| self.all(table).map(|column| column.typed).collect())
    }

    /// The columns of `*`, or of that of one table, as expressions; `None` if one of them cannot be named.
    pub fn expanded(&self, table: Option<&str>) -> Option<Vec<Expr>> {
        if self.is_unknown() || self.width(table) == 0 || self.repeated().is_some() {
            return None;
        }
        let names = self.merged.keys().filter_map(|(at, place)| {
            let (_, columns) = self.tables.get(*at)?;
            Some(columns.get(*place)?.name.to_lowercase())
        });
        let merged: HashSet<String> = names.collect();
        let quoted = |name: &str| Ident::with_quote('"', name);
        let expr = |(owner, _, known): (&str, bool, &Known)| {
            if self.count(Some(owner), &known.name) != 1 {
                return None;
            }
            // One that is merged is of both tables, and has no table's name.
            if owner.is_empty() || (table.is_none() && merged.contains(&known.name.to_lowercase()))
            {
                return Some(Expr::Identifier(quoted(&known.name)));
            }
            Some(Expr::CompoundIdentifier(vec![quoted(owner), quoted(&known.name)]))
        };
        self.placed(table).map(expr).collect()
    }

    /// The names of all columns.
    pub fn names(&self) -> Vec<String> {
        self.all(None).map(|column| column.name.clone()).collect()
    }

    /// The names of the columns of the last table with this name.
    pub fn columns_named(&self, table: &str) -> Vec<String> {
        let found = self.tables.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(table));
        let columns = found.iter().flat_map(|(_, columns)| columns.iter());
        columns.map(|column| column.name.clone()).collect()
    }

    /// How many columns `*` has, or that of one table.
    pub fn width(&self, table: Option<&str>) -> usize {
        self.all(table).count()
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
