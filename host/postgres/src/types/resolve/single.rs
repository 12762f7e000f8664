//! A query that is one value: PostgreSQL refuses a second row, where SQLite takes the first of several.

use sqlparser::ast::{
    self, BinaryOperator, Expr, GroupByExpr, Ident, LimitClause, Query, Select, SelectItem,
    SetExpr, TableFactor,
};

use super::super::infer::Scope;
use super::super::parameters::Finder;
use super::grouping::has_aggregate;
use super::numbers::literal;
use super::{call, take};
use crate::translate::parse;

/// The aggregate that is the value of its only row.
const SINGLE: &str = "pg_single";

impl Finder<'_> {
    pub(super) fn resolve_single(&mut self, query: &mut Query) {
        // Other programs read what stays in the file.
        if self.is_view || self.is_trigger() || has_limit(query) {
            return;
        }
        let is_one = match &*query.body {
            SetExpr::Select(select) => width(select) != Some(1) || self.has_one_row(select),
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

/// Columns that a condition compares with what is no column of these tables.
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

/// How many columns a SELECT has, where its items say that.
fn width(select: &Select) -> Option<usize> {
    let is_one = |item: &SelectItem| {
        matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. })
    };
    select.projection.iter().all(is_one).then_some(select.projection.len())
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

/// `SELECT pg_single(value) FROM (query)`. An aggregate belongs to the query whose columns it has, so that in the place of the
/// value itself it might belong to one around.
fn surround(query: &mut Query) {
    let sql = format!("SELECT {SINGLE}(\"pg value\") FROM (SELECT 1)");
    let Ok(Some(ast::Statement::Query(outer))) = parse(&sql) else { return };
    let mut inner = std::mem::replace(query, *outer);
    let column = match first(&mut inner.body) {
        Some(item) => {
            let column = Ident::with_quote('"', "pg value");
            let expr = match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                    take(expr)
                }
                _ => return *query = inner,
            };
            *item = SelectItem::ExprWithAlias { expr, alias: column.clone() };
            column
        }
        // The name that both give to the column of VALUES.
        None => Ident::new("column1"),
    };
    let SetExpr::Select(select) = &mut *query.body else { return };
    if let [SelectItem::UnnamedExpr(item)] = &mut select.projection[..] {
        *item = call(SINGLE, vec![Expr::Identifier(column)]);
    }
    if let Some(TableFactor::Derived { subquery, .. }) =
        select.from.first_mut().map(|table| &mut table.relation)
    {
        **subquery = inner;
    }
}

/// The column of the first SELECT of a query.
fn first(body: &mut SetExpr) -> Option<&mut SelectItem> {
    match body {
        SetExpr::Select(select) => select.projection.first_mut(),
        SetExpr::SetOperation { left, .. } => first(left),
        SetExpr::Query(query) => first(&mut query.body),
        _ => None,
    }
}
