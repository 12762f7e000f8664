//! Functions that have a form of their own, by their names; the others are in the [table](super::overloads).

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName};

use super::super::infer::is_open;
use super::super::parameters::{Finder, is_given, parameter};
use super::super::placement::is_window_name;
use super::super::{Scalar, Type, Typed};
use super::grouping::{calls, is_aggregate_name};
use super::numbers::literal;
use super::{call, family, is_null, string, take};
use crate::error::{Error, sqlstate};
use crate::translate::{string_of, table_name};

/// The expressions among the arguments of a call; `None` if it has something else.
pub fn arguments(expr: &mut Expr) -> Option<Vec<&mut Expr>> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &mut function.args else { return None };
    list.args
        .iter_mut()
        .map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect()
}

/// Functions whose type is that of their first argument, or of its elements.
const POLYMORPHIC: [&str; 11] = [
    "array_length",
    "array_lower",
    "array_to_string",
    "array_upper",
    "cardinality",
    "generate_subscripts",
    "json_agg",
    "jsonb_agg",
    "to_json",
    "to_jsonb",
    "trim_array",
];

impl Finder<'_> {
    /// Whether a call has arguments of PostgreSQL 15's that these functions have not here.
    fn has_more_of_patterns(&self, expr: &mut Expr, name: &str) -> bool {
        let most = match name {
            "regexp_replace" => 4,
            "regexp_substr" => 2,
            _ => return false,
        };
        let Some(all) = arguments(expr) else { return false };
        let is_place = |expr: &Expr| family::number(self.type_of(expr)).is_some();
        (most + 1..=6).contains(&all.len()) || (all.len() == 4 && is_place(all[3]))
    }

    pub(super) fn resolve_function(&mut self, expr: &mut Expr) {
        let Expr::Function(function) = &*expr else { return };
        let name = table_name(&function.name);
        if POLYMORPHIC.contains(&name.as_str())
            && arguments(expr).is_some_and(|all| all.first().is_some_and(|one| is_open(one)))
        {
            let message = "could not determine polymorphic type because input has type unknown";
            return self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
        }
        if self.has_more_of_patterns(expr, &name) {
            let what = format!("{name} with a place to begin, or a number of the match");
            return self.refuse(Error::unsupported(what).hint("take a part by substr before"));
        }
        self.order_within(expr);
        if is_aggregate_name(&name) && !self.check_aggregate(expr, &name) {
            return;
        }
        if self.resolve_distinct(expr, &name) {
            return;
        }
        if self.resolve_planned_call(expr, &name) || self.resolve_aggregate(expr, &name) {
            return;
        }
        match name.as_str() {
            "coalesce" | "ifnull" => {
                let Some(mut all) = arguments(expr) else { return };
                let common = self.unified(&mut all);
                if common.is_some_and(|typed| typed.ty == Type::One(Scalar::Numeric)) {
                    self.replace(expr, |expr| call("pg_numeric_of", vec![expr]));
                }
            }
            "greatest" | "least" => {
                let Some(mut all) = arguments(expr) else { return };
                let own = |expr: &Expr| self.type_of(expr).filter(|_| !is_given(expr));
                if all
                    .iter()
                    .any(|expr| own(expr).and_then(family::of) == Some(family::Family::Json))
                {
                    let message = "could not identify a comparison function for type json";
                    return self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
                }
                if let Some(ty) = all.iter().find_map(|expr| self.structure(expr)) {
                    let what = format!("{name} of {}", ty.name());
                    return self.refuse(Error::unsupported(what).hint("use CASE"));
                }
                let common = self.unified(&mut all);
                if common.is_some_and(|typed| typed.ty == Type::One(Scalar::Numeric)) {
                    let arguments = all.into_iter().map(take).collect();
                    self.replace(expr, |_| call(&format!("pg_numeric_{name}"), arguments));
                }
            }
            "nullif" => {
                let whole = self.type_of(expr);
                let Some(mut all) = arguments(expr) else { return };
                if all.len() != 2 {
                    return;
                }
                let own = self.type_of(all[0]);
                // A number as it is written compares as a number, and is shown with its digits.
                let is_numeric = own.is_some_and(|own| own.ty == Type::One(Scalar::Numeric));
                let is_widened = family::number(whole).is_some()
                    && own.map(|own| own.ty) != whole.map(|own| own.ty);
                if let (true, [one, other], Some(own), Some(whole)) =
                    (is_widened && !self.is_untyped(all[0]), &mut all[..], own, whole)
                {
                    let mut first = take(one);
                    self.widened(&mut first, own, whole);
                    let first = match (first, whole.ty.scalar()) {
                        (text @ Expr::Value(_), Scalar::Numeric) => {
                            call("pg_numeric_of", vec![text])
                        }
                        (number, Scalar::Float8) => call("pg_float8_of", vec![number]),
                        (value, _) => value,
                    };
                    let with = self.null_if(first, take(other));
                    return self.replace(expr, |_| with);
                }
                if let [one, other] = &mut all[..]
                    && (is_numeric && literal(one).is_some()
                        || self.structure(one).is_some()
                        || self.structure(other).is_some()
                        || self.is_date_beside_stamp(one, other))
                {
                    let with = self.null_if(take(one), take(other));
                    return self.replace(expr, |_| with);
                }
                self.compare_all(&mut all, "=");
                self.scaled(expr, own);
            }
            _ if is_window_name(&name) => self.resolve_window_function(expr, &name),
            "unnest" | "generate_series" => {
                if let Some(all) = arguments(expr) {
                    let all: Vec<_> = all.into_iter().map(|expr| &*expr).collect();
                    self.check_set(&name, &all);
                }
            }
            "num_nulls" | "num_nonnulls" => self.renamed(expr, &format!("pg_int4_{name}")),
            "quote_literal" | "quote_nullable" => {
                let Some(mut all) = arguments(expr) else { return };
                if let [argument] = &mut all[..]
                    && let Some(own) = self.type_of(argument).filter(|_| !is_given(argument))
                {
                    self.shown_as_text(argument, own);
                }
                if name == "quote_nullable" {
                    self.renamed(expr, "pg_text_quote_nullable");
                }
            }
            "pg_typeof" => {
                let Some(mut all) = arguments(expr) else { return };
                let [argument] = &mut all[..] else { return };
                let Some(own) = self.planned_type(argument) else { return };
                let name = string(own.map_or_else(|| "unknown".to_owned(), Type::name));
                // The query stays one of groups.
                let with = if calls(&**argument, is_aggregate_name) {
                    call("coalesce", vec![call("max", vec![name.clone()]), name])
                } else {
                    name
                };
                self.replace(expr, |_| with);
            }
            "concat" | "concat_ws" => {
                let Some(mut all) = arguments(expr) else { return };
                let between = all.first_mut().filter(|_| name == "concat_ws");
                let other = between.and_then(|between| {
                    self.type_of(between).filter(|_| !is_given(between) && !is_null(between))
                });
                let family = other.and_then(family::of);
                if let (Some(other), Some(family)) = (other, family)
                    && family != family::Family::Text
                {
                    return self.no_function(&name, other);
                }
                all.into_iter().for_each(|argument| self.shown_as_sent(argument));
            }
            "format" => {
                let all = arguments(expr).unwrap_or_default();
                all.into_iter().skip(1).for_each(|argument| self.shown_as_sent(argument));
            }
            "json_object" | "jsonb_object" => self.check_object(expr, &name),
            _ => self.resolve_call(expr, &name),
        }
    }

    /// The type of a value whose text does not compare as it does.
    fn structure(&self, expr: &Expr) -> Option<Type> {
        let ty = self.type_of(expr)?.ty;
        matches!(ty, Type::Array(_) | Type::One(Scalar::Jsonb | Scalar::Interval)).then_some(ty)
    }

    /// `json_object(array)`; with other arguments it is SQLite's.
    fn check_object(&mut self, expr: &mut Expr, name: &str) {
        let Some(all) = arguments(expr).filter(|all| (1..=2).contains(&all.len())) else { return };
        let is_array = |expr: &Expr| {
            self.is_array(expr)
                || string_of(expr).is_some_and(|text| text.trim_start().starts_with('{'))
                || parameter(expr).is_some()
        };
        if name == "jsonb_object" || all.iter().all(|expr| is_array(expr)) {
            let hint = format!("use {}_build_object", name.trim_end_matches("_object"));
            self.refuse(Error::unsupported(format_args!("{name} of arrays")).hint(hint));
        }
    }

    pub(super) fn renamed(&mut self, expr: &mut Expr, name: &str) {
        rename(expr, name);
        self.is_changed = true;
    }

    /// A value of a stored numeric, with the digits of its column.
    pub(super) fn scaled(&mut self, expr: &mut Expr, own: Option<Typed>) {
        if let Some(own) = own.filter(|own| own.ty == Type::One(Scalar::Numeric)) {
            let with = match self.computed(take(expr), own) {
                text @ Expr::Value(_) => call("pg_numeric_of", vec![text]),
                computed => computed,
            };
            self.replace(expr, |_| with);
        }
    }

    /// `ceil(x)` and `floor(x)`, which the parser has as forms of their own.
    pub(super) fn resolve_rounding(&mut self, expr: &mut Expr) {
        let (name, inner) = match expr {
            Expr::Ceil { expr, .. } => ("ceil", take(expr)),
            Expr::Floor { expr, .. } => ("floor", take(expr)),
            _ => return,
        };
        *expr = call(name, vec![inner]);
        self.is_changed = true;
        self.resolve_function(expr);
    }
}

/// Give a function another name.
pub fn rename(expr: &mut Expr, name: &str) {
    if let Expr::Function(function) = expr {
        function.name = ObjectName::from(Ident::new(name));
    }
}
