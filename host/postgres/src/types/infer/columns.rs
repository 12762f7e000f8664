//! The columns of queries in FROM and WITH.

use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query, Select, SelectItem,
    SetExpr, Values,
};

use super::super::{Scalar, TEXT, Type, Typed};
use super::calls::branches;
use super::factors::is_open;
use super::known::{compared, one, together, wider};
use super::scope::{Columns, Known, MAX_COLUMNS, MAX_DEPTH, Scope};
use super::{Schema, names::name_by};
use crate::translate::{folded, string_of, table_name};

/// The column of `generate_series`, which has the type of its arguments.
pub(super) fn series(
    alias: Option<&ast::TableAlias>,
    arguments: &[FunctionArg],
) -> (String, Columns) {
    let name = alias.map_or("generate_series".to_owned(), |alias| alias.name.value.clone());
    let column = alias.and_then(|alias| alias.columns.first());
    let column = column.map_or_else(|| name.clone(), |column| column.name.value.clone());
    let expressions = arguments.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    let typed = Scope::default().common(expressions).or(one(Scalar::Int4));
    (name, vec![Known { name: column, typed, ..Known::default() }])
}

/// A column of a query: its name, its type, and whether it is that of a table as it is stored.
pub type Named = (String, Option<Typed>, bool);

/// The columns of a query; empty if they are not known.
pub fn columns_of_query(query: &Query, schema: &dyn Schema, with: &Scope) -> Vec<Named> {
    let columns = columns_of(query, schema, with, MAX_DEPTH);
    if columns.iter().any(Known::is_rest) {
        return Vec::new();
    }
    columns.into_iter().map(|column| (column.name, column.typed, column.is_stored)).collect()
}

/// The columns of a query in FROM or WITH.
pub(super) fn columns_of(query: &Query, schema: &dyn Schema, with: &Scope, depth: u32) -> Columns {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let with = Scope::with(query, schema, with, depth);
    columns_of_body(&query.body, schema, &with, depth)
}

/// The same of what is between WITH and ORDER BY.
pub(super) fn columns_of_body(
    body: &SetExpr,
    schema: &dyn Schema,
    with: &Scope,
    depth: u32,
) -> Columns {
    match body {
        SetExpr::Select(select) => columns_of_select(select, schema, with, depth),
        SetExpr::Values(values) => columns_of_values(values, schema, with, depth),
        SetExpr::Query(query) => columns_of(query, schema, with, depth),
        SetExpr::SetOperation { left, right, .. } => {
            let left = columns_of_body(left, schema, with, depth);
            unified(left, &columns_of_body(right, schema, with, depth))
        }
        _ => Vec::new(),
    }
}

/// The columns of two branches of a compound.
fn unified(left: Columns, right: &Columns) -> Columns {
    let both = |(place, one): (usize, Known)| {
        let other = right.get(place);
        let own = one.typed.filter(|own| !one.is_open || own.ty != TEXT);
        let typed = match (own, other.and_then(|other| other.typed)) {
            (Some(typed), Some(own)) if typed == own => Some(typed),
            (None, typed) if one.is_open => typed.map(|typed| Typed::plain(typed.ty)),
            // NULL leaves the length of a character.
            (Some(typed), None)
                if typed.ty == Type::One(Scalar::Bpchar)
                    && other.is_some_and(|other| other.is_open) =>
            {
                Some(typed)
            }
            // A string, and NULL.
            (Some(typed), _) if other.is_some_and(|other| other.is_open) => {
                Some(Typed::plain(typed.ty))
            }
            (Some(typed), Some(own)) => Some(wider(typed, own)),
            _ => None,
        };
        let is_open = one.is_open && other.is_some_and(|other| other.is_open);
        Known { typed, is_open, is_stored: false, ..one }
    };
    left.into_iter().enumerate().map(both).collect()
}

fn columns_of_select(select: &Select, schema: &dyn Schema, with: &Scope, depth: u32) -> Columns {
    let scope = Scope::from(&select.from, schema, with, depth);
    let mut columns = Vec::new();
    let known = |name, expr: &Expr| Known {
        name,
        typed: type_with_queries(expr, &scope, schema, with, depth),
        is_stored: scope.is_stored(expr).unwrap_or(false),
        is_open: is_open(expr),
        ..Known::default()
    };
    for item in &select.projection {
        let table = match item {
            SelectItem::UnnamedExpr(expr) => {
                columns.push(known(name_of(expr, &scope, schema, with, depth), expr));
                continue;
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                columns.push(known(folded(alias), expr));
                continue;
            }
            SelectItem::QualifiedWildcard(
                ast::SelectItemQualifiedWildcardKind::ObjectName(table),
                _,
            ) => Some(table_name(table)),
            _ => None,
        };
        if scope.is_unknown() {
            columns.push(Known::rest());
        }
        scope.add_all(table.as_deref(), &mut columns);
    }
    columns
}

/// The name that PostgreSQL gives to a column.
pub(super) fn name_of(
    expr: &Expr,
    scope: &Scope,
    schema: &dyn Schema,
    with: &Scope,
    depth: u32,
) -> String {
    name_by(expr, &|query| {
        let with = Scope::with_outer(with, Some(scope));
        let first = columns_of(query, schema, &with, depth).into_iter().next()?;
        (!first.is_rest()).then_some(first.name)
    })
}

/// `column1`, `column2`, … of VALUES.
fn columns_of_values(values: &Values, schema: &dyn Schema, with: &Scope, depth: u32) -> Columns {
    let width = values.rows.first().map_or(0, |row| row.content.len());
    let scope = Scope { outer: with.outer.clone(), ..Scope::default() };
    let of_place = |place: usize| {
        let all = values.rows.iter().filter_map(|row| row.content.get(place));
        let known = all.clone().filter(|expr| string_of(expr).is_none());
        let types = known.filter_map(|expr| type_with_queries(expr, &scope, schema, with, depth));
        let common = types.reduce(|one, other| if one == other { one } else { wider(one, other) });
        Known {
            name: format!("column{}", place + 1),
            typed: common.or(one(Scalar::Text)),
            is_open: all.into_iter().all(is_open),
            ..Known::default()
        }
    };
    (0..width.min(MAX_COLUMNS + 1)).map(of_place).collect()
}

/// The type of an expression, also of a query, of `ARRAY(query)`, and of its elements.
pub(super) fn type_with_queries(
    expr: &Expr,
    scope: &Scope,
    schema: &dyn Schema,
    with: &Scope,
    depth: u32,
) -> Option<Typed> {
    let first = |query: &Query| {
        let with = Scope::with_outer(with, Some(scope));
        columns_of(query, schema, &with, depth).first()?.typed
    };
    if let Some((name, all)) = branches(expr) {
        let of = |expr: &Expr| type_with_queries(expr, scope, schema, with, depth);
        let known = |expr: &&Expr| if is_open(expr) { None } else { of(expr) };
        if let ("nullif", [one, other]) = (name, &all[..]) {
            return compared(known(one), known(other));
        }
        return together(all.into_iter().map(|expr| (expr, of(expr))));
    }
    match expr {
        Expr::Nested(inner) => type_with_queries(inner, scope, schema, with, depth),
        Expr::Subquery(query) => first(query),
        Expr::Function(function) => match (table_name(&function.name).as_str(), &function.args) {
            ("array", FunctionArguments::Subquery(query)) => {
                let with = Scope::with_outer(with, Some(scope));
                let column = columns_of(query, schema, &with, depth).into_iter().next()?;
                // Strings and NULL alone are texts.
                let of = column.typed.or(if column.is_open { one(Scalar::Text) } else { None })?;
                Some(Typed::plain(Type::Array(of.ty.scalar())))
            }
            ("unnest", FunctionArguments::List(list)) => match &list.args[..] {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(array))] => {
                    let array = type_with_queries(array, scope, schema, with, depth)?;
                    Some(Typed::plain(Type::One(array.ty.scalar())))
                }
                _ => scope.type_of(expr),
            },
            _ => scope.type_of(expr),
        },
        _ => scope.type_of(expr),
    }
}
