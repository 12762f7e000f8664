//! What a client has written, in a comment before what it was translated to: PostgreSQL shows it, and restores it from a dump.

use std::ops::ControlFlow;

use postgres_types::{clock, comments};
use sql_tokens::quoted_text;
use sqlparser::ast::{
    AlterTableOperation, ColumnDef, ColumnOption, Expr, Query, Statement, TableConstraint, Value,
};

use super::names::raw;
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

/// A query as it was written.
pub fn query(query: &Query) -> String {
    let mut query = query.clone();
    own_strings(&mut query);
    query.to_string()
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
