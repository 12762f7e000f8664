//! The types of calls of functions.

use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::super::resolve::{overloads, plans};
use super::super::{Scalar, TEXT, Type, Typed};
use super::factors::is_open;
use super::known::{compared, function_type, named_result, one, sum, wider};
use super::scope::Scope;
use crate::translate::{string_of, table_name};

/// The expressions of which a form is one, with its name: CASE, and calls of `coalesce` and its kin.
pub fn branches(expr: &Expr) -> Option<(&'static str, Vec<&Expr>)> {
    match expr {
        Expr::Case { conditions, else_result, .. } => {
            let results = conditions.iter().map(|when| &when.result);
            Some(("case", results.chain(else_result.as_deref()).collect()))
        }
        Expr::Function(function) => {
            const NAMES: [&str; 5] = ["coalesce", "greatest", "ifnull", "least", "nullif"];
            let name = table_name(&function.name);
            let name = NAMES.into_iter().find(|known| *known == name)?;
            Some((name, expressions(function).collect()))
        }
        _ => None,
    }
}

/// The arguments that are expressions.
fn expressions(function: &ast::Function) -> impl Iterator<Item = &Expr> {
    let arguments = match &function.args {
        FunctionArguments::List(list) => &list.args[..],
        _ => &[],
    };
    arguments.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
}

/// The type of a result; a character keeps the length that it is shown with.
fn without_modifier(own: Typed) -> Typed {
    if own.ty == Type::One(Scalar::Bpchar) { own } else { Typed::plain(own.ty) }
}

impl Scope {
    /// The result of a function that is called by the types of its arguments.
    fn listed(&self, name: &str, arguments: &[&Expr]) -> Option<Typed> {
        let given = |expr: &Expr| string_of(expr).is_some();
        let types: Vec<_> = arguments
            .iter()
            .map(|expr| if given(expr) { None } else { self.type_of(expr) })
            .collect();
        overloads::result(name, &types)
    }

    pub(super) fn call(&self, function: &ast::Function) -> Option<Typed> {
        let arguments: Vec<&Expr> = expressions(function).collect();
        let first = || arguments.first().and_then(|expr| self.type_of(expr));
        let name = table_name(&function.name);
        if let (FunctionArguments::Subquery(_), "array") = (&function.args, name.as_str()) {
            return None;
        }
        if plans::knows(&name) {
            // The arguments are looked at once: more would double with each level of nested calls.
            return self.planned(&name, &arguments).or_else(|| match name.as_str() {
                "array_agg" => Some(Typed::plain(Type::Array(Scalar::Text))),
                "date_trunc" => one(Scalar::Timestamptz),
                known => function_type(known).map(|scalar| Typed::plain(Type::One(scalar))),
            });
        }
        match name.as_str() {
            "min" | "max" if arguments.len() == 1 => first().map(|own| match own.ty {
                // PostgreSQL has no `min` or `max` of `varchar`.
                Type::One(Scalar::Varchar) => Typed::plain(TEXT),
                _ => own,
            }),
            "min" | "max" | "greatest" | "least" | "coalesce" | "ifnull" => {
                self.common(arguments.into_iter())
            }
            "nullif" => {
                let known = |expr: &&Expr| if is_open(expr) { None } else { self.type_of(expr) };
                compared(arguments.first().and_then(known), arguments.get(1).and_then(known))
            }
            "lag" | "lead" => {
                let none = arguments.get(2).filter(|none| !is_open(none));
                let none = none.and_then(|none| self.type_of(none));
                let both = first().into_iter().chain(none);
                both.reduce(|one, other| if one == other { one } else { wider(one, other) })
                    .map(without_modifier)
            }
            // The preferred one of its overloads.
            "abs" if arguments.first().is_some_and(|expr| is_open(expr)) => one(Scalar::Float8),
            "current_schemas" => Some(Typed::plain(Type::Array(Scalar::Text))),
            "abs" | "mod" | "first_value" | "last_value" | "nth_value" | "any_value"
            | "bit_and" | "bit_or" | "bit_xor" => first().map(without_modifier),
            "pg_int8_bit_and" | "pg_int8_bit_or" | "pg_int8_bit_xor" => {
                first().map(|t| Typed::plain(t.ty))
            }
            "pg_single" => first(),
            "iif" => self.common(arguments.into_iter().skip(1)),
            "sum" => Some(Typed::plain(sum(first()?.ty))),
            "avg" | "variance" | "var_samp" | "var_pop" | "stddev" | "stddev_samp"
            | "stddev_pop" => match first()?.ty.scalar() {
                Scalar::Float4 | Scalar::Float8 => one(Scalar::Float8),
                Scalar::Interval => one(Scalar::Interval),
                _ => one(Scalar::Numeric),
            },
            "unnest" => first().map(|t| Typed::plain(Type::One(t.ty.scalar()))),
            "generate_subscripts" => one(Scalar::Int4),
            "generate_series" => self.common(arguments.into_iter()).or(one(Scalar::Int4)),
            array if array.starts_with("pg_array_") => {
                let kind = string_of(arguments.last()?)?;
                match kind.strip_prefix('_') {
                    Some(element) => Some(Typed::plain(Type::Array(Scalar::of_name(element)?))),
                    None => one(Scalar::of_name(&kind)?),
                }
            }
            named if let Some(typed) = named_result(named) => Some(typed),
            listed if let Some(typed) = self.listed(listed, &arguments) => Some(typed),
            known => function_type(known).map(|scalar| Typed::plain(Type::One(scalar))),
        }
    }
}
