//! Aggregates, by the type of their argument.

use sqlparser::ast::Expr;

use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::functions::{arguments, rename};
use super::numbers::collated;
use super::{call, family, number, take};
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
        let is_extreme = matches!(name, "min" | "max");
        let found =
            AGGREGATES.iter().find(|(known, _)| *known == name).map(|(_, function)| *function);
        if found.is_none() && !is_extreme {
            return false;
        }
        let Some(mut all) = arguments(expr) else { return true };
        let [argument] = &mut all[..] else { return true };
        let Some(own) = self.type_of(argument).filter(|_| !is_given(argument)) else { return true };
        let is_span = own.ty == Type::One(Scalar::Interval);
        if is_span || (is_extreme && matches!(own.ty, Type::Array(_))) {
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
                **argument = with;
                rename(expr, &format!("pg_{}_{function}", family::short(target)));
                self.is_changed = true;
            }
            (Some(_), None)
                if family::of(own).is_some_and(|family| family != family::Family::Interval) =>
            {
                self.no_function(name, own);
            }
            _ => {}
        }
        true
    }

    pub(super) fn no_function(&mut self, name: &str, own: Typed) {
        let message = format!("function {name}({}) does not exist", own.ty.name());
        let hint = "No function matches the given name and argument types. You might need to add explicit type casts.";
        self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message).hint(hint));
    }
}

/// The type whose function computes an aggregate; none where SQLite's own does.
fn target(name: &str, scalar: Scalar) -> Option<Scalar> {
    match (name, scalar) {
        // A sum of these is a `bigint`, and SQLite's is exact.
        ("sum", Scalar::Int2 | Scalar::Int4) => None,
        ("sum", Scalar::Float4) => Some(Scalar::Float4),
        (_, scalar) if family::is_float(scalar) => Some(Scalar::Float8),
        _ => Some(Scalar::Numeric),
    }
}
