//! RETURNING: SQLite knows the table that is written by its own name only, and no other one.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, FromTable, Ident, SelectItem, SelectItemQualifiedWildcardKind, TableFactor,
    TableObject,
};

use super::Rewriter;
use super::names::{folded, last, parts};
use crate::error::{Error, Result};
use crate::walk::visit_expressions_mut;

impl Rewriter<'_> {
    /// Name the table in RETURNING as SQLite has it.
    pub(super) fn returning(&mut self, tree: &mut ast::Statement) -> Result<()> {
        use ast::Statement as S;
        let (items, table, alias, has_others) = match tree {
            S::Insert(insert) => {
                let TableObject::TableName(name) = &insert.table else { return Ok(()) };
                let alias = insert.table_alias.as_ref().map(|alias| alias.alias.clone());
                (&mut insert.returning, parts(name).last().copied().cloned(), alias, false)
            }
            S::Update(update) => {
                let (table, alias) = named(&update.table.relation);
                (&mut update.returning, table, alias, update.from.is_some())
            }
            S::Delete(delete) => {
                let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) =
                    &delete.from;
                let (table, alias) =
                    tables.first().map(|table| named(&table.relation)).unwrap_or_default();
                (&mut delete.returning, table, alias, delete.using.is_some())
            }
            _ => return Ok(()),
        };
        let (Some(items), Some(table)) = (items, table) else { return Ok(()) };
        let own = alias.as_ref().map_or_else(|| folded(&table), folded);
        let mut is_changed = false;
        for item in items.iter_mut() {
            if let SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(name),
                options,
            ) = item
                && last(name) == own
            {
                *item = SelectItem::Wildcard(options.clone());
                is_changed = true;
            }
        }
        let found = visit_expressions_mut(items, |expr| {
            let Expr::CompoundIdentifier(parts) = expr else { return ControlFlow::Continue(()) };
            let [qualifier, _] = &mut parts[..] else { return ControlFlow::Continue(()) };
            if folded(qualifier) != own {
                return if has_others { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            if alias.is_some() {
                *qualifier = table.clone();
                is_changed = true;
            }
            ControlFlow::Continue(())
        });
        self.is_changed |= is_changed;
        match found {
            ControlFlow::Break(()) => {
                Err(Error::unsupported("RETURNING of another table's columns"))
            }
            ControlFlow::Continue(()) => Ok(()),
        }
    }
}

/// The name of a table, and its alias.
fn named(factor: &TableFactor) -> (Option<Ident>, Option<Ident>) {
    match factor {
        TableFactor::Table { name, alias, .. } => {
            let alias = alias.as_ref().map(|alias| alias.name.clone());
            (parts(name).last().copied().cloned(), alias)
        }
        _ => (None, None),
    }
}
