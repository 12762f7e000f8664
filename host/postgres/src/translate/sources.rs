//! What a client has written, in a comment before what it was translated to: PostgreSQL shows it, and restores it from a dump.

use std::ops::ControlFlow;

use postgres_types::{clock, comments};
use sql_tokens::{Dialect, is_reserved, quoted_name, quoted_text};
use sqlparser::ast::{
    AlterTableOperation, ColumnDef, ColumnOption, Expr, Ident, Query, SelectItem, SetExpr,
    Statement, TableConstraint, Value,
};

use super::names::{folded, raw};
use super::parse;
use crate::walk::visit_expressions_mut;

/// Put the expressions of a definition, as they were, before those that SQLite evaluates.
pub fn keep(written: Option<&Statement>, tree: &mut Statement) {
    let Some(written) = written else { return };
    match (written, tree) {
        (Statement::CreateTable(written), Statement::CreateTable(table)) => {
            for (written, column) in written.columns.iter().zip(&mut table.columns) {
                keep_column(written, column);
            }
            for (written, constraint) in written.constraints.iter().zip(&mut table.constraints) {
                if let (TableConstraint::Check(written), TableConstraint::Check(check)) =
                    (written, constraint)
                {
                    keep_expression(&written.expr, &mut check.expr);
                }
            }
        }
        (Statement::CreateIndex(written), Statement::CreateIndex(index)) => {
            for (written, column) in written.columns.iter().zip(&mut index.columns) {
                keep_expression(&written.column.expr, &mut column.column.expr);
            }
            if let (Some(written), Some(predicate)) = (&written.predicate, &mut index.predicate) {
                keep_expression(written, predicate);
            }
        }
        (Statement::AlterTable(written), Statement::AlterTable(table)) => {
            for (written, operation) in written.operations.iter().zip(&mut table.operations) {
                if let (
                    AlterTableOperation::AddColumn { column_def: written, .. },
                    AlterTableOperation::AddColumn { column_def, .. },
                ) = (written, operation)
                {
                    keep_column(written, column_def);
                }
            }
        }
        _ => {}
    }
}

/// A name, in quotes where PostgreSQL needs them.
pub fn written_name(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_plain && !is_reserved(name, Dialect::Postgres) {
        return name.to_owned();
    }
    quoted_name(name)
}

/// A query as it was written.
pub fn query(query: &Query) -> String {
    let mut query = query.clone();
    own_strings(&mut query);
    query.to_string()
}

/// A query as it was written, whose first columns have these names.
pub fn named_query(query: &Query, names: &[String]) -> String {
    let mut aliased = query.clone();
    if alias(&mut aliased, names).is_some() {
        return self::query(&aliased);
    }
    wrapped(&self::query(query), names)
}

/// A query around another one, whose first columns have these names.
pub fn wrapped(query: &str, names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| quoted_name(name)).collect();
    format!("SELECT * FROM ({query}) AS \"named\" ({})", names.join(", "))
}

/// Name the columns of a query where they stand; `None` if that may be read in another way.
fn alias(query: &mut Query, names: &[String]) -> Option<()> {
    let mut body = &mut *query.body;
    let is_compound = matches!(body, SetExpr::SetOperation { .. });
    let select = loop {
        match body {
            SetExpr::Select(select) => break select,
            SetExpr::SetOperation { left, .. } => body = left,
            _ => return None,
        }
    };
    if select.projection.len() < names.len() {
        return None;
    }
    for (item, name) in select.projection.iter_mut().zip(names) {
        let (expr, own) = match item {
            SelectItem::UnnamedExpr(expr) => {
                let own = match &expr {
                    Expr::Identifier(own) => Some(folded(own)),
                    Expr::CompoundIdentifier(parts) => parts.last().map(folded),
                    _ => None,
                };
                (expr, own)
            }
            // ORDER BY may have the alias.
            SelectItem::ExprWithAlias { alias, .. } if folded(alias) == *name => continue,
            _ => return None,
        };
        if own.as_ref() == Some(name) {
            continue;
        }
        if is_compound && query.order_by.is_some() {
            return None;
        }
        *item =
            SelectItem::ExprWithAlias { expr: expr.clone(), alias: Ident::new(written_name(name)) };
    }
    Some(())
}

/// Whether a text is this query, to which the order that NULL has anyway may have been added.
pub fn is_query(text: &str, written: &str) -> bool {
    let plain = |text: &str| text.replace(" NULLS LAST", "");
    match parse(text) {
        Ok(Some(Statement::Query(own))) => plain(&query(&own)) == plain(written),
        _ => false,
    }
}

/// The options of one kind have the same order, and ours are behind them.
fn keep_column(written: &ColumnDef, column: &mut ColumnDef) {
    type Part = fn(&ColumnOption) -> Option<&Expr>;
    let parts: [Part; 3] = [
        |option| match option {
            ColumnOption::Check(check) => Some(&check.expr),
            _ => None,
        },
        |option| match option {
            ColumnOption::Default(expr) => Some(expr),
            _ => None,
        },
        |option| match option {
            ColumnOption::Generated { generation_expr, .. } => generation_expr.as_ref(),
            _ => None,
        },
    ];
    for part in parts {
        let mut written = written.options.iter().filter_map(|option| part(&option.option));
        for option in &mut column.options {
            if part(&option.option).is_none() {
                continue;
            }
            let Some(written) = written.next() else { break };
            match &mut option.option {
                ColumnOption::Check(check) => keep_expression(written, &mut check.expr),
                // SQLite wants parentheses around it.
                ColumnOption::Default(Expr::Nested(expr)) => keep_expression(written, expr),
                ColumnOption::Generated { generation_expr: Some(expr), .. } => {
                    keep_expression(written, expr);
                }
                _ => {}
            }
        }
    }
}

fn keep_expression(written: &Expr, expr: &mut Expr) {
    let translated = expr.to_string();
    let known = clock::shown(&translated).unwrap_or(&translated);
    if bare(known) == bare(&written.to_string()) {
        return;
    }
    let mut written = written.clone();
    own_strings(&mut written);
    *expr = raw(comments::sourced(&written.to_string(), &translated));
}

/// Without parentheses around all of it, and letters in one case.
fn bare(text: &str) -> String {
    let mut text = text.trim();
    while let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        text = inner.trim();
    }
    text.to_lowercase()
}

/// The parser's writer takes a backslash before a quote for an escape.
fn own_strings(tree: &mut impl sqlparser::ast::VisitMut) {
    // It never breaks.
    let _: ControlFlow<()> = visit_expressions_mut(tree, |expr| {
        if let Expr::Value(value) = expr
            && let Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) =
                &value.value
        {
            *expr = raw(quoted_text(text));
        }
        ControlFlow::Continue(())
    });
}
