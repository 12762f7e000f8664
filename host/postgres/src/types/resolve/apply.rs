//! The plans of functions and operators, as they are written.

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident};

use super::super::infer::is_open;
use super::super::parameters::{Finder, WORDS, is_free, is_given, parameter};
use super::super::{Scalar, TEXT, Type, Typed};
use super::functions::{arguments, rename};
use super::plans::{self, Plan, Want};
use super::{call, family, is_null, number, string, take};
use crate::error::{Error, sqlstate};
use crate::translate::{as_cast, operator, string_of, table_name};

/// Aggregates that are planned: what is around their arguments stays.
const AGGREGATES: &[&str] =
    &["array_agg", "json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg"];

/// Functions whose only plan is another argument: they are sets.
const SETS: &[&str] = &[
    "json_array_elements",
    "json_array_elements_text",
    "json_object_keys",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "jsonb_object_keys",
];

impl Finder<'_> {
    /// The type of an operand or an argument, as [`plans`] takes it.
    pub(super) fn planned_type(&self, expr: &Expr) -> Option<Option<Type>> {
        if is_open(expr) {
            return Some(None);
        }
        match self.type_of(expr) {
            Some(typed) => Some(Some(typed.ty)),
            None => is_free(expr).then_some(None),
        }
    }

    pub(super) fn planned(&mut self, plan: &Plan, arguments: Vec<Expr>) -> Expr {
        let count = arguments.len();
        let mut all: Vec<_> = arguments
            .into_iter()
            .zip(&plan.wants)
            .map(|(expr, want)| self.wanted(expr, *want))
            .collect();
        if plan.is_swapped {
            all.reverse();
        }
        all.extend(plan.wants.iter().skip(count).map(|want| match want {
            Want::Named(ty) => string(family::kind(*ty)),
            Want::Word(text) => number(text),
            _ => Expr::Value(sqlparser::ast::Value::Null.into()),
        }));
        self.is_changed = true;
        call(plan.function, all)
    }

    fn wanted(&mut self, expr: Expr, want: Want) -> Expr {
        match want {
            Want::As(ty) => self.as_type(expr, ty),
            Want::Json => self.as_json(expr),
            Want::Key => self.as_key(expr),
            _ => expr,
        }
    }

    /// The key of an object of JSON: a text, of moments the one that they have in JSON.
    fn as_key(&mut self, mut expr: Expr) -> Expr {
        let Some(own) = self.type_of(&expr).filter(|_| !is_given(&expr)) else { return expr };
        match own.ty {
            Type::Array(_) | Type::One(Scalar::Json | Scalar::Jsonb) => {
                let message = "key value must be scalar, not array, composite, or json";
                self.refuse(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
            }
            Type::One(Scalar::Timestamp | Scalar::Timestamptz) => {
                expr = call("pg_text_json_key", vec![expr, string(family::kind(own.ty))]);
            }
            Type::One(_) => {
                self.as_text(&mut expr, WORDS);
                self.shown_as_text(&mut expr, own);
            }
        }
        expr
    }

    /// A value of this type.
    pub(super) fn as_type(&mut self, mut expr: Expr, ty: Type) -> Expr {
        if is_null(&expr) {
            return expr;
        }
        if parameter(&expr).is_some() {
            self.note(&mut expr, Some(Typed::plain(ty)));
        }
        let own = self.type_of(&expr).map(|typed| typed.ty);
        if !is_given(&expr) {
            return match (own, ty) {
                (Some(Type::Array(from)), Type::Array(to)) if from != to => {
                    call("pg_array_of", vec![expr, string(family::kind(ty))])
                }
                (Some(Type::One(Scalar::Time)), Type::One(Scalar::Interval)) => {
                    call("pg_interval_of_time", vec![expr])
                }
                (Some(Type::One(_)), Type::One(to))
                    if to == Scalar::Numeric || family::is_float(to) =>
                {
                    match self.type_of(&expr).filter(|own| family::number(Some(*own)).is_some()) {
                        Some(own) => self.converted(expr, own, to),
                        None => expr,
                    }
                }
                _ => expr,
            };
        }
        let is_parameter = is_free(&expr);
        match ty {
            Type::Array(_) if is_parameter => expr,
            Type::Array(_) => call("pg_array_of", vec![expr, string(family::kind(ty))]),
            Type::One(Scalar::Json) => call("pg_json_of", vec![expr]),
            Type::One(Scalar::Jsonb) => call("pg_jsonb_of", vec![expr]),
            Type::One(Scalar::Interval) => call("pg_interval_of", vec![expr]),
            Type::One(Scalar::Text | Scalar::Varchar | Scalar::Bpchar) => expr,
            _ if is_parameter => expr,
            Type::One(Scalar::Numeric) => call("pg_numeric_of", vec![expr]),
            _ => as_cast(expr, Typed::plain(ty)),
        }
    }

    /// JSON of a value: of NULL it is NULL, which those that take it write as null.
    fn as_json(&mut self, mut expr: Expr) -> Expr {
        if is_null(&expr) {
            return expr;
        }
        if parameter(&expr).is_some() {
            self.note(&mut expr, Some(Typed::plain(TEXT)));
        }
        if let Some(row) = self.row(&expr) {
            return row;
        }
        let own = if string_of(&expr).is_some() { None } else { self.type_of(&expr) };
        self.padded(&mut expr);
        let kind = match own.map(|own| own.ty) {
            Some(Type::One(Scalar::Json | Scalar::Jsonb)) => return expr,
            Some(ty) => family::kind(ty),
            None if is_given(&expr) => "text".to_owned(),
            None => String::new(),
        };
        let expr = match own.filter(|own| own.ty == Type::One(Scalar::Numeric)) {
            Some(own) => self.computed(expr, own),
            None => expr,
        };
        call("pg_json_value", vec![expr, string(kind)])
    }

    /// The row of a table that is named as a value, as JSON.
    fn row(&mut self, expr: &Expr) -> Option<Expr> {
        let Expr::Identifier(table) = expr else { return None };
        let columns = self.row_of(&table.value)?;
        let mut all = Vec::new();
        for (name, _) in columns {
            let column = Ident::with_quote('"', name.clone());
            all.push(string(name));
            all.push(self.as_json(Expr::CompoundIdentifier(vec![table.clone(), column])));
        }
        Some(call("pg_json_row", all))
    }

    /// An operator of `json`, arrays, dates and times; whether there is one.
    pub(super) fn resolve_planned(&mut self, expr: &mut Expr) -> bool {
        let Expr::BinaryOp { left, op, right } = expr else { return false };
        let name = operator(op);
        if name == "OVERLAPS" {
            return self.overlaps(expr);
        }
        let (Some(one), Some(other)) = (self.planned_type(left), self.planned_type(right)) else {
            return self.moved(expr, &name);
        };
        if self.is_view && !is_structure(one) && !is_structure(other) {
            return false;
        }
        if !plans::is_own(one) && !plans::is_own(other) {
            return self.check_arrow(&name, one, other);
        }
        let Some(plan) = plans::operator(&name, one, other) else {
            return self.check_planned(&name, one, other);
        };
        let operands = vec![take(left), take(right)];
        *expr = self.planned(&plan, operands);
        true
    }

    /// `->` of what is neither `json` nor a text, in which SQLite looks for it.
    fn check_arrow(&mut self, name: &str, one: Option<Type>, other: Option<Type>) -> bool {
        let Some(left) = one.filter(|left| matches!(name, "->" | "->>") && *left != TEXT) else {
            return false;
        };
        let right = other.map_or_else(|| "unknown".to_owned(), Type::name);
        let message = format!("operator does not exist: {} {name} {right}", left.name());
        self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
        true
    }

    /// What SQLite knows of a moment, and an interval.
    fn moved(&mut self, expr: &mut Expr, name: &str) -> bool {
        let Expr::BinaryOp { left, right, .. } = expr else { return false };
        let span = Type::One(Scalar::Interval);
        let types = [self.planned_type(left), self.planned_type(right)];
        let (moment, interval) = match (name, types) {
            ("+" | "-", [None, Some(Some(ty))]) if ty == span => (left, right),
            ("+", [Some(Some(ty)), None]) if ty == span => (right, left),
            _ => return false,
        };
        let function = if name == "+" { "pg_timestamp_add" } else { "pg_timestamp_sub" };
        *expr = call(function, vec![take(moment), take(interval)]);
        self.is_changed = true;
        true
    }

    /// No plan: PostgreSQL has no such operator, or it has, and nothing here.
    fn check_planned(&mut self, name: &str, one: Option<Type>, other: Option<Type>) -> bool {
        let is_comparison = matches!(name, "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=");
        // A constant without a type is a text, unless the other operand is an array or `jsonb`.
        let is_structure = |ty: &Type| matches!(ty, Type::Array(_) | Type::One(Scalar::Jsonb));
        let has_array = [one, other].iter().any(|ty| matches!(ty, Some(Type::Array(_))));
        let has_text = [one, other].contains(&Some(TEXT)) && !has_array
            || [one, other].contains(&None) && ![one, other].iter().flatten().any(is_structure);
        if is_comparison || matches!(name, "AND" | "OR") || (name == "||" && has_text) {
            return false;
        }
        match (one, other) {
            (Some(one), Some(other)) if !matches!(name, "@?" | "@@") => {
                self.no_operator(Typed::plain(one), &name, Typed::plain(other));
            }
            _ => self.refuse(
                Error::unsupported(format_args!("the operator {name} here"))
                    .hint("cast both operands to their types"),
            ),
        }
        true
    }

    fn overlaps(&mut self, expr: &mut Expr) -> bool {
        let Expr::BinaryOp { left, right, .. } = expr else { return false };
        let (Expr::Tuple(one), Expr::Tuple(other)) = (&mut **left, &mut **right) else {
            return false;
        };
        let ([one, end], [other, end2]) = (&mut one[..], &mut other[..]) else { return false };
        for (start, end) in [(&mut *one, &mut *end), (&mut *other, &mut *end2)] {
            if self.planned_type(end) == Some(Some(Type::One(Scalar::Interval))) {
                *end = call("pg_timestamp_add", vec![start.clone(), take(end)]);
            }
        }
        let mut all = vec![take(one), take(end), take(other), take(end2)];
        let types: Option<Vec<_>> = all.iter().map(|expr| self.planned_type(expr)).collect();
        match types.and_then(|types| plans::function("overlaps", &types)) {
            Some(plan) => *expr = self.planned(&plan, std::mem::take(&mut all)),
            None => self.refuse(Error::unsupported("OVERLAPS of these types")),
        }
        true
    }

    /// A function that is planned by its arguments; whether it is one.
    pub(super) fn resolve_planned_call(&mut self, expr: &mut Expr, name: &str) -> bool {
        if name == "make_interval" {
            unnamed_interval(expr);
        }
        let is_over = matches!(&*expr, Expr::Function(function) if function.over.is_some());
        let is_aggregate = AGGREGATES.contains(&name);
        let Some(mut all) = arguments(expr) else { return false };
        if name == "age" && all.len() == 1 {
            return self.age(expr);
        }
        let types: Vec<_> = all.iter().map(|expr| self.planned_type(expr)).collect();
        let known = types.iter().copied().collect::<Option<Vec<_>>>();
        let any = || plans::takes_any(name).then(|| types.iter().map(|ty| ty.flatten()).collect());
        let plan = known.or_else(any).and_then(|types| plans::function(name, &types));
        let Some(plan) = plan else {
            let is_array = types.first().is_some_and(|ty| matches!(ty, Some(Some(Type::Array(_)))));
            if name == "array_agg" && is_array {
                self.refuse(Error::unsupported("arrays of more than one dimension"));
            } else if plans::is_complete(name, types.len()) || (name == "to_char" && is_array) {
                self.check_call(name, &types);
            }
            return false;
        };
        if let ("array_agg", Type::Array(of)) = (name, plan.result.ty) {
            self.check_element(of);
        }
        if is_aggregate && is_over && plan.function != "array_agg" {
            self.refuse(Error::unsupported(format_args!("{name} with OVER")));
            return true;
        }
        let is_row = |expr: &Expr| matches!(expr, Expr::Identifier(table) if self.row_of(&table.value).is_some());
        let has_lines = plan.function == "pg_json_agg"
            && all.first().is_some_and(|expr| {
                is_row(expr) || matches!(self.planned_type(expr), Some(Some(Type::Array(_))))
            });
        if is_aggregate || SETS.contains(&name) {
            let values: Vec<_> = all.iter_mut().map(|expr| take(expr)).collect();
            let mut values: Vec<_> = values
                .into_iter()
                .zip(&plan.wants)
                .map(|(expr, want)| self.wanted(expr, *want))
                .collect();
            if let ("array_agg", Type::Array(Scalar::Numeric), [value]) =
                (name, plan.result.ty, &mut values[..])
                && string_of(value).is_some()
            {
                // A literal of `numeric` became a string, which does not tell its type.
                *value = call("pg_numeric_of", vec![take(value)]);
            }
            if SETS.contains(&name) {
                let list = call(plan.function, values);
                let set = match plan.result.ty {
                    Type::One(Scalar::Json) => "pg_json_each_of",
                    Type::One(Scalar::Jsonb) => "pg_jsonb_each_of",
                    _ => "pg_text_each_of",
                };
                *expr = call(set, vec![list]);
            } else {
                all.into_iter().zip(values.drain(..)).for_each(|(place, value)| *place = value);
                rename(expr, if has_lines { "pg_json_agg_rows" } else { plan.function });
            }
            self.is_changed = true;
            return true;
        }
        if is_over {
            return false;
        }
        let mut values: Vec<_> = all.into_iter().map(take).collect();
        if name.contains("extract_path") {
            let mut steps: Vec<_> =
                values.split_off(1).into_iter().map(|step| self.as_type(step, TEXT)).collect();
            steps.push(string("_text"));
            let Want::As(own) = plan.wants[0] else { return false };
            let first = self.as_type(values.remove(0), own);
            *expr = call(plan.function, vec![first, call("pg_array_made", steps)]);
            self.is_changed = true;
            return true;
        }
        *expr = self.planned(&plan, values);
        true
    }

    /// `age(moment)`: from it to the beginning of this day.
    fn age(&mut self, expr: &mut Expr) -> bool {
        let Some(mut all) = arguments(expr) else { return false };
        let today = Expr::Identifier(Ident::new("current_date"));
        let from = take(all[0]);
        *expr = call("pg_interval_age", vec![today, from]);
        self.is_changed = true;
        true
    }
}

/// Whether SQLite has no such values at all.
fn is_structure(ty: Option<Type>) -> bool {
    matches!(ty, Some(Type::Array(_) | Type::One(Scalar::Json | Scalar::Jsonb)))
}

/// `make_interval(days => 3)`, with all arguments in their positions.
fn unnamed_interval(expr: &mut Expr) {
    const NAMES: [&str; 7] = ["years", "months", "weeks", "days", "hours", "mins", "secs"];
    let Expr::Function(function) = expr else { return };
    let FunctionArguments::List(list) = &mut function.args else { return };
    let mut places: Vec<_> = NAMES.iter().map(|_| number(0)).collect();
    for (at, argument) in list.args.iter().enumerate() {
        let (at, expr) = match argument {
            FunctionArg::Named { name, arg: FunctionArgExpr::Expr(expr), .. } => {
                let name = name.value.to_lowercase();
                (NAMES.iter().position(|known| *known == name), expr)
            }
            FunctionArg::ExprNamed {
                name: Expr::Identifier(name),
                arg: FunctionArgExpr::Expr(expr),
                ..
            } => {
                let name = name.value.to_lowercase();
                (NAMES.iter().position(|known| *known == name), expr)
            }
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => (Some(at), expr),
            _ => return,
        };
        let Some(place) = at.and_then(|at| places.get_mut(at)) else { return };
        *place = expr.clone();
    }
    debug_assert!(table_name(&function.name) == "make_interval");
    *expr = call("make_interval", places);
}
