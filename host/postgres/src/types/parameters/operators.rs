//! Operators that SQLite has for texts and numbers only.

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{BinaryOperator, CaseWhen, Expr, Value};

use super::super::infer::wider;
use super::super::resolve::{plans, settle::fault};
use super::{Finder, Scalar, Type, Typed, is_given};
use crate::error::Error;
use crate::translate::{as_cast, span, string_of};

/// What a cast and `||` make of a boolean; functions make letters of it, as clients get.
pub const WORDS: [&str; 2] = ["true", "false"];
pub const LETTERS: [&str; 2] = ["t", "f"];

impl Finder<'_> {
    /// `left op right`.
    pub(super) fn operator(&mut self, left: &mut Expr, op: &BinaryOperator, right: &mut Expr) {
        use BinaryOperator as O;
        match op {
            O::Eq | O::NotEq => self.compare(left, right),
            O::Lt | O::LtEq | O::Gt | O::GtEq => {
                self.compare(left, right);
            }
            O::Plus | O::Minus | O::Multiply | O::Divide | O::Modulo => {
                if self.is_view || self.is_definition {
                    self.check_dates(left, op, right);
                }
                if !self.is_planned(left) && !self.is_planned(right) {
                    self.same(left, right);
                }
            }
            O::And | O::Or => {
                self.condition(left);
                self.condition(right);
            }
            _ => {}
        }
    }

    /// Whether the other operand need not have the same type.
    fn is_planned(&self, expr: &Expr) -> bool {
        !is_given(expr) && plans::is_own(self.type_of(expr).map(|typed| typed.ty))
    }

    /// Two expressions that have one type.
    pub(super) fn same(&mut self, one: &mut Expr, other: &mut Expr) {
        if is_given(one) {
            let typed = self.type_of(other);
            self.note(one, typed);
        }
        if is_given(other) {
            let typed = self.type_of(one);
            self.note(other, typed);
        }
    }

    /// The same for a comparison. Dates and times of different lengths do not compare as texts.
    pub(in super::super) fn compare(&mut self, one: &mut Expr, other: &mut Expr) {
        if let (Expr::Tuple(one), Expr::Tuple(other)) = (&mut *one, &mut *other) {
            one.iter_mut().zip(other).for_each(|(one, other)| self.compare(one, other));
            return;
        }
        if is_given(one) || is_given(other) {
            return self.same(one, other);
        }
        let types = [self.type_of(one), self.type_of(other)];
        match types.map(|typed| typed.map(|typed| typed.ty.scalar())) {
            [Some(Scalar::Date), Some(stamp)] if is_stamp(stamp) => self.as_stamp(one, stamp),
            [Some(stamp), Some(Scalar::Date)] if is_stamp(stamp) => self.as_stamp(other, stamp),
            _ => {}
        }
    }

    /// A date in a column of timestamps, and the reverse.
    pub(super) fn as_stored(&mut self, expr: &mut Expr, column: Typed) {
        let own = self.type_of(expr).map(|typed| typed.ty);
        let (Some(Type::One(own)), Type::One(stored)) = (own, column.ty) else { return };
        let is_date = |scalar: Scalar| scalar == Scalar::Date;
        if is_date(own) && is_stamp(stored) || is_stamp(own) && is_date(stored) {
            self.replace(expr, |expr| as_cast(expr, Typed::plain(column.ty)));
        }
    }

    fn as_stamp(&mut self, date: &mut Expr, stamp: Scalar) {
        self.replace(date, |date| as_cast(date, Typed::plain(Type::One(stamp))));
    }

    /// Several expressions that have one type.
    pub(super) fn together(&mut self, mut all: Vec<&mut Expr>) {
        let known = all.iter().filter(|expr| !self.is_untyped(expr));
        let typed = known.filter_map(|expr| self.type_of(expr)).reduce(wider);
        for expr in &mut all {
            // One that no row needs is not computed, and PostgreSQL reads all constants.
            let fault = string_of(expr).zip(typed).and_then(|(text, own)| fault(&text, own.ty));
            fault.into_iter().for_each(|error| self.refuse(error));
            self.note(expr, typed);
        }
    }

    /// SQLite would add the numbers that the texts of dates begin with.
    fn check_dates(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) {
        let is_moved = match op {
            BinaryOperator::Plus => is_span(left) || is_span(right),
            BinaryOperator::Minus => is_span(right),
            _ => false,
        };
        let types = [self.type_of(left), self.type_of(right)];
        let is_clock = |typed: Typed| typed.ty == Type::One(Scalar::Time);
        if is_moved && types.into_iter().flatten().any(is_clock) {
            // SQLite's result would have a date.
            return self.refuse(Error::unsupported(format_args!("time {op} interval in a view")));
        }
        if !is_moved && types.into_iter().flatten().any(is_time) {
            let name = |typed: Option<Typed>| typed.map_or("a value", |t| t.ty.scalar().name());
            let what = format!("{} {op} {}", name(types[0]), name(types[1]));
            let hint = "add a constant interval: d + interval '1 day'";
            self.refuse(Error::unsupported(what).hint(hint));
        }
    }

    /// A boolean that becomes a text: SQLite's is a number.
    pub(in super::super) fn as_text(&mut self, expr: &mut Expr, words: [&str; 2]) {
        if !is_given(expr) && self.type_of(expr) == super::one(Scalar::Bool) {
            self.replace(expr, |boolean| boolean_text(boolean, words));
        }
    }
}

/// `CASE boolean WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`, which has the boolean once.
fn boolean_text(boolean: Expr, [yes, no]: [&str; 2]) -> Expr {
    let when = |number: &str, text: &str| CaseWhen {
        condition: Expr::Value(Value::Number(number.to_owned(), false).into()),
        result: Expr::Value(Value::SingleQuotedString(text.to_owned()).into()),
    };
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: Some(Box::new(Expr::Nested(Box::new(boolean)))),
        conditions: vec![when("1", yes), when("0", no)],
        else_result: None,
    }
}

fn is_span(expr: &Expr) -> bool {
    span(expr).is_some()
}

fn is_stamp(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Timestamp | Scalar::Timestamptz)
}

fn is_time(typed: Typed) -> bool {
    use Scalar as S;
    let times = [S::Date, S::Time, S::Timestamp, S::Timestamptz, S::Interval];
    times.iter().any(|scalar| typed.ty == Type::One(*scalar))
}
