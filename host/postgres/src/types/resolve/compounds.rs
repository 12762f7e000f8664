//! The branches of UNION, INTERSECT and EXCEPT.

use sqlparser::ast::{Expr, Query, SelectItem, SetExpr, Values};

use crate::translate::folded;

/// The place of a column that the first SELECT of a compound names.
pub fn place_of(expr: &Expr, body: &SetExpr) -> Option<usize> {
    let Expr::Identifier(wanted) = expr else { return None };
    match body {
        SetExpr::SetOperation { left, .. } => place_of(expr, left),
        SetExpr::Query(query) => place_of(expr, &query.body),
        SetExpr::Select(select) => select.projection.iter().position(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => folded(alias) == folded(wanted),
            SelectItem::UnnamedExpr(expr) => crate::types::infer::name(expr) == folded(wanted),
            _ => false,
        }),
        _ => None,
    }
}

/// The branches of a compound are a part of its own query, also in parentheses.
pub fn without_parentheses(body: &mut SetExpr) {
    if let SetExpr::SetOperation { left, right, .. } = body {
        for branch in [left, right] {
            let is_plain = |inner: &Query| {
                inner.with.is_none()
                    && inner.order_by.is_none()
                    && inner.limit_clause.is_none()
                    && inner.fetch.is_none()
                    && inner.locks.is_empty()
            };
            while let SetExpr::Query(inner) = &mut **branch
                && is_plain(inner)
            {
                let none = SetExpr::Values(Values {
                    explicit_row: false,
                    value_keyword: false,
                    rows: Vec::new(),
                });
                let inner = std::mem::replace(&mut *inner.body, none);
                **branch = inner;
            }
            without_parentheses(branch);
        }
    }
}
