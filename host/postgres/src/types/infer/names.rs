//! The names of columns without an alias.

use sqlparser::ast::{AccessExpr, Expr, Query, SelectItem, TrimWhereField};

use super::super::resolve::family::typname;
use super::{Body, first_select};
use crate::translate::{folded, is_object, table_name, typed};

/// Queries and expressions in each other that are looked into.
const MAX_DEPTH: u32 = 32;

/// The name that PostgreSQL gives to a column.
pub fn name(expr: &Expr) -> String {
    found(expr, MAX_DEPTH).map_or_else(|| "?column?".to_owned(), |(name, _)| name)
}

/// A name, and whether it is better than that of a type.
fn found(expr: &Expr, depth: u32) -> Option<(String, bool)> {
    let depth = depth.checked_sub(1)?;
    let good = |name: &str| Some((name.to_owned(), true));
    match expr {
        Expr::Identifier(name) => Some((folded(name), true)),
        Expr::CompoundIdentifier(parts) => Some((folded(parts.last()?), true)),
        Expr::CompoundFieldAccess { root, access_chain } => {
            let field = access_chain.iter().rev().find_map(|access| match access {
                AccessExpr::Dot(Expr::Identifier(name)) => Some((folded(name), true)),
                _ => None,
            });
            field.or_else(|| found(root, depth))
        }
        Expr::Function(function) => Some((table_name(&function.name), true)),
        Expr::Cast { expr, data_type, .. } => match found(expr, depth) {
            Some((name, true)) => Some((name, true)),
            _ if is_object(data_type) => {
                let name = data_type.to_string().to_lowercase();
                Some((name.trim_start_matches("pg_catalog.").to_owned(), false))
            }
            _ => Some((typname(typed(data_type)?.ty.scalar()).to_owned(), false)),
        },
        Expr::TypedString(string) => {
            Some((typname(typed(&string.data_type)?.ty.scalar()).to_owned(), false))
        }
        Expr::Interval(_) => Some(("interval".to_owned(), false)),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => found(inner, depth),
        Expr::Case { else_result, .. } => {
            let last = else_result.as_deref().and_then(|last| found(last, depth));
            Some(last.filter(|(_, is_good)| *is_good).unwrap_or(("case".to_owned(), false)))
        }
        Expr::Exists { .. } => good("exists"),
        Expr::Subquery(query) => of_query(query, depth),
        Expr::Extract { .. } => good("extract"),
        Expr::Array(_) => good("array"),
        Expr::Tuple(_) => good("row"),
        Expr::Substring { shorthand: true, .. } => good("substr"),
        Expr::Substring { .. } => good("substring"),
        Expr::Overlay { .. } => good("overlay"),
        Expr::Position { .. } => good("position"),
        Expr::Ceil { .. } => good("ceil"),
        Expr::Floor { .. } => good("floor"),
        Expr::AtTimeZone { .. } => good("timezone"),
        Expr::Trim { trim_where, .. } => good(match trim_where {
            Some(TrimWhereField::Leading) => "ltrim",
            Some(TrimWhereField::Trailing) => "rtrim",
            _ => "btrim",
        }),
        _ => None,
    }
}

fn of_query(query: &Query, depth: u32) -> Option<(String, bool)> {
    let Body::Select(select) = first_select(&query.body)? else {
        return Some(("column1".to_owned(), true));
    };
    match select.projection.first()? {
        SelectItem::UnnamedExpr(expr) => found(expr, depth),
        SelectItem::ExprWithAlias { alias, .. } => Some((folded(alias), true)),
        _ => None,
    }
}
