//! Which columns a grouped query may name outside aggregates. SQLite takes those of any row of the group.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, LimitClause, OrderByKind, Query, Select, SelectItem, SetExpr,
    Value, Visit, Visitor,
};

use super::super::infer::{Scope, is_scalar};
use super::super::parameters::Finder;
use super::numbers::literal;
use super::table::FUNCTIONS;
use crate::error::{Error, sqlstate};
use crate::translate::{folded, table_name};
use crate::walk::Walk;

/// Aggregates of PostgreSQL and of SQLite.
const AGGREGATES: &[&str] = &[
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "count",
    "every",
    "group_concat",
    "json_agg",
    "json_group_array",
    "json_group_object",
    "json_object_agg",
    "jsonb_agg",
    "jsonb_object_agg",
    "max",
    "min",
    "pg_single",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "total",
    "var_pop",
    "var_samp",
    "variance",
];

/// Functions of one row whose types depend on their arguments.
const SCALARS: &[&str] = &["coalesce", "greatest", "iif", "ifnull", "least", "mod", "nullif"];

/// The types that the names of resolved aggregates begin with: `pg_numeric_sum`.
const RESOLVED: &[&str] = &["float4_", "float8_", "int8_", "interval_", "numeric_"];

/// Whether a function is an aggregate of PostgreSQL, or what one was resolved to.
pub fn is_aggregate_name(name: &str) -> bool {
    let own = name.strip_prefix("pg_").unwrap_or(name);
    let base = RESOLVED.iter().find_map(|ty| own.strip_prefix(ty)).unwrap_or(own);
    [name, own, base].iter().any(|name| AGGREGATES.contains(name))
}

/// An aggregate over the rows of the group; functions that are not known may be one too.
fn is_aggregate(expr: &Expr) -> bool {
    let Expr::Function(function) = expr else { return false };
    let name = table_name(&function.name);
    let name = name.as_str();
    let is_known =
        is_scalar(name) || SCALARS.contains(&name) || FUNCTIONS.iter().any(|row| row.name == name);
    function.over.is_none() && (is_aggregate_name(name) || !is_known)
}

/// Whether a SELECT has an aggregate outside its subqueries.
pub fn has_aggregate(select: &Select) -> bool {
    has_call(select, is_aggregate_name)
}

/// Whether a SELECT calls such a function outside its subqueries, not over a window.
pub(super) fn has_call(select: &Select, is_such: fn(&str) -> bool) -> bool {
    calls(&select.projection, is_such) || calls(&select.having, is_such)
}

/// The same for a part of it.
pub(super) fn calls(part: &impl Visit, is_such: fn(&str) -> bool) -> bool {
    struct Search(u32, fn(&str) -> bool);
    impl Visitor for Search {
        type Break = ();

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }

        fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 -= 1;
            ControlFlow::Continue(())
        }

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            let is_known = matches!(expr, Expr::Function(function)
                if function.over.is_none() && self.1(&table_name(&function.name)));
            if self.0 == 0 && is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    part.walk(&mut Search(0, is_such)).is_break()
}

/// Looks for a column that is not grouped.
struct Columns<'a> {
    scope: &'a Scope,
    keys: &'a [Expr],
    /// The keys that are columns, with their tables.
    origins: HashSet<(String, String)>,
    /// The texts of the other keys.
    texts: HashSet<String>,
    /// Aggregates, grouped expressions and queries around the expression.
    inside: u32,
}

impl<'a> Columns<'a> {
    fn new(scope: &'a Scope, keys: &'a [Expr]) -> Self {
        let (mut origins, mut texts) = (HashSet::new(), HashSet::new());
        for key in keys {
            match scope.origin(key) {
                Some(origin) => _ = origins.insert(origin),
                None => _ = texts.insert(key.to_string()),
            }
        }
        Self { scope, keys, origins, texts, inside: 0 }
    }

    fn is_grouped(&self, expr: &Expr) -> bool {
        match self.scope.origin(expr) {
            Some(origin) => self.origins.contains(&origin),
            None => !self.texts.is_empty() && self.texts.contains(&expr.to_string()),
        }
    }
}

impl Visitor for Columns<'_> {
    type Break = Error;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Error> {
        self.inside += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Error> {
        self.inside -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        if is_aggregate(expr) || self.is_grouped(expr) {
            self.inside += 1;
        } else if self.inside == 0
            && let Some((table, column)) = self.scope.origin(expr)
            && !self.scope.is_dependent(&table, self.keys)
        {
            let message = format!(
                "column \"{table}.{column}\" must appear in the GROUP BY clause or be used in an aggregate function"
            );
            return ControlFlow::Break(Error::new(sqlstate::GROUPING_ERROR, message));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        if is_aggregate(expr) || self.is_grouped(expr) {
            self.inside -= 1;
        }
        ControlFlow::Continue(())
    }
}

/// What an item of GROUP BY or ORDER BY means: a column of the result by its position or its name, or an expression.
fn meant<'a>(expr: &'a Expr, select: &'a Select, prefers_result: bool, scope: &Scope) -> &'a Expr {
    if let Ok(place) = expr.to_string().parse::<usize>() {
        let item = place.checked_sub(1).and_then(|place| select.projection.get(place));
        return match item {
            Some(SelectItem::UnnamedExpr(item) | SelectItem::ExprWithAlias { expr: item, .. }) => {
                item
            }
            _ => expr,
        };
    }
    let Expr::Identifier(name) = expr else { return expr };
    let named = select.projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if folded(alias) == folded(name) => Some(expr),
        _ => None,
    });
    match named {
        Some(item) if prefers_result || scope.origin(expr).is_none() => item,
        _ => expr,
    }
}

impl Finder<'_> {
    /// Check the columns of a SELECT; `scope` has its tables.
    pub(in super::super) fn check_grouping(&mut self, select: &Select, scope: &Scope) {
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            self.check_constants(keys.iter(), "GROUP BY");
            if keys.iter().any(is_set_of_keys) {
                return self.refuse(Error::unsupported("GROUPING SETS, CUBE and ROLLUP"));
            }
        }
        let Some(keys) = grouped(select, scope) else { return };
        let mut columns = Columns::new(scope, &keys);
        let found = select.projection.walk(&mut columns);
        let found = if found.is_continue() { select.having.walk(&mut columns) } else { found };
        if let ControlFlow::Break(error) = found {
            self.refuse(error);
        }
        let has_wildcard =
            select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
        if let (true, Some((table, column))) = (has_wildcard, scope.ungrouped(&keys)) {
            let message = format!(
                "column \"{table}.{column}\" must appear in the GROUP BY clause or be used in an aggregate function"
            );
            self.refuse(Error::new(sqlstate::GROUPING_ERROR, message));
        }
    }

    /// Limits that are constants.
    pub(in super::super) fn check_limits(&mut self, query: &Query) {
        let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause else {
            return;
        };
        let is_negative = |expr: &Expr| literal(expr).is_some_and(|text| text.starts_with('-'));
        let (code, what) = match (limit, offset) {
            (Some(limit), _) if is_negative(limit) => (sqlstate::INVALID_LIMIT, "LIMIT"),
            (_, Some(offset)) if is_negative(&offset.value) => (sqlstate::INVALID_OFFSET, "OFFSET"),
            _ => return,
        };
        self.refuse(Error::new(code, format!("{what} must not be negative")));
    }

    /// A constant among keys is the position of a column.
    fn check_constants<'a>(&mut self, keys: impl Iterator<Item = &'a Expr>, clause: &str) {
        for key in keys {
            let is_wrong = match (key, literal(key)) {
                (Expr::Cast { .. }, _) => false,
                (_, Some(text)) => text.parse::<i32>().is_err(),
                (Expr::Value(value), None) => {
                    matches!(value.value, Value::Boolean(_) | Value::SingleQuotedString(_))
                }
                _ => false,
            };
            if is_wrong {
                let message = format!("non-integer constant in {clause}");
                self.refuse(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
        }
    }

    /// Check the order of a SELECT.
    pub(in super::super) fn check_order_by(&mut self, query: &Query, scope: &Scope) {
        let SetExpr::Select(select) = &*query.body else { return };
        let Some(order) = &query.order_by else { return };
        let OrderByKind::Expressions(terms) = &order.kind else { return };
        let keys = grouped(select, scope);
        let mut columns = keys.as_deref().map(|keys| Columns::new(scope, keys));
        let is_distinct = matches!(select.distinct, Some(Distinct::Distinct));
        let shown = is_distinct.then(|| Shown::of(select, scope));
        self.check_constants(terms.iter().map(|term| &term.expr), "ORDER BY");
        for term in terms {
            let expr = meant(&term.expr, select, true, scope);
            if let Some(columns) = &mut columns
                && let ControlFlow::Break(error) = expr.walk(columns)
            {
                self.refuse(error);
                columns.inside = 0;
            }
            let is_own = std::ptr::eq(expr, &raw const term.expr);
            if is_own && shown.as_ref().is_some_and(|shown| !shown.has(expr, scope)) {
                let message =
                    "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
                self.refuse(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message));
            }
        }
    }
}

fn is_set_of_keys(key: &Expr) -> bool {
    matches!(key, Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_))
}

/// The columns of a result.
struct Shown {
    /// A wildcard or the like, which may have any column.
    has_more: bool,
    origins: HashSet<(String, String)>,
    texts: HashSet<String>,
}

impl Shown {
    fn of(select: &Select, scope: &Scope) -> Self {
        let items = || {
            select.projection.iter().map(|item| match item {
                SelectItem::UnnamedExpr(item) | SelectItem::ExprWithAlias { expr: item, .. } => {
                    Some(item)
                }
                _ => None,
            })
        };
        Self {
            has_more: items().any(|item| item.is_none()),
            origins: items().flatten().filter_map(|item| scope.origin(item)).collect(),
            texts: items().flatten().map(ToString::to_string).collect(),
        }
    }

    fn has(&self, expr: &Expr, scope: &Scope) -> bool {
        self.has_more
            || self.texts.contains(&expr.to_string())
            || scope.origin(expr).is_some_and(|origin| self.origins.contains(&origin))
    }
}

/// What a SELECT is grouped by; `None` if it is not grouped.
fn grouped(select: &Select, scope: &Scope) -> Option<Vec<Expr>> {
    let GroupByExpr::Expressions(keys, _) = &select.group_by else { return None };
    // Sets of keys are refused as what they are.
    let has_sets = keys.iter().any(is_set_of_keys);
    if has_sets || keys.is_empty() && select.having.is_none() && !has_aggregate(select) {
        return None;
    }
    Some(keys.iter().map(|key| meant(key, select, false, scope).clone()).collect())
}
