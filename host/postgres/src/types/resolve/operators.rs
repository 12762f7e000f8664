//! Arithmetic, concatenation, and operators of one operand.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use super::super::infer::branches;
use super::super::parameters::{Finder, WORDS, is_given};
use super::super::{Scalar, Type, Typed};
use super::family::{self, Family};
use super::numbers::literal;
use super::{call, is_null, number, string, take};
use crate::error::{Error, sqlstate};

/// The last part of the name of the function for an operator.
fn arithmetic(op: &BinaryOperator) -> Option<&'static str> {
    use BinaryOperator as O;
    Some(match op {
        O::Plus => "add",
        O::Minus => "sub",
        O::Multiply => "mul",
        O::Divide => "div",
        O::Modulo => "mod",
        O::PGExp => "power",
        _ => return None,
    })
}

const AMBIGUOUS: &str =
    "Could not choose a best candidate operator. You might need to add explicit type casts.";

/// Whether an operator takes numbers of several types, so that two values without a type fit none of them best.
fn is_of_numbers(op: &BinaryOperator) -> bool {
    use BinaryOperator as O;
    matches!(
        op,
        O::Plus
            | O::Minus
            | O::Multiply
            | O::Divide
            | O::Modulo
            | O::BitwiseAnd
            | O::BitwiseOr
            | O::PGBitwiseXor
            | O::PGBitwiseShiftLeft
            | O::PGBitwiseShiftRight
    )
}

impl Finder<'_> {
    pub(super) fn resolve_operator(&mut self, expr: &mut Expr) {
        if self.resolve_planned(expr) {
            return;
        }
        let Expr::BinaryOp { left, op, right } = expr else { return };
        use BinaryOperator as O;
        if is_of_numbers(op) && self.is_untyped(left) && self.is_untyped(right) {
            let message = format!("operator is not unique: unknown {op} unknown");
            return self.refuse(Error::new(sqlstate::AMBIGUOUS_FUNCTION, message).hint(AMBIGUOUS));
        }
        let op = op.clone();
        match op {
            O::Eq | O::NotEq | O::Lt | O::LtEq | O::Gt | O::GtEq => {
                self.compare_all(&mut [left, right], &op.to_string());
            }
            O::StringConcat => {
                if self.is_of_bytes(left, right) || self.is_of_bytes(right, left) {
                    let bytes = Type::One(Scalar::Bytea);
                    let both = [take(left), take(right)].map(|expr| self.as_type(expr, bytes));
                    return self.replace(expr, |_| call("pg_bytea_cat", both.into()));
                }
                self.concatenated(left, right);
            }
            O::And | O::Or => {
                let clause = op.to_string();
                self.check_condition(left, &clause);
                self.check_condition(right, &clause);
            }
            O::BitwiseAnd
            | O::BitwiseOr
            | O::PGBitwiseXor
            | O::PGBitwiseShiftLeft
            | O::PGBitwiseShiftRight => {
                if self.check_bits(left, &op, right)
                    && let Some(with) = self.shifted(left, &op, right)
                {
                    self.replace(expr, |_| with);
                }
            }
            O::PGRegexMatch
            | O::PGRegexIMatch
            | O::PGRegexNotMatch
            | O::PGRegexNotIMatch
            | O::PGLikeMatch
            | O::PGILikeMatch
            | O::PGNotLikeMatch
            | O::PGNotILikeMatch => {
                self.check_like(left, &op.to_string(), right);
                self.padded(left);
            }
            _ => {
                if let Some(name) = arithmetic(&op)
                    && let Some(with) = self.computation(left, &op, right, name)
                {
                    self.replace(expr, |_| with);
                }
            }
        }
    }

    /// A call for an operator of numbers; `None` if a type is not known, or another rewrite has it.
    fn computation(
        &mut self,
        left: &mut Expr,
        op: &BinaryOperator,
        right: &mut Expr,
        name: &str,
    ) -> Option<Expr> {
        let types = [self.type_of(left), self.type_of(right)];
        let (one, other) = match types {
            [Some(one), Some(other)] => (one, other),
            [Some(one), None] if is_null(right) => (one, one),
            [None, Some(other)] if is_null(left) => (other, other),
            _ => return None,
        };
        let (Some(first), Some(second)) = (family::number(Some(one)), family::number(Some(other)))
        else {
            self.check_arithmetic((left, one), op, (right, other));
            return None;
        };
        let target = match family::common(first, second) {
            integer if name == "power" && family::is_integer(integer) => Scalar::Float8,
            Scalar::Float4 if name == "power" => Scalar::Float8,
            float if name == "mod" && family::is_float(float) => {
                self.no_operator(one, op, other);
                return None;
            }
            target => target,
        };
        if self.is_view && target != Scalar::Numeric {
            // Other programs can read it, too.
            return None;
        }
        let left = self.converted(take(left), one, target);
        let right = self.converted(take(right), other, target);
        let mark = self.inline_mark(target, name, [&left, &right]);
        Some(call(&format!("pg_{}_{mark}{name}", family::short(target)), vec![left, right]))
    }

    /// Whether the first operand is bytes, and the second one is bytes or becomes bytes.
    fn is_of_bytes(&self, one: &Expr, other: &Expr) -> bool {
        let is_bytes = |expr: &Expr| self.type_of(expr).and_then(family::of) == Some(Family::Bytes);
        is_bytes(one) && (is_bytes(other) || is_null(other) || is_given(other))
    }

    /// Operators of the bits of integers.
    fn check_bits(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> bool {
        let types = [self.type_of(left), self.type_of(right)];
        let [Some(one), Some(other)] = types else { return false };
        let is_integer = |expr: &Expr, own: Typed| {
            is_null(expr)
                || is_given(expr)
                || matches!(own.ty, Type::One(scalar) if family::is_integer(scalar))
                || (family::of(own).is_none() && !matches!(own.ty, Type::Array(_)))
        };
        let is_shift =
            matches!(op, BinaryOperator::PGBitwiseShiftLeft | BinaryOperator::PGBitwiseShiftRight);
        let is_far = is_shift && other.ty == Type::One(Scalar::Int8) && !is_given(right);
        let fits = is_integer(left, one) && is_integer(right, other) && !is_far;
        if !fits {
            self.no_operator(one, op, other);
        }
        fits
    }

    /// A shift within the bits of its type, of which SQLite has 64 always.
    fn shifted(&mut self, left: &mut Expr, op: &BinaryOperator, right: &mut Expr) -> Option<Expr> {
        let name = match op {
            BinaryOperator::PGBitwiseShiftLeft => "shl",
            BinaryOperator::PGBitwiseShiftRight => "shr",
            _ => return None,
        };
        let own = family::number(self.type_of(left)).filter(|own| family::is_integer(*own))?;
        if self.is_view {
            return None;
        }
        let both = vec![take(left), take(right)];
        Some(call(&format!("pg_{}_{name}", family::short(own)), both))
    }

    /// Refuse arithmetic of types that have none; a string with such a value does not become a number.
    fn check_arithmetic(
        &mut self,
        (left, one): (&Expr, Typed),
        op: &BinaryOperator,
        (right, other): (&Expr, Typed),
    ) {
        let [first, second] = [(left, one), (right, other)]
            .map(|(expr, own)| (!is_given(expr) && !is_null(expr)).then_some(own));
        let has_none = |own: Option<Typed>| {
            use Family as F;
            matches!(own.and_then(family::of), Some(F::Text | F::Boolean | F::Uuid | F::Bytes))
        };
        let is_known = |own: Option<Typed>| own.is_none_or(|own| family::of(own).is_some());
        let is_of_catalogue = |own: Option<Typed>| own.is_some_and(family::is_of_catalogue);
        if is_of_catalogue(first) || is_of_catalogue(second) {
            let is_number = |own: Option<Typed>| {
                family::number(own).is_some() || is_of_catalogue(own) || own.is_none()
            };
            if is_number(first) && is_number(second) {
                self.no_operator_of(first, op, second);
            }
        } else if is_known(first) && is_known(second) && (has_none(first) || has_none(second)) {
            self.no_operator_of(first, op, second);
        }
    }

    pub(super) fn no_operator(&mut self, one: Typed, op: &dyn std::fmt::Display, other: Typed) {
        self.no_operator_of(Some(one), op, Some(other));
    }

    /// The same for operands of which one may have no type.
    pub(super) fn no_operator_of(
        &mut self,
        one: Option<Typed>,
        op: &dyn std::fmt::Display,
        other: Option<Typed>,
    ) {
        let name =
            |own: Option<Typed>| own.map_or_else(|| "unknown".to_owned(), |own| own.ty.name());
        let message = format!("operator does not exist: {} {op} {}", name(one), name(other));
        let error = Error::new(sqlstate::UNDEFINED_FUNCTION, message);
        let hint = "No operator matches the given name and argument types. You might need to add explicit type casts.";
        self.refuse(error.hint(hint));
    }

    /// `||` with a text.
    fn concatenated(&mut self, left: &mut Expr, right: &mut Expr) {
        let types = [self.type_of(left), self.type_of(right)];
        let is_text = |typed: Option<Typed>| typed.and_then(family::of) == Some(Family::Text);
        if !types.into_iter().any(is_text)
            && let [Some(one), Some(other)] = types
            && ![&*left, &*right].into_iter().any(|expr| is_null(expr) || is_given(expr))
            && family::of(one).is_some()
            && family::of(other).is_some()
        {
            return self.no_operator(one, &"||", other);
        }
        for (side, own) in [left, right].into_iter().zip(types) {
            if let Some(own) = own
                && !is_given(side)
            {
                self.shown_as_text(side, own);
            }
        }
    }

    /// A character with the spaces at its end, for what does not take it as a text.
    pub(super) fn padded(&mut self, expr: &mut Expr) {
        let own = self.type_of(expr).filter(|own| own.ty == Type::One(Scalar::Bpchar));
        let Some(own) = own.filter(|_| !is_given(expr)) else { return };
        let parts = branches(expr).map(|(_, parts)| parts).unwrap_or_default();
        let parts: Vec<_> = parts.iter().filter_map(|part| self.type_of(part)).collect();
        self.check_length(own, &parts);
        if own.modifier >= 4 {
            self.replace(expr, |expr| call("rpad", vec![expr, number(own.modifier - 4)]));
        }
    }

    /// A character that is shown has the length of its parts, which are stored without the spaces at their ends.
    pub(super) fn check_length(&mut self, own: Typed, parts: &[Typed]) {
        let is_character = |typed: &Typed| typed.ty == Type::One(Scalar::Bpchar);
        let has_spaces = |part: &Typed| is_character(part) && part.modifier >= 4;
        if is_character(&own) && own.modifier < 4 && parts.iter().any(has_spaces) {
            let hint = "cast it to text, or to a character(n)";
            self.refuse(Error::unsupported("character without a length here").hint(hint));
        }
    }

    /// The text of a value as a client gets it, which `concat` and `format` take.
    pub(super) fn shown_as_sent(&mut self, expr: &mut Expr) {
        let Some(own) = self.type_of(expr).filter(|_| !is_given(expr)) else { return };
        self.shown_as_text(expr, own);
        self.padded(expr);
    }

    /// The text of a value, as a cast to `text` makes it, where SQLite's differs.
    pub(super) fn shown_as_text(&mut self, expr: &mut Expr, own: Typed) {
        let scalar = match own.ty {
            Type::One(scalar) => scalar,
            Type::Array(of) => {
                let kind = string(family::typname(of));
                return self.replace(expr, |expr| call("pg_text_of_array", vec![expr, kind]));
            }
        };
        let name = match scalar {
            Scalar::Numeric => {
                let with = self.computed(take(expr), own);
                return self.replace(expr, |_| with);
            }
            Scalar::Bool => return self.as_text(expr, WORDS),
            Scalar::Float8 => "pg_text_of_float8",
            Scalar::Float4 => "pg_text_of_float4",
            Scalar::Timestamptz => "pg_text_of_timestamptz",
            Scalar::Bytea => "pg_text_of_bytea",
            _ => return,
        };
        self.replace(expr, |expr| call(name, vec![expr]));
    }

    pub(super) fn resolve_unary(&mut self, expr: &mut Expr) {
        let Expr::UnaryOp { op, expr: inner } = expr else { return };
        if *op == UnaryOperator::Not {
            return self.check_condition(inner, "NOT");
        }
        if let Some(number) = literal(inner) {
            if *op == UnaryOperator::BitwiseNot && number.parse::<i64>().is_err() {
                let message = "operator does not exist: ~ numeric";
                self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
            }
            return;
        }
        if matches!(op, UnaryOperator::Minus | UnaryOperator::BitwiseNot) && self.is_untyped(inner)
        {
            let message = format!("operator is not unique: {op} unknown");
            return self.refuse(Error::new(sqlstate::AMBIGUOUS_FUNCTION, message).hint(AMBIGUOUS));
        }
        let Some(own) = self.type_of(inner) else { return };
        let number = family::number(Some(own));
        // Integers alone have bits.
        let has_it = |scalar| *op != UnaryOperator::BitwiseNot || family::is_integer(scalar);
        let Some(scalar) = number.filter(|scalar| has_it(*scalar)) else {
            if *op == UnaryOperator::Minus && family::of(own) == Some(Family::Interval) {
                let inner = take(inner);
                return self.replace(expr, |_| call("pg_interval_neg", vec![inner]));
            }
            if *op == UnaryOperator::BitwiseNot && !is_given(inner) && family::of(own).is_some() {
                let message = format!("operator does not exist: ~ {}", own.ty.name());
                return self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
            }
            if *op == UnaryOperator::Minus
                && family::of(own).is_some_and(|family| family != Family::Interval)
                && !is_given(inner)
            {
                let message = format!("operator does not exist: - {}", own.ty.name());
                self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
            }
            return;
        };
        let name = match op {
            UnaryOperator::Minus
                if scalar == Scalar::Numeric || (family::is_integer(scalar) && !self.is_view) =>
            {
                "neg"
            }
            UnaryOperator::PGAbs if scalar == Scalar::Numeric || family::is_integer(scalar) => {
                "abs"
            }
            UnaryOperator::PGSquareRoot => {
                let inner = self.converted(take(inner), own, Scalar::Float8);
                return self.replace(expr, |_| call("pg_float8_sqrt", vec![inner]));
            }
            UnaryOperator::PGCubeRoot => {
                let inner = self.converted(take(inner), own, Scalar::Float8);
                return self.replace(expr, |_| call("pg_float8_cbrt", vec![inner]));
            }
            _ => return,
        };
        let inner = self.converted(take(inner), own, scalar);
        self.replace(expr, |_| call(&format!("pg_{}_{name}", family::short(scalar)), vec![inner]));
    }
}
