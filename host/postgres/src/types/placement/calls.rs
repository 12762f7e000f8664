//! What a call may have besides arguments: DISTINCT, ORDER BY, FILTER, OVER, and the argument count of what is not
//! a function in PostgreSQL's grammar.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArgumentClause, FunctionArguments, OrderByExpr,
};

use super::{arguments, is_window_name};
use crate::error::{Error, Result, sqlstate};
use crate::translate::is_postgres_function;
use crate::types::resolve::is_aggregate_name;

/// Forms of the grammar that look like functions, with the minimum and maximum argument count.
const FORMS: &[(&str, usize, usize)] = &[
    ("coalesce", 1, usize::MAX),
    ("greatest", 1, usize::MAX),
    ("least", 1, usize::MAX),
    ("nullif", 2, 2),
    ("grouping", 1, usize::MAX),
];

/// Aggregates of a set that WITHIN GROUP orders, and window functions that are one where they have arguments.
const ORDERED: &[&str] = &["mode", "percentile_cont", "percentile_disc"];
const HYPOTHETICAL: &[&str] = &["cume_dist", "dense_rank", "percent_rank", "rank"];

/// Check a call by itself.
pub fn check(function: &Function, name: &str) -> Result<()> {
    let FunctionArguments::List(list) = &function.args else { return Ok(()) };
    let refused = |code, message: String| Err(Error::new(code, message));
    if let Some((_, least, most)) = FORMS.iter().find(|(form, ..)| *form == name) {
        let count = arguments(function).count();
        let fits = (*least..=*most).contains(&count) && count == list.args.len();
        if !fits || function.over.is_some() {
            return refused(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{name}\""));
        }
        return Ok(());
    }
    let is_hypothetical = HYPOTHETICAL.contains(&name) && arguments(function).next().is_some();
    if (is_hypothetical || ORDERED.contains(&name)) && function.within_group.is_empty() {
        let message = format!("WITHIN GROUP is required for ordered-set aggregate {name}");
        return refused(sqlstate::WRONG_OBJECT_TYPE, message);
    }
    let is_window = is_window_name(name);
    let has_over = function.over.is_some();
    if is_window && !has_over && function.within_group.is_empty() {
        let message = format!("window function {name} requires an OVER clause");
        return refused(sqlstate::WRONG_OBJECT_TYPE, message);
    }
    let is_aggregate = is_aggregate_name(name);
    if name == "count" && list.args.is_empty() {
        let message = "count(*) must be used to call a parameterless aggregate function";
        return refused(sqlstate::WRONG_OBJECT_TYPE, message.into());
    }
    let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    let order = list.clauses.iter().find_map(|clause| match clause {
        FunctionArgumentClause::OrderBy(terms) => Some(&terms[..]),
        _ => None,
    });
    let written = [
        (is_distinct, "DISTINCT"),
        (order.is_some(), "ORDER BY"),
        (function.filter.is_some(), "FILTER"),
    ];
    let Some((_, clause)) = written.into_iter().find(|(is_there, _)| *is_there) else {
        return Ok(());
    };
    if !is_aggregate && !is_window && is_postgres_function(name) {
        let message = format!("{clause} specified, but {name} is not an aggregate function");
        return refused(sqlstate::WRONG_OBJECT_TYPE, message);
    }
    if has_over && (is_distinct || order.is_some() || is_window) {
        let message = match clause {
            "FILTER" => "FILTER is not implemented for non-aggregate window functions",
            "DISTINCT" => "DISTINCT is not implemented for window functions",
            _ => "aggregate ORDER BY is not implemented for window functions",
        };
        return refused(sqlstate::FEATURE_NOT_SUPPORTED, message.into());
    }
    check_order(function, order.filter(|_| is_distinct).unwrap_or_default())
}

/// Distinct values are ordered by themselves.
fn check_order(function: &Function, order: &[OrderByExpr]) -> Result<()> {
    let is_argument = |term: &OrderByExpr| arguments(function).any(|own| is_same(own, &term.expr));
    if order.iter().all(is_argument) {
        return Ok(());
    }
    let message =
        "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list";
    Err(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message))
}

/// Whether two expressions are the same, with or without parentheses and the name of a table.
fn is_same(one: &Expr, other: &Expr) -> bool {
    match (one, other) {
        (Expr::Nested(inner), other) | (other, Expr::Nested(inner)) => is_same(inner, other),
        (Expr::Identifier(name), Expr::CompoundIdentifier(parts))
        | (Expr::CompoundIdentifier(parts), Expr::Identifier(name)) => parts.last() == Some(name),
        _ => one == other,
    }
}
