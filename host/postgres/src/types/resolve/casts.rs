//! Casts by the type of what is cast.

use sqlparser::ast::Expr;

use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::family::{self, Family};
use super::numbers::literal;
use super::{call, number, take};
use crate::error::{Error, sqlstate};
use crate::translate::{is_object, string_of, typed};
use crate::values;

impl Finder<'_> {
    pub(super) fn resolve_cast(&mut self, expr: &mut Expr) {
        if literal(expr).is_some() {
            // A literal of `numeric`, which may be compared with a column as it is.
            return;
        }
        let Expr::Cast { expr: inner, data_type, .. } = expr else { return };
        let Some(target) = typed(data_type).filter(|_| !is_object(data_type)) else { return };
        let Type::One(scalar) = target.ty else { return };
        let own = self.type_of(inner);
        if let Some(own) = own.filter(|_| !is_given(inner)) {
            self.check_cast(own, target);
        }
        let with = match scalar {
            Scalar::Numeric => self.as_numeric(inner, own, target),
            Scalar::Int2 | Scalar::Int4 | Scalar::Int8 => self.as_integer(inner, own, scalar),
            Scalar::Float4 | Scalar::Float8 => self.as_float(inner, own, scalar),
            Scalar::Text | Scalar::Varchar | Scalar::Bpchar => {
                if let Some(own) = own.filter(|_| !is_given(inner)) {
                    self.shown_as_text(inner, own);
                }
                None
            }
            _ => None,
        };
        if let Some(with) = with {
            self.replace(expr, |_| with);
        }
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
            (F::Moment, F::Time) | (F::Time, F::Interval) | (F::Interval, F::Time) => true,
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
        if super::super::parameters::parameter(inner).is_some() && target.modifier < 0 {
            return None;
        }
        let computed = match own {
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
            _ => call(&format!("pg_{name}_of"), vec![take(inner)]),
        })
    }

    fn as_float(&mut self, inner: &mut Expr, own: Option<Typed>, target: Scalar) -> Option<Expr> {
        if is_given(inner) || own.is_none() {
            return None;
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

/// The digits of `numeric(digits, scale)`, and those after the point.
pub fn precision(typed: Typed) -> Option<(i32, usize)> {
    Some(((typed.modifier - 4) >> 16, typed.scale()?))
}
