//! Constraints by the names that PostgreSQL gives them, which its errors have.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{self, ColumnDef, ColumnOption, CreateTable, Expr, Ident, TableConstraint};

use super::Rewriter;
use super::names::{folded, last, quoted_name};
use crate::walk::visit_expressions;

/// The only column that a condition names.
fn only_column(expr: &Expr, columns: &[String]) -> Option<String> {
    let mut found = HashSet::new();
    // It never breaks.
    let _: ControlFlow<()> = visit_expressions(expr, |expr| {
        let name = match expr {
            Expr::Identifier(name) => Some(folded(name)),
            Expr::CompoundIdentifier(parts) => parts.last().map(folded),
            _ => None,
        };
        found.extend(name.filter(|name| columns.contains(name)));
        ControlFlow::Continue(())
    });
    let mut found = found.into_iter();
    found.next().filter(|_| found.next().is_none())
}

/// A name that no other constraint has.
fn free(base: &str, taken: &mut HashSet<String>) -> Ident {
    let numbered = (1..).map(|number| format!("{base}{number}"));
    let name = std::iter::once(base.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = name.unwrap_or_default();
    taken.insert(name.clone());
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        Ident::new(name)
    } else {
        Ident::new(quoted_name(&name))
    }
}

impl Rewriter<'_> {
    /// Name the conditions of a table.
    pub(super) fn name_conditions(&mut self, table: &mut CreateTable) {
        let columns: Vec<_> = table.columns.iter().map(|column| folded(&column.name)).collect();
        let name = last(&table.name);
        let of_columns = table.columns.iter().flat_map(|column| &column.options);
        let of_columns = of_columns.filter_map(|option| option.name.as_ref());
        let of_table = table.constraints.iter().filter_map(|constraint| match constraint {
            TableConstraint::Check(check) => check.name.as_ref(),
            _ => None,
        });
        let mut taken: HashSet<_> = of_columns.chain(of_table).map(folded).collect();
        let mut is_changed = false;
        let mut free = |expr: &Expr| {
            is_changed = true;
            free(&base(&name, expr, &columns), &mut taken)
        };
        for option in table.columns.iter_mut().flat_map(|column| &mut column.options) {
            if let (None, ColumnOption::Check(check)) = (&option.name, &option.option) {
                option.name = Some(free(&check.expr));
            }
        }
        for constraint in &mut table.constraints {
            if let TableConstraint::Check(check @ ast::CheckConstraint { name: None, .. }) =
                constraint
            {
                check.name = Some(free(&check.expr));
            }
        }
        self.is_changed |= is_changed;
    }

    /// The same of a column that a table gets.
    pub(super) fn name_added(&mut self, table: &str, column: &mut ColumnDef) {
        let columns = [folded(&column.name)];
        let mut taken = HashSet::new();
        for option in &mut column.options {
            if let (None, ColumnOption::Check(check)) = (&option.name, &option.option) {
                option.name = Some(free(&base(table, &check.expr, &columns), &mut taken));
                self.is_changed = true;
            }
        }
    }
}

fn base(table: &str, expr: &Expr, columns: &[String]) -> String {
    match only_column(expr, columns) {
        Some(column) => format!("{table}_{column}_check"),
        None => format!("{table}_check"),
    }
}
