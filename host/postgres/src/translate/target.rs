//! What a statement writes, for the errors of constraints.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Assignment, AssignmentTarget, Expr, FromTable, SetExpr, TableFactor, TableObject,
    TableWithJoins, Visit,
};

use sql_tokens::quoted_name;

use super::is_default;
use super::names::last;
use crate::walk::visit_expressions;

/// The table that a statement writes, and its values.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// The table.
    pub table: String,
    /// Whether it only deletes.
    pub is_delete: bool,
    statement: &'a ast::Statement,
}

/// What a statement empties: the tables of TRUNCATE, and those of DROP TABLE.
#[derive(Clone, Debug)]
pub struct Emptied {
    /// The tables.
    pub tables: Vec<String>,
    /// Whether the tables themselves go, too.
    pub is_drop: bool,
    /// `CASCADE`.
    pub cascades: bool,
}

impl Emptied {
    /// Whether a table is one of them.
    pub fn has(&self, table: &str) -> bool {
        self.tables.iter().any(|one| one.eq_ignore_ascii_case(table))
    }

    /// What a statement empties; `None` for others.
    pub fn of(statement: &super::Statement) -> Option<Self> {
        match statement.parsed.as_ref()?.top()? {
            ast::Statement::Truncate(truncate) => Some(Self {
                tables: distinct(truncate.table_names.iter().map(|target| last(&target.name))),
                is_drop: false,
                cascades: matches!(truncate.cascade, Some(ast::CascadeOption::Cascade)),
            }),
            ast::Statement::Drop {
                object_type: ast::ObjectType::Table, names, cascade, ..
            } => {
                let tables = distinct(names.iter().map(last));
                Some(Self { tables, is_drop: true, cascades: *cascade })
            }
            _ => None,
        }
    }
}

/// Each name once, in the cases that it has first.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(name.to_ascii_lowercase())).collect()
}

impl<'a> Target<'a> {
    /// What a statement writes; `None` for others.
    pub fn of(statement: &'a super::Statement) -> Option<Self> {
        use ast::Statement as S;
        let statement = statement.parsed.as_ref()?.top()?;
        let (table, is_delete) = match statement {
            S::Insert(insert) => match &insert.table {
                TableObject::TableName(name) => (last(name), false),
                _ => return None,
            },
            S::Update(update) => (table_of(&update.table)?, false),
            S::Delete(delete) => {
                let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) =
                    &delete.from;
                (table_of(tables.first()?)?, true)
            }
            _ => return None,
        };
        Some(Self { table, is_delete, statement })
    }

    /// How many rows its text has.
    pub fn rows(&self) -> usize {
        match self.statement {
            ast::Statement::Insert(insert) => {
                match insert.source.as_ref().map(|source| &*source.body) {
                    Some(SetExpr::Values(values)) => values.rows.len(),
                    _ => 0,
                }
            }
            ast::Statement::Update(_) => 1,
            _ => 0,
        }
    }

    /// The value of a column in a row, where its text has it. `all` are the table's columns.
    pub fn value(&self, row: usize, column: &str, all: &[&str]) -> Option<String> {
        let value = match self.statement {
            ast::Statement::Insert(insert) => {
                let SetExpr::Values(values) = &*insert.source.as_ref()?.body else { return None };
                let place = if insert.columns.is_empty() {
                    all.iter().position(|name| name.eq_ignore_ascii_case(column))
                } else {
                    insert.columns.iter().position(|name| last(name).eq_ignore_ascii_case(column))
                };
                values.rows.get(row)?.content.get(place?)
            }
            ast::Statement::Update(update) => assigned(&update.assignments, column),
            _ => None,
        };
        value.filter(|value| !is_default(value) && is_again(*value)).map(ToString::to_string)
    }

    /// The condition that a row of the table loses its values of these columns; `None` if an UPDATE leaves them all.
    pub fn change(&self, columns: &[String]) -> Option<String> {
        let ast::Statement::Update(update) = self.statement else { return Some("true".to_owned()) };
        let others: Option<Vec<_>> = columns
            .iter()
            .filter(|column| assigned_in(&update.assignments, column))
            .map(|column| match self.value(0, column, &[]) {
                Some(value) if !value.contains(['$', '?']) => {
                    Some(format!("{} IS DISTINCT FROM ({value})", quoted_name(column)))
                }
                _ => None,
            })
            .collect();
        match others {
            Some(others) if others.is_empty() => None,
            Some(others) => Some(others.join(" OR ")),
            None => Some("true".to_owned()),
        }
    }

    /// The condition of an UPDATE or DELETE of one table without another name.
    pub fn condition(&self) -> Option<String> {
        let condition = match self.statement {
            ast::Statement::Update(update) if update.from.is_none() => &update.selection,
            ast::Statement::Delete(delete) if delete.using.is_none() => &delete.selection,
            _ => return None,
        };
        if condition.as_ref().is_some_and(|condition| !is_again(condition)) {
            return None;
        }
        Some(condition.as_ref().map_or("true".to_owned(), ToString::to_string))
    }
}

/// Whether an expression may be computed once more: it is short work, and changes nothing.
pub fn is_again(expr: &impl Visit) -> bool {
    const OTHERS: &[&str] = &["set_config", "random", "gen_random_uuid", "randomblob", "zeroblob"];
    let found = visit_expressions(expr, |expr| match expr {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => ControlFlow::Break(()),
        Expr::Function(function) => {
            let name = last(&function.name);
            if name.starts_with("pg_") || OTHERS.contains(&name.as_str()) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
        _ => ControlFlow::Continue(()),
    });
    found.is_continue()
}

fn table_of(table: &TableWithJoins) -> Option<String> {
    match &table.relation {
        TableFactor::Table { name, .. } => Some(last(name)),
        _ => None,
    }
}

/// Whether a column is assigned, alone or in a list.
fn assigned_in(assignments: &[Assignment], column: &str) -> bool {
    let is_it = |name: &ast::ObjectName| last(name).eq_ignore_ascii_case(column);
    assignments.iter().any(|one| match &one.target {
        AssignmentTarget::ColumnName(name) => is_it(name),
        AssignmentTarget::Tuple(names) => names.iter().any(is_it),
    })
}

pub fn assigned<'a>(assignments: &'a [Assignment], column: &str) -> Option<&'a Expr> {
    assignments.iter().find_map(|one| match &one.target {
        AssignmentTarget::ColumnName(name) if last(name).eq_ignore_ascii_case(column) => {
            Some(&one.value)
        }
        _ => None,
    })
}
