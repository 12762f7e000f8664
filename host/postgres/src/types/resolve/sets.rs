//! Functions of PostgreSQL in FROM that return sets: a query of SQLite's `json_each` over a list.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, Ident, Query, SelectItem, SetExpr, TableAlias,
    TableFactor,
};

use super::super::infer::Call;
use super::super::parameters::{Finder, parameter};
use super::super::{Scalar, Type, Typed};
use super::family::{self, Family};
use super::{call, plans};
use crate::error::Error;
use crate::translate::parse;
use crate::walk::visit_expressions;

/// What a function in FROM returns.
#[derive(Clone, Debug)]
pub struct Set {
    /// The function of `pgcatalog` that makes the list.
    pub function: &'static str,
    /// The columns; one without a name has that of the table.
    pub columns: Vec<(String, Type)>,
    /// Whether an element of the list is a list of columns.
    pub is_rows: bool,
}

/// The set of a function for arguments of these types.
pub fn set(name: &str, types: plans::Types<'_>) -> Option<Set> {
    const TEXT: Type = Type::One(Scalar::Text);
    let first = types.first().copied().flatten();
    if name == "pg_options_to_table" {
        let of_text = |ty: Type| matches!(ty, Type::Array(Scalar::Text));
        let column = |name: &str| (name.to_owned(), TEXT);
        return (types.len() == 1 && first.is_none_or(of_text)).then(|| Set {
            function: "pg_text_options",
            columns: vec![column("option_name"), column("option_value")],
            is_rows: true,
        });
    }
    let (own, is_binary) = if name.starts_with("jsonb_") {
        (Type::One(Scalar::Jsonb), true)
    } else {
        (Type::One(Scalar::Json), false)
    };
    if name == "unnest" {
        let column = |ty: &Option<Type>| match ty {
            Some(Type::Array(of)) => Some((String::new(), Type::One(*of))),
            _ => None,
        };
        let columns = types.iter().map(column).collect::<Option<Vec<_>>>()?;
        return (!columns.is_empty()).then_some(Set {
            function: "pg_array_zip",
            columns,
            is_rows: true,
        });
    }
    // `json_each` of a value that is not `json` is SQLite's own function.
    let is_own = first == Some(own) || (first.is_none() && name != "json_each");
    if types.len() != 1 || !is_own {
        return None;
    }
    let value = |ty| vec![("value".to_owned(), ty)];
    let pair = |ty| vec![("key".to_owned(), TEXT), ("value".to_owned(), ty)];
    let pick = |json, jsonb| if is_binary { jsonb } else { json };
    let (function, columns, is_rows) = match name {
        "json_array_elements" | "jsonb_array_elements" => {
            (pick("pg_json_elements", "pg_jsonb_elements"), value(own), false)
        }
        "json_array_elements_text" | "jsonb_array_elements_text" => {
            (pick("pg_json_elements_text", "pg_jsonb_elements_text"), value(TEXT), false)
        }
        "json_each" | "jsonb_each" => (pick("pg_json_pairs", "pg_jsonb_pairs"), pair(own), true),
        "json_each_text" | "jsonb_each_text" => {
            (pick("pg_json_pairs_text", "pg_jsonb_pairs_text"), pair(TEXT), true)
        }
        "json_object_keys" | "jsonb_object_keys" => {
            (pick("pg_json_keys", "pg_jsonb_keys"), vec![(String::new(), TEXT)], false)
        }
        _ => return None,
    };
    Some(Set { function, columns, is_rows })
}

impl Finder<'_> {
    /// The arguments of `unnest` and `generate_series`, where their types are known.
    pub(super) fn check_set(&mut self, name: &str, arguments: &[&Expr]) {
        let types: Vec<_> = arguments.iter().map(|expr| self.planned_type(expr)).collect();
        if types.iter().any(Option::is_none)
            || arguments.iter().any(|expr| parameter(expr).is_some())
        {
            return;
        }
        let known: Vec<Type> = types.iter().filter_map(|ty| ty.flatten()).collect();
        let fits = |ty: &Type| match (name, ty) {
            ("unnest", ty) => matches!(ty, Type::Array(_)),
            (_, Type::Array(_)) => false,
            (_, own) => matches!(
                family::of(Typed::plain(*own)),
                Some(Family::Number | Family::Moment | Family::Interval) | None
            ),
        };
        let counts = if name == "unnest" { 1..=usize::MAX } else { 2..=3 };
        if known.is_empty() && counts.contains(&types.len()) {
            self.not_unique(name, types.len());
        } else if !counts.contains(&types.len()) || !known.iter().all(fits) {
            self.no_overload(name, &types);
        }
    }

    /// A function in FROM becomes a query.
    pub(in super::super) fn resolve_factor(&mut self, factor: &mut TableFactor) {
        let Some(found) = Call::of(factor) else { return };
        if matches!(found.name.as_str(), "unnest" | "generate_series") {
            self.check_set(&found.name, &found.arguments);
        }
        let types: Option<Vec<_>> =
            found.arguments.iter().map(|expr| self.planned_type(expr)).collect();
        let Some(set) = types.and_then(|types| set(&found.name, &types)) else { return };
        let is_lateral = found.arguments.iter().any(|expr| {
            visit_expressions(*expr, |expr| {
                if self.is_column(expr) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .is_break()
        });
        if is_lateral {
            let hint = "put it among the columns of SELECT";
            let what = format!("{} of a column in FROM", found.name);
            return self.refuse(Error::unsupported(what).hint(hint));
        }
        let (table, columns) = found.columns(&set);
        let arguments: Vec<Expr> =
            found.arguments.iter().map(|expr| self.list_argument(expr, &set)).collect();
        let alias = found.alias.map_or_else(
            || TableAlias {
                explicit: true,
                name: Ident::with_quote('"', table),
                columns: Vec::new(),
                at: None,
            },
            |alias| TableAlias { columns: Vec::new(), ..alias.clone() },
        );
        let with_ordinality = found.with_ordinality;
        let list = call(set.function, arguments);
        let Some(subquery) = query(&columns, &set, with_ordinality, list) else { return };
        *factor =
            TableFactor::Derived { lateral: false, subquery, alias: Some(alias), sample: None };
        self.is_changed = true;
    }

    fn list_argument(&self, expr: &Expr, set: &Set) -> Expr {
        match (set.function, super::super::infer::is_open(expr)) {
            ("pg_array_zip" | "pg_text_options", _) | (_, false) => expr.clone(),
            (function, true) if function.starts_with("pg_jsonb") => {
                call("pg_jsonb_of", vec![expr.clone()])
            }
            _ => call("pg_json_of", vec![expr.clone()]),
        }
    }
}

/// `SELECT value AS … FROM "json_each"(list)`.
fn query(
    columns: &[(String, Type)],
    set: &Set,
    with_ordinality: bool,
    list: Expr,
) -> Option<Box<Query>> {
    let count = columns.len() - usize::from(with_ordinality);
    let value = |at: usize| match (at < count, set.is_rows) {
        (false, _) => "key + 1".to_owned(),
        (true, true) => format!("value ->> {at}"),
        (true, false) => "value".to_owned(),
    };
    let values: Vec<_> = (0..columns.len()).map(|at| format!("{} AS a", value(at))).collect();
    let sql = format!("SELECT {} FROM \"json_each\"(a)", values.join(", "));
    let Ok(Some(ast::Statement::Query(mut query))) = parse(&sql) else { return None };
    let SetExpr::Select(select) = &mut *query.body else { return None };
    for (item, (name, _)) in select.projection.iter_mut().zip(columns) {
        if let SelectItem::ExprWithAlias { alias, .. } = item {
            *alias = Ident::with_quote('"', name.clone());
        }
    }
    if let Some(TableFactor::Table { args: Some(args), .. }) =
        select.from.first_mut().map(|table| &mut table.relation)
    {
        args.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(list))];
    }
    Some(query)
}
