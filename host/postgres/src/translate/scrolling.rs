//! Whether a cursor goes backward that is declared without SCROLL or NO SCROLL: where PostgreSQL's plan of its query does.
//! A scan of one table does, and rows that are kept, as those that were sorted; joins, groups and the like do not.

use sqlparser::ast::{self, Expr, Query, Select, SetExpr, SetOperator, SetQuantifier, TableFactor};

use super::Statement;
use super::row_locks::without_rows;

/// Whether the rows of a query can be fetched backward.
pub fn goes_back(query: &Statement) -> bool {
    match query.parsed.as_ref().and_then(|tree| tree.top()) {
        Some(ast::Statement::Query(tree)) => tree.locks.is_empty() && of_query(tree),
        _ => true,
    }
}

/// Whether a query has FOR UPDATE or FOR SHARE.
pub fn has_locks(query: &Statement) -> bool {
    let tree = query.parsed.as_ref().and_then(|tree| tree.top());
    matches!(tree, Some(ast::Statement::Query(tree)) if !tree.locks.is_empty())
}

fn of_query(query: &Query) -> bool {
    of_body(&query.body, query.order_by.is_some())
}

fn of_body(body: &SetExpr, is_ordered: bool) -> bool {
    match body {
        SetExpr::Select(select) => !select.from.is_empty() && (is_ordered || of_select(select)),
        SetExpr::Query(query) => of_query(query),
        SetExpr::Values(values) => is_ordered || values.rows.len() > 1,
        SetExpr::SetOperation {
            op: SetOperator::Union,
            set_quantifier: SetQuantifier::All,
            left,
            right,
        } => is_ordered || (of_body(left, false) && of_body(right, false)),
        SetExpr::SetOperation { .. } => is_ordered,
        _ => true,
    }
}

fn of_select(select: &Select) -> bool {
    let [table] = &select.from[..] else { return false };
    let is_scan = match &table.relation {
        TableFactor::Derived { subquery, .. } => of_query(subquery),
        _ => true,
    };
    is_scan
        && table.joins.is_empty()
        && without_rows(select).is_none()
        && !select.selection.as_ref().is_some_and(is_joined)
}

/// Whether a condition becomes a join with its query.
fn is_joined(condition: &Expr) -> bool {
    match condition {
        Expr::BinaryOp { left, op: ast::BinaryOperator::And, right } => {
            is_joined(left) || is_joined(right)
        }
        Expr::Nested(inner) => is_joined(inner),
        Expr::InSubquery { negated, .. } => !negated,
        Expr::Exists { .. } => true,
        _ => false,
    }
}
