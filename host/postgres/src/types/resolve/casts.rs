//! Casts by the type of what is cast.

use sqlparser::ast::Expr;

use super::super::parameters::{Finder, is_given, parameter};
use super::super::{Scalar, Type, Typed};
use super::family::{self, Family};
use super::numbers::literal;
use super::{call, number, string, take};
use crate::error::{Error, sqlstate};
use crate::translate::{
    SESSION_FUNCTION, as_cast, folded, is_object, object_finder, string_of, typed,
};
use crate::values;

/// The type of columns of the catalogue that are OIDs, `regproc` among them.
const OID: Type = Type::One(Scalar::Oid);

/// The columns of `pg_type` that are functions, which are written as names.
const FUNCTIONS_OF_TYPES: [&str; 4] = ["typinput", "typoutput", "typreceive", "typsend"];

fn without_parentheses(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => without_parentheses(inner),
        expr => expr,
    }
}

fn is_function_of_type(expr: &Expr) -> bool {
    let name = match expr {
        Expr::Identifier(name) => name,
        Expr::CompoundIdentifier(parts) if !parts.is_empty() => &parts[parts.len() - 1],
        _ => return false,
    };
    FUNCTIONS_OF_TYPES.contains(&folded(name).as_str())
}

impl Finder<'_> {
    /// `(schema || '.' || name)::regclass`: the object that a computed text names.
    fn resolve_object(&mut self, expr: &mut Expr, name: &str, find: &str) {
        let Expr::Cast { expr: inner, .. } = expr else { return };
        let is_text = self
            .type_of(inner)
            .is_some_and(|own| matches!(own.ty, Type::One(Scalar::Text | Scalar::Varchar)));
        let plain = without_parentheses(inner);
        let is_object = matches!(plain, Expr::Cast { data_type, .. } if is_object(data_type));
        if !is_text || is_given(plain) || is_object {
            return;
        }
        let text = take(inner);
        let found = call(find, vec![text.clone()]);
        let with = if name == "regclass" && !self.is_definition && !self.is_view {
            let missing = call(SESSION_FUNCTION, vec![string("no_relation"), text]);
            call("coalesce", vec![found, missing])
        } else {
            found
        };
        self.replace(expr, |_| with);
    }

    pub(super) fn resolve_cast(&mut self, expr: &mut Expr) {
        if literal(expr).is_some() {
            // A literal of `numeric`, which may be compared with a column as it is.
            return;
        }
        let Expr::Cast { expr: inner, data_type, .. } = expr else { return };
        if let Some((name, find)) = object_finder(data_type) {
            return self.resolve_object(expr, name, find);
        }
        let Some(target) = typed(data_type) else { return };
        let own = self.type_of(inner);
        if parameter(inner).is_some()
            && let Some(own) = own.filter(|own| own.ty != target.ty || is_cut(target))
        {
            // A value of its own type, which is cast as any other.
            let typed = as_cast(take(inner), Typed::plain(own.ty));
            **inner = Expr::Nested(Box::new(typed));
            self.is_changed = true;
        }
        let Type::One(scalar) = target.ty else { return self.as_array(expr, target) };
        if let Some(own) = own.filter(|_| !is_given(inner)) {
            self.check_cast(own, target);
        }
        let with = match scalar {
            Scalar::Numeric => self.as_numeric(inner, own, target),
            Scalar::Int2 | Scalar::Int4 | Scalar::Int8 => self.as_integer(inner, own, scalar),
            Scalar::Float4 | Scalar::Float8 => self.as_float(inner, own, scalar),
            Scalar::Text | Scalar::Varchar | Scalar::Bpchar => {
                if is_function_of_type(inner) && own.map(|own| own.ty) == Some(OID) {
                    self.replace(inner, |inner| call("pg_regproc_name", vec![inner]));
                } else if let Some(own) = own.filter(|_| !is_given(inner)) {
                    self.shown_as_text(inner, own);
                }
                None
            }
            Scalar::Bytea => {
                self.padded(inner);
                None
            }
            Scalar::Json | Scalar::Jsonb => {
                let is_same = own == Some(target) && !is_given(inner);
                let function = if scalar == Scalar::Json { "pg_json_of" } else { "pg_jsonb_of" };
                let inner = take(inner);
                Some(if is_same { inner } else { call(function, vec![inner]) })
            }
            Scalar::Uuid if !is_given(inner) && own.and_then(family::of) == Some(Family::Text) => {
                Some(call("pg_uuid_of", vec![take(inner)]))
            }
            Scalar::Bool if own.map(|own| own.ty) == Some(Type::One(Scalar::Jsonb)) => {
                Some(call("pg_bool_of_jsonb", vec![take(inner)]))
            }
            Scalar::Interval if !is_given(inner) || string_of(inner).is_some() => {
                let function = match own.filter(|_| !is_given(inner)).map(|own| own.ty) {
                    Some(Type::One(Scalar::Time)) => "pg_interval_of_time",
                    _ => "pg_interval_of",
                };
                Some(call(function, vec![take(inner)]))
            }
            Scalar::Date | Scalar::Time | Scalar::Timestamp | Scalar::Timestamptz => {
                self.as_moment(inner, own, target)
            }
            _ => None,
        };
        if let Some(with) = with {
            self.replace(expr, |_| with);
        }
    }

    /// An array; a string becomes one by its elements' type.
    fn as_array(&mut self, expr: &mut Expr, target: Typed) {
        let Expr::Cast { expr: inner, .. } = expr else { return };
        let kind = string(family::kind(target.ty));
        if matches!(**inner, Expr::Array(_)) {
            self.resolve_array(inner, Some(target.ty.scalar()));
        }
        if let Some(own) = self.type_of(inner).filter(|_| !is_given(inner)) {
            let is_text = family::of(own) == Some(Family::Text);
            if !is_text && !matches!(own.ty, Type::Array(_)) {
                let message = format!("cannot cast type {} to {}", own.ty.name(), target.ty.name());
                return self.refuse(Error::new(sqlstate::CANNOT_COERCE, message));
            }
        }
        if parameter(inner).is_some() {
            return;
        }
        let is_made = self.type_of(inner).map(|own| own.ty) == Some(target.ty)
            && super::numbers::is_call(inner, "pg_array_");
        let inner = take(inner);
        let with = if is_made { inner } else { call("pg_array_of", vec![inner, kind]) };
        self.replace(expr, |_| with);
    }

    /// A date or a time of a value that is not a constant.
    fn as_moment(&mut self, inner: &mut Expr, own: Option<Typed>, target: Typed) -> Option<Expr> {
        use Scalar as S;
        let is_stamp = matches!(target.ty.scalar(), S::Timestamp | S::Timestamptz);
        if target.ty.scalar() == S::Time && (0..6).contains(&target.modifier) {
            let fraction = string_of(inner).unwrap_or_else(|| ".000000".into());
            let fraction = fraction.rsplit_once('.').map_or("", |(_, digits)| digits);
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if digits > target.modifier as usize {
                let what = format!("a cast to time({})", target.modifier);
                self.refuse(Error::unsupported(what).hint("cast it to time"));
            }
        }
        if let (Some(_), true, true) = (string_of(inner), is_stamp, target.modifier >= 0) {
            let whole = as_cast(take(inner), Typed::plain(target.ty));
            return Some(rounded(whole, target));
        }
        if is_given(inner) || self.is_view {
            return None;
        }
        let Type::One(from) = own?.ty else { return None };
        let is_text = family::of(own?) == Some(Family::Text);
        let is_moment = matches!(from, S::Date | S::Timestamp | S::Timestamptz);
        let function = match target.ty.scalar() {
            S::Date if is_text || is_moment => "pg_date_of",
            S::Timestamp if is_text || is_moment => "pg_timestamp_of",
            S::Timestamptz if is_text || is_moment => "pg_timestamptz_of",
            S::Time if is_moment => "pg_time_of_moment",
            S::Time if from == S::Interval => "pg_time_of_interval",
            S::Time if is_text || from == S::Time => "pg_time_of",
            _ => return None,
        };
        let computed = call(function, vec![take(inner)]);
        Some(if target.modifier >= 0 && is_stamp { rounded(computed, target) } else { computed })
    }

    /// PostgreSQL has no cast between these types.
    fn check_cast(&mut self, own: Typed, target: Typed) {
        use Family as F;
        let [Some(from), Some(to)] = [family::of(own), family::of(target)] else { return };
        let is_known = match (from, to) {
            _ if from == to => true,
            (_, F::Text) | (F::Text, _) => true,
            (F::Boolean, F::Number) => target.ty == Type::One(Scalar::Int4),
            (F::Number, F::Boolean) => own.ty == Type::One(Scalar::Int4),
            (F::Moment, F::Time) => own.ty != Type::One(Scalar::Date),
            (F::Time, F::Interval) | (F::Interval, F::Time) => true,
            (F::Json, F::Jsonb) | (F::Jsonb, F::Json) => true,
            (F::Jsonb, F::Number | F::Boolean) => true,
            _ => false,
        };
        if !is_known {
            let message = format!("cannot cast type {} to {}", own.ty.name(), target.ty.name());
            self.refuse(Error::new(sqlstate::CANNOT_COERCE, message));
        }
    }

    fn as_numeric(&mut self, inner: &mut Expr, own: Option<Typed>, target: Typed) -> Option<Expr> {
        let is_text = is_given(inner) || string_of(inner).is_some();
        if parameter(inner).is_some() && target.modifier < 0 {
            return None;
        }
        let computed = match own {
            Some(own) if own.ty == Type::One(Scalar::Jsonb) => {
                call("pg_numeric_of_jsonb", vec![take(inner), string("numeric")])
            }
            Some(own) if !is_text => self.operand(take(inner), own),
            _ => take(inner),
        };
        Some(match precision(target) {
            Some((digits, scale)) => {
                call("pg_numeric_fitted", vec![computed, number(digits), number(scale)])
            }
            None => call("pg_numeric_of", vec![computed]),
        })
    }

    fn as_integer(&mut self, inner: &mut Expr, own: Option<Typed>, target: Scalar) -> Option<Expr> {
        if is_given(inner) {
            return None;
        }
        let name = family::short(target);
        Some(match own.map(|own| own.ty) {
            Some(Type::One(Scalar::Numeric)) => {
                let inner = self.operand(take(inner), own?);
                call(&format!("pg_{name}_of_numeric"), vec![inner])
            }
            Some(Type::One(Scalar::Bool)) => return None,
            Some(Type::One(Scalar::Jsonb)) => {
                let number = call("pg_numeric_of_jsonb", vec![take(inner), string(target.name())]);
                call(&format!("pg_{name}_of_numeric"), vec![number])
            }
            _ => call(&format!("pg_{name}_of"), vec![take(inner)]),
        })
    }

    fn as_float(&mut self, inner: &mut Expr, own: Option<Typed>, target: Scalar) -> Option<Expr> {
        if is_given(inner) || own.is_none() {
            return None;
        }
        if own.map(|own| own.ty) == Some(Type::One(Scalar::Jsonb)) {
            let inner = call("pg_numeric_of_jsonb", vec![take(inner), string(target.name())]);
            return Some(call(&format!("pg_{}_of", family::short(target)), vec![inner]));
        }
        if let Some(text) = literal(inner)
            && let Err(error) = values::assigned(&text, target, Typed::plain(Type::One(target)))
        {
            self.refuse(error);
            return None;
        }
        Some(call(&format!("pg_{}_of", family::short(target)), vec![take(inner)]))
    }
}

/// A moment with the digits of its type.
fn rounded(moment: Expr, target: Typed) -> Expr {
    let function = match target.ty {
        Type::One(Scalar::Timestamptz) => "pg_timestamptz_rounded",
        _ => "pg_timestamp_rounded",
    };
    call(function, vec![moment, number(target.modifier)])
}

/// Whether a value of the type may be cut or rounded: `numeric(4, 1)` has a function of its own for that.
fn is_cut(target: Typed) -> bool {
    target.modifier >= 0 && target.ty != Type::One(Scalar::Numeric)
}

/// The digits of `numeric(digits, scale)`, and those after the point.
pub fn precision(typed: Typed) -> Option<(i32, usize)> {
    Some(((typed.modifier - 4) >> 16, typed.scale()?))
}
