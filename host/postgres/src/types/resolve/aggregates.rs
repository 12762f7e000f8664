//! Aggregates, by the type of their argument.

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, OrderByExpr, OrderByOptions,
};

use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::family::Family;
use super::functions::arguments;
use super::numbers::collated;
use super::{call, family, is_null, number, string, take};
use crate::error::{Error, sqlstate};

/// Aggregates of numbers, with the names of the functions for `numeric` and for floats.
const AGGREGATES: &[(&str, &str)] = &[
    ("sum", "sum"),
    ("avg", "avg"),
    ("variance", "var_samp"),
    ("var_samp", "var_samp"),
    ("var_pop", "var_pop"),
    ("stddev", "stddev_samp"),
    ("stddev_samp", "stddev_samp"),
    ("stddev_pop", "stddev_pop"),
];

impl Finder<'_> {
    /// Resolve an aggregate; whether it is one.
    pub(super) fn resolve_aggregate(&mut self, expr: &mut Expr, name: &str) -> bool {
        if matches!(name, "bit_and" | "bit_or" | "bit_xor") {
            return self.of_bits(expr, name);
        }
        let is_extreme = matches!(name, "min" | "max");
        let found =
            AGGREGATES.iter().find(|(known, _)| *known == name).map(|(_, function)| *function);
        if found.is_none() && !is_extreme {
            return false;
        }
        let is_distinct = is_distinct(expr);
        let Some(mut all) = arguments(expr) else { return true };
        let [argument] = &mut all[..] else { return true };
        let Some(own) = self.type_of(argument).filter(|_| !is_given(argument)) else { return true };
        if own.ty == Type::One(Scalar::Time) && matches!(name, "sum" | "avg") {
            **argument = call("pg_interval_of_time", vec![take(argument)]);
            self.renamed(expr, &format!("pg_interval_{name}"));
            return true;
        }
        if own.ty == Type::One(Scalar::Interval) && matches!(name, "sum" | "avg" | "min" | "max") {
            self.renamed(expr, &format!("pg_interval_{name}"));
            return true;
        }
        if is_extreme && matches!(own.ty, Type::Array(_)) {
            let what = format!("{name} of {}", own.ty.name());
            self.refuse(Error::unsupported(what));
            return true;
        }
        let is_stored = self.is_stored(argument);
        match (found, family::number(Some(own))) {
            (None, Some(Scalar::Numeric)) if is_stored => {
                let Some(scale) = own.scale() else { return true };
                self.replace(expr, |expr| call("pg_numeric_of", vec![expr, number(scale)]));
            }
            (None, Some(Scalar::Numeric)) => {
                let with = collated(self.computed(take(argument), own));
                **argument = with;
                self.replace(expr, |expr| call("pg_numeric_of", vec![expr]));
            }
            (None, None)
                if matches!(
                    own.ty,
                    Type::One(
                        Scalar::Bool | Scalar::Uuid | Scalar::Json | Scalar::Jsonb | Scalar::Bytea
                    )
                ) =>
            {
                self.no_function(name, own);
            }
            (Some(function), Some(scalar)) => {
                let Some(target) = target(name, scalar) else { return true };
                let with = self.converted(take(argument), own, target);
                // Equal numerics are one value.
                let is_distinct = target == Scalar::Numeric && is_distinct;
                **argument = if is_distinct { collated(with) } else { with };
                self.renamed(expr, &format!("pg_{}_{function}", family::short(target)));
            }
            (Some(_), None) if family::loosely(own).is_some() => {
                self.no_function(name, own);
            }
            _ => {}
        }
        true
    }

    /// Whether PostgreSQL has the aggregate for these arguments.
    pub(super) fn check_aggregate(&mut self, expr: &mut Expr, name: &str) -> bool {
        let Some(all) = arguments(expr) else { return true };
        if all.iter().any(|argument| self.is_outer(argument)) {
            let what = format!("{name} of a column of the query around");
            self.refuse(Error::unsupported(what));
            return false;
        }
        let types: Vec<_> = all.iter().map(|expr| self.planned_type(expr)).collect();
        let families = types.iter().map(|ty| ty.flatten().map(Typed::plain).and_then(family::of));
        let families: Vec<_> = families.collect();
        let is = |family: &Option<Family>, wanted| family.is_none_or(|own| own == wanted);
        let fits = match (name, &all[..]) {
            ("bool_and" | "bool_or" | "every", [_]) => is(&families[0], Family::Boolean),
            ("string_agg", [_, _]) if families.contains(&Some(Family::Bytes)) => {
                self.refuse(Error::unsupported("string_agg of bytea"));
                return false;
            }
            ("string_agg", [_, _]) => families.iter().all(|own| is(own, Family::Text)),
            (name, [argument])
                if AGGREGATES.iter().any(|(known, _)| *known == name)
                    && self.is_untyped(argument) =>
            {
                self.not_unique(name, 1);
                return false;
            }
            _ => true,
        };
        if !fits {
            self.no_overload(name, &types);
        }
        fits
    }

    /// A list of distinct values, which PostgreSQL sorts to find them; whether it is written by now.
    pub(super) fn resolve_distinct(&mut self, expr: &mut Expr, name: &str) -> bool {
        let Expr::Function(function) = &mut *expr else { return false };
        let FunctionArguments::List(list) = &mut function.args else { return false };
        if list.duplicate_treatment != Some(DuplicateTreatment::Distinct) {
            return false;
        }
        let first = match list.args.first() {
            Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(first))) => first.clone(),
            _ => return false,
        };
        if matches!(first, Expr::Tuple(_)) {
            self.refuse(Error::unsupported(format_args!("{name} of rows")));
            return true;
        }
        self.check_equality(self.type_of(&first));
        match (name, &mut list.args[..]) {
            ("count", [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))]) => {
                self.compared(value);
                false
            }
            (
                "array_agg" | "json_agg" | "jsonb_agg",
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))],
            ) if list.clauses.is_empty() => {
                let options = OrderByOptions { sort: None, nulls_first: None };
                let term = OrderByExpr { expr: first, options, with_fill: None };
                list.clauses.push(FunctionArgumentClause::OrderBy(vec![term]));
                self.is_changed = true;
                self.compared(value);
                false
            }
            // SQLite's DISTINCT has one argument.
            ("string_agg", [_, FunctionArg::Unnamed(FunctionArgExpr::Expr(between))])
                if function.over.is_none() =>
            {
                if !is_given(between) && !is_null(between) {
                    let what =
                        "string_agg of distinct values with a separator that is not constant";
                    self.refuse(Error::unsupported(what));
                    return true;
                }
                let (between, filter) = (between.clone(), function.filter.take());
                let options = list.clauses.iter().find_map(|clause| match clause {
                    FunctionArgumentClause::OrderBy(terms) => {
                        terms.first().map(|term| term.options.clone())
                    }
                    _ => None,
                });
                *expr = joined(first, between, filter.map(|filter| *filter), options);
                self.is_changed = true;
                true
            }
            _ => false,
        }
    }

    /// An aggregate of the bits of integers.
    fn of_bits(&mut self, expr: &mut Expr, name: &str) -> bool {
        let Some(mut all) = arguments(expr) else { return true };
        let [argument] = &mut all[..] else { return true };
        let Some(own) = self.type_of(argument).filter(|_| !is_given(argument)) else { return true };
        if family::number(Some(own)).is_some_and(family::is_integer) {
            self.renamed(expr, &format!("pg_int8_{name}"))
        } else {
            self.no_function(name, own)
        }
        true
    }

    pub(super) fn no_function(&mut self, name: &str, own: Typed) {
        let message = format!("function {name}({}) does not exist", own.ty.name());
        let hint = "No function matches the given name and argument types. You might need to add explicit type casts.";
        self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message).hint(hint));
    }
}

/// Whether an aggregate is one of distinct values.
fn is_distinct(expr: &Expr) -> bool {
    let Expr::Function(function) = expr else { return false };
    let FunctionArguments::List(list) = &function.args else { return false };
    list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
}

/// The texts of a list of distinct ones, which has no NULL.
fn joined(
    value: Expr,
    between: Expr,
    filter: Option<Expr>,
    options: Option<OrderByOptions>,
) -> Expr {
    let mut list = call("json_group_array", vec![value.clone()]);
    if let Expr::Function(function) = &mut list
        && let FunctionArguments::List(list) = &mut function.args
    {
        let options = options.unwrap_or(OrderByOptions { sort: None, nulls_first: None });
        let term = OrderByExpr { expr: value.clone(), options, with_fill: None };
        list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
        list.clauses.push(FunctionArgumentClause::OrderBy(vec![term]));
        let given = Expr::IsNotNull(Box::new(value));
        function.filter = Some(Box::new(match filter {
            Some(filter) => Expr::BinaryOp {
                left: Box::new(given),
                op: BinaryOperator::And,
                right: Box::new(Expr::Nested(Box::new(filter))),
            },
            None => given,
        }));
    }
    let list = call("nullif", vec![list, string("[]")]);
    call("pg_text_array_join", vec![list, between, string("text")])
}

/// The type whose function computes an aggregate; `None` if SQLite's own does.
fn target(name: &str, scalar: Scalar) -> Option<Scalar> {
    match (name, scalar) {
        // A sum of these is a `bigint`, and SQLite's is exact.
        ("sum", Scalar::Int2 | Scalar::Int4) => None,
        ("sum", Scalar::Float4) => Some(Scalar::Float4),
        (_, scalar) if family::is_float(scalar) => Some(Scalar::Float8),
        _ => Some(Scalar::Numeric),
    }
}
