//! The columns of queries in FROM and WITH.

use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SelectItem,
};

use super::super::{Scalar, Type, Typed};
use super::known::one;
use super::scope::{Columns, Known, MAX_COLUMNS, Scope};
use super::{Body, Schema, first_select, name};
use crate::translate::{string_of, table_name};

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
    (name, vec![Known { name: column, typed, is_key: false, is_stored: false }])
}

/// The names of the columns of a query; none where they are not known.
pub fn columns_of_query(query: &Query, schema: &dyn Schema, with: &Scope) -> Vec<String> {
    const DEPTH: u32 = 16;
    let columns = columns_of(query, schema, with, DEPTH);
    columns.into_iter().map(|column| column.name).collect()
}

/// The columns of a query in FROM or WITH.
pub(super) fn columns_of(query: &Query, schema: &dyn Schema, with: &Scope, depth: u32) -> Columns {
    let scope = Scope::of_nested(query, schema, with, depth);
    let Some(body) = first_select(&query.body) else { return Vec::new() };
    let select = match body {
        Body::Select(select) => select,
        Body::Values(_) => return columns_of_values(query),
    };
    let mut columns = Vec::new();
    let known = |name, expr: &Expr| Known {
        name,
        typed: type_with_queries(expr, &scope, schema, with, depth),
        is_key: false,
        is_stored: false,
    };
    for item in &select.projection {
        match item {
            SelectItem::UnnamedExpr(expr) => columns.push(known(name(expr), expr)),
            SelectItem::ExprWithAlias { expr, alias } => {
                columns.push(known(alias.value.clone(), expr));
            }
            SelectItem::Wildcard(_) => scope.add_all(None, &mut columns),
            SelectItem::QualifiedWildcard(
                ast::SelectItemQualifiedWildcardKind::ObjectName(table),
                _,
            ) => scope.add_all(Some(&table_name(table)), &mut columns),
            _ => {}
        }
    }
    columns
}

/// `column1`, `column2`, … of VALUES.
pub(super) fn columns_of_values(query: &Query) -> Columns {
    let ast::SetExpr::Values(values) = &*query.body else { return Vec::new() };
    let width = values.rows.first().map_or(0, |row| row.content.len());
    let of_place = |place: usize| {
        let all = values.rows.iter().filter_map(|row| row.content.get(place));
        let known = all.filter(|expr| string_of(expr).is_none());
        Known {
            name: format!("column{}", place + 1),
            typed: Scope::default().common(known).or(one(Scalar::Text)),
            is_key: false,
            is_stored: false,
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
    let first = |query: &Query| columns_of(query, schema, with, depth).first()?.typed;
    match expr {
        Expr::Nested(inner) => type_with_queries(inner, scope, schema, with, depth),
        Expr::Subquery(query) => first(query),
        Expr::Function(function) => match (table_name(&function.name).as_str(), &function.args) {
            ("array", FunctionArguments::Subquery(query)) => {
                Some(Typed::plain(Type::Array(first(query)?.ty.scalar())))
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
