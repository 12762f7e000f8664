//! Numbers as operands: literals, stored numerics, and computed ones.

use sqlparser::ast::{CastKind, Expr, Ident, ObjectName, UnaryOperator, Value};

use super::super::parameters::Finder;
use super::super::{Scalar, Type, Typed};
use super::{call, family, number, string};
use crate::translate::{string_of, typed};

/// Digits that a real keeps, so that SQLite compares a literal with as many exactly.
pub const EXACT_DIGITS: usize = 15;

/// The text of a literal number: of digits, and of a string that is cast to `numeric`.
pub fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _)
                if text.starts_with(|c: char| c.is_ascii_digit() || c == '.') =>
            {
                Some(text.clone())
            }
            _ => None,
        },
        Expr::Nested(inner) => literal(inner),
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => literal(expr),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            let text = literal(expr)?;
            Some(text.strip_prefix('-').map_or_else(|| format!("-{text}"), str::to_owned))
        }
        Expr::Cast { kind: CastKind::DoubleColon | CastKind::Cast, expr, data_type, .. }
            if typed(data_type) == Some(Typed::plain(Type::One(Scalar::Numeric))) =>
        {
            let text = string_of(expr).or_else(|| literal(expr))?;
            let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
            let text = text.trim().trim_start_matches('+');
            (text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(is_plain))
                .then(|| text.to_owned())
        }
        _ => None,
    }
}

/// Whether SQLite's number of a literal is the number itself.
pub fn is_exact(text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa.chars().filter(char::is_ascii_digit).skip_while(|digit| *digit == '0');
    digits.count() <= EXACT_DIGITS
}

/// With the collation that compares computed numerics.
pub fn collated(expr: Expr) -> Expr {
    collated_by(expr, "pg_numeric")
}

pub fn collated_by(expr: Expr, name: &str) -> Expr {
    match expr {
        collated @ Expr::Collate { .. } => collated,
        expr => {
            Expr::Collate { expr: Box::new(expr), collation: ObjectName::from(Ident::new(name)) }
        }
    }
}

pub fn is_call(expr: &Expr, start: &str) -> bool {
    match expr {
        Expr::Function(function) => function.name.to_string().starts_with(start),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => is_call(inner, start),
        _ => false,
    }
}

impl Finder<'_> {
    /// A number as an argument of a function of `numeric`, which reads integers and stored reals itself.
    pub(super) fn operand(&self, expr: Expr, own: Typed) -> Expr {
        match own.ty.scalar() {
            Scalar::Numeric => self.computed(expr, own),
            Scalar::Float8 => call("pg_numeric_of_float8", vec![expr]),
            Scalar::Float4 => call("pg_numeric_of_float4", vec![expr]),
            _ => expr,
        }
    }

    /// A number as a computed numeric.
    pub(super) fn computed(&self, expr: Expr, own: Typed) -> Expr {
        if let Some(text) = literal(&expr) {
            return if text.contains(['e', 'E']) {
                call("pg_numeric_of", vec![string(text)])
            } else {
                string(text)
            };
        }
        if own.ty.scalar() == Scalar::Numeric && is_call(&expr, "pg_numeric_") {
            return expr;
        }
        match own.scale() {
            Some(scale) => call("pg_numeric_of", vec![expr, number(scale)]),
            None => call("pg_numeric_of", vec![expr]),
        }
    }

    /// A number as an argument of a function of this type of numbers.
    pub(super) fn converted(&self, expr: Expr, own: Typed, target: Scalar) -> Expr {
        match (own.ty.scalar(), target) {
            (_, Scalar::Numeric) => self.operand(expr, own),
            (Scalar::Numeric, float) if family::is_float(float) && literal(&expr).is_none() => {
                call("pg_float8_of", vec![expr])
            }
            _ => expr,
        }
    }

    /// Whether SQLite compares this number as it is: a stored or whole one, or a short literal.
    pub(super) fn is_comparable(&self, expr: &Expr, own: Scalar) -> bool {
        match literal(expr) {
            Some(text) => is_exact(&text),
            None => {
                family::is_integer(own)
                    || super::super::parameters::parameter(expr).is_some()
                    || self.is_stored(expr)
            }
        }
    }
}
