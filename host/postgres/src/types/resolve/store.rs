//! What is stored in a column: PostgreSQL's assignment casts.

use sqlparser::ast::Expr;

use super::super::parameters::{Finder, is_given, parameter};
use super::super::{Scalar, Type, Typed};
use super::casts::precision;
use super::family::{self, Family};
use super::numbers::literal;
use super::{call, is_null, number, string, take};
use crate::error::{Error, sqlstate};
use crate::values;

impl Finder<'_> {
    /// An expression that has been resolved, as a column has it.
    pub(in super::super) fn assigned(&mut self, expr: &mut Expr, column: Typed) {
        if is_null(expr) || self.assigned_structure(expr, column) || self.is_fitting(expr, column) {
            return;
        }
        if let Some(text) = literal(expr) {
            return self.assigned_literal(expr, &text, column);
        }
        let Some(own) = self.type_of(expr).filter(|_| !is_given(expr)) else {
            return self.assigned_length(expr, None, column);
        };
        self.check_assignment(own, column);
        let Type::One(target) = column.ty else { return };
        let Some(scalar) = family::number(Some(own)) else {
            if let Some(function) = moment(own, column) {
                return self.replace(expr, |expr| call(function, vec![expr]));
            }
            return self.assigned_text(expr, own, column);
        };
        let with = match target {
            Scalar::Numeric => self.assigned_numeric(expr, own, column),
            Scalar::Int2 | Scalar::Int4 | Scalar::Int8 => self.assigned_integer(expr, own, target),
            Scalar::Float8 if scalar == Scalar::Numeric => {
                Some(self.converted(take(expr), own, target))
            }
            Scalar::Float4 if scalar != Scalar::Float4 => {
                Some(call("pg_float4_of", vec![take(expr)]))
            }
            _ => return self.assigned_text(expr, own, column),
        };
        if let Some(with) = with {
            self.replace(expr, |_| with);
        }
    }

    /// Whether an expression is a parameter whose value is made for this column when it is bound.
    fn is_fitting(&self, expr: &Expr, column: Typed) -> bool {
        let is_same = |own: Typed| {
            own.ty == column.ty
                || [own, column].map(family::of) == [Some(Family::Text), Some(Family::Text)]
        };
        parameter(expr).is_some() && (is_given(expr) || self.type_of(expr).is_none_or(is_same))
    }

    /// A value of `json`, `jsonb`, an interval or an array, which is checked here; whether it is one.
    fn assigned_structure(&mut self, expr: &mut Expr, column: Typed) -> bool {
        let function = match column.ty {
            Type::One(Scalar::Json) => "pg_json_of",
            Type::One(Scalar::Jsonb) => "pg_jsonb_of",
            Type::One(Scalar::Interval) => "pg_interval_of",
            _ => "",
        };
        let own = self.type_of(expr).filter(|_| !is_given(expr));
        let fits = |own: Typed| match (own.ty, column.ty) {
            (Type::One(Scalar::Json | Scalar::Jsonb), Type::One(Scalar::Json | Scalar::Jsonb)) => {
                true
            }
            (own, column) => own == column,
        };
        if let (Some(Type::Array(from)), Type::Array(to)) = (own.map(|own| own.ty), column.ty)
            && from != to
        {
            let kind = string(family::kind(column.ty));
            self.replace(expr, |expr| call("pg_array_of", vec![expr, kind]));
            return true;
        }
        if function.is_empty() || own.is_some_and(|own| !fits(own)) {
            return false;
        }
        if !super::numbers::is_call(expr, function) {
            self.replace(expr, |expr| call(function, vec![expr]));
        }
        true
    }

    fn assigned_numeric(&mut self, expr: &mut Expr, own: Typed, column: Typed) -> Option<Expr> {
        let scalar = own.ty.scalar();
        if (self.is_stored(expr) && own == column)
            || (family::is_integer(scalar) && column.modifier < 0)
        {
            return None;
        }
        let digits = precision(column);
        let value = self.operand(take(expr), own);
        Some(match digits {
            Some((digits, scale)) => {
                call("pg_stored_numeric", vec![value, number(digits), number(scale)])
            }
            None => call("pg_stored_numeric", vec![value]),
        })
    }

    fn assigned_integer(&mut self, expr: &mut Expr, own: Typed, target: Scalar) -> Option<Expr> {
        let scalar = own.ty.scalar();
        let name = family::short(target);
        match scalar {
            Scalar::Numeric => {
                let value = self.operand(take(expr), own);
                Some(call(&format!("pg_{name}_of_numeric"), vec![value]))
            }
            _ if family::common(scalar, target) == target && family::is_integer(scalar) => None,
            _ => Some(call(&format!("pg_{name}_of"), vec![take(expr)])),
        }
    }

    /// Any value may be stored as text.
    fn assigned_text(&mut self, expr: &mut Expr, own: Typed, column: Typed) {
        if family::of(column) == Some(Family::Text) && family::of(own) != Some(Family::Text) {
            self.as_text(expr, super::super::parameters::WORDS);
            self.shown_as_text(expr, own);
        }
        self.assigned_length(expr, Some(own), column);
        if column.ty == Type::One(Scalar::Bpchar) && own.ty != column.ty {
            self.replace(expr, |expr| call("rtrim", vec![expr]));
        }
    }

    /// A string that may be longer than its column: what is computed, and what another column has.
    fn assigned_length(&mut self, expr: &mut Expr, own: Option<Typed>, column: Typed) {
        let is_short = own.is_some_and(|own| {
            own.ty == column.ty && (4..=column.modifier).contains(&own.modifier)
        });
        // A string and a parameter are checked by their values.
        if !is_short && !is_given(expr) {
            self.bound_length(expr, column);
        }
    }

    fn bound_length(&mut self, expr: &mut Expr, column: Typed) {
        let is_string = matches!(column.ty, Type::One(Scalar::Varchar | Scalar::Bpchar));
        if is_string && column.modifier >= 4 {
            let most = number(i64::from(column.modifier) - 4);
            let name = string(column.ty.name());
            self.replace(expr, |expr| call("pg_text_fitting", vec![expr, most, name]));
        }
    }

    /// A literal number is checked here.
    fn assigned_literal(&mut self, expr: &mut Expr, text: &str, column: Typed) {
        let Type::One(target) = column.ty else { return self.wrong_type(expr, column) };
        if family::of(column) == Some(Family::Text) {
            self.replace(expr, |_| {
                if text.contains(['e', 'E']) {
                    call("pg_numeric_of", vec![string(text)])
                } else {
                    string(text)
                }
            });
            return self.bound_length(expr, column);
        }
        if family::number(Some(column)).is_none() {
            let own = self.type_of(expr).unwrap_or(Typed::plain(Type::One(Scalar::Int4)));
            return self.check_assignment(own, column);
        }
        match values::assigned(text, target, column) {
            Ok(value) => self.replace(expr, |_| super::number(value)),
            Err(error) => self.refuse(error),
        }
    }

    /// PostgreSQL stores no value of this type there.
    pub(in super::super) fn check_assignment(&mut self, own: Typed, column: Typed) {
        let [Some(from), Some(to)] = [family::of(own), family::of(column)] else { return };
        let is_known = from == to
            || to == Family::Text
            || matches!(
                (from, to),
                (Family::Moment, Family::Time)
                    | (Family::Json, Family::Jsonb)
                    | (Family::Jsonb, Family::Json)
            );
        if !is_known {
            self.refuse_type(own, column);
        }
    }

    /// A constant number for a column that has no numbers.
    fn wrong_type(&mut self, expr: &Expr, column: Typed) {
        let own = self.type_of(expr).unwrap_or(Typed::plain(Type::One(Scalar::Int4)));
        self.refuse_type(own, column);
    }

    fn refuse_type(&mut self, own: Typed, column: Typed) {
        let message = format!(
            "column is of type {} but expression is of type {}",
            column.ty.name(),
            own.ty.name()
        );
        let hint = "You will need to rewrite or cast the expression.";
        self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message).hint(hint));
    }
}

/// The function that makes a moment of another one, where their texts differ.
fn moment(own: Typed, column: Typed) -> Option<&'static str> {
    use Scalar as S;
    let is_stamp = |scalar| matches!(scalar, S::Timestamp | S::Timestamptz);
    let (Type::One(from), Type::One(to)) = (own.ty, column.ty) else { return None };
    match (from, to) {
        (stamp, S::Date) if is_stamp(stamp) => Some("pg_date_of"),
        (S::Date, S::Timestamp) => Some("pg_timestamp_of"),
        (S::Date, S::Timestamptz) => Some("pg_timestamptz_of"),
        (S::Date, S::Time) => Some("pg_time_of_moment"),
        (stamp, S::Time) if is_stamp(stamp) => Some("pg_time_of_moment"),
        _ => None,
    }
}
