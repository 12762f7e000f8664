//! A query that is one value: PostgreSQL refuses a second row, where SQLite takes the first of several.

use sqlparser::ast::{
    self, BinaryOperator, Expr, GroupByExpr, LimitClause, Query, Select, SetExpr, TableFactor,
};

use super::super::infer::Scope;
use super::super::parameters::Finder;
use super::grouping::{has_aggregate, has_call};
use super::numbers::literal;
use crate::translate::{is_set_name, parse};

/// The aggregate that is the value of its only row.
const SINGLE: &str = "pg_single";

impl Finder<'_> {
    pub(super) fn resolve_single(&mut self, query: &mut Query) {
        // Other programs read what stays in the file.
        if self.is_view || self.is_trigger() || has_limit(query) {
            return;
        }
        let is_one = match &*query.body {
            SetExpr::Select(select) => select.projection.len() != 1 || self.has_one_row(select),
            SetExpr::Values(values) => values.rows.len() <= 1,
            _ => false,
        };
        if is_one {
            return;
        }
        self.is_changed = true;
        surround(query);
    }

    /// Whether no SELECT like this has two rows: it has no table, is an aggregate, or names a key.
    fn has_one_row(&self, select: &Select) -> bool {
        let is_grouped =
            !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
        let is_aggregate = !is_grouped && has_aggregate(select);
        if has_call(select, is_set_name) {
            return false;
        }
        if select.from.is_empty() || is_aggregate {
            return true;
        }
        let [table] = &select.from[..] else { return false };
        let (true, Some(condition)) = (table.joins.is_empty(), &select.selection) else {
            return false;
        };
        if !matches!(table.relation, TableFactor::Table { args: None, .. }) {
            return false;
        }
        let scope = self.scope_of(select);
        let mut keys = Vec::new();
        equal_columns(condition, &scope, &mut keys);
        let own = keys.first().and_then(|key| scope.origin(key));
        own.is_some_and(|(table, _)| scope.is_dependent(&table, &keys))
    }
}

/// Columns that a condition compares with something that is not a column of these tables.
fn equal_columns(condition: &Expr, scope: &Scope, keys: &mut Vec<Expr>) {
    match condition {
        Expr::Nested(inner) => equal_columns(inner, scope, keys),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            equal_columns(left, scope, keys);
            equal_columns(right, scope, keys);
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            for (column, value) in [(left, right), (right, left)] {
                let is_other = matches!(
                    **value,
                    Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_)
                ) && scope.origin(value).is_none();
                if is_other && scope.origin(column).is_some() {
                    keys.push((**column).clone());
                }
            }
        }
        _ => {}
    }
}

/// Whether a query is limited to one row.
fn has_limit(query: &Query) -> bool {
    let is_one = |expr: &Expr| literal(expr).is_some_and(|text| text == "1" || text == "0");
    match (&query.limit_clause, &query.fetch) {
        (Some(LimitClause::LimitOffset { limit: Some(limit), .. }), _) => is_one(limit),
        (_, Some(fetch)) => fetch.quantity.as_ref().is_none_or(is_one),
        _ => false,
    }
}

/// Put a query into [`SINGLE`]. An aggregate belongs to the query whose columns it has, so that instead of the value
/// itself it might belong to one around.
fn surround(query: &mut Query) {
    let sql = format!(
        "WITH \"pg values\"(\"pg value\") AS (SELECT 1) \
         SELECT {SINGLE}(\"pg value\") FROM \"pg values\""
    );
    let Ok(Some(ast::Statement::Query(outer))) = parse(&sql) else { return };
    let inner = std::mem::replace(query, *outer);
    if let Some(with) = &mut query.with
        && let [table] = &mut with.cte_tables[..]
    {
        *table.query = inner;
    }
}
