//! Arrays, subscripts, zones and fields: forms of expressions that are no calls and no operators.

use sqlparser::ast::{Expr, Ident, Subscript};

use super::super::infer::{is_open, subscript};
use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::numbers::literal;
use super::{call, family, plans, string, take};
use crate::error::{Error, sqlstate};
use crate::translate::{operator, string_of};

impl Finder<'_> {
    /// The name of a function in FROM that returns values stands for its value.
    pub(super) fn resolve_value(&mut self, expr: &mut Expr) {
        let Expr::Identifier(table) = &*expr else { return };
        if self.type_of(expr).is_some() || self.is_column(expr) {
            return;
        }
        let row = self.row_of(&table.value);
        if row.is_some_and(|row| matches!(&row[..], [(name, _)] if name == "value")) {
            let value = vec![table.clone(), Ident::with_quote('"', "value")];
            self.replace(expr, |_| Expr::CompoundIdentifier(value));
        }
    }

    /// `jsonb '…'`.
    pub(super) fn resolve_typed_string(&mut self, expr: &mut Expr) {
        let Expr::TypedString(typed) = &*expr else { return };
        let Some(target) = crate::translate::typed(&typed.data_type) else { return };
        let is_planned = matches!(
            target.ty,
            Type::Array(_) | Type::One(Scalar::Json | Scalar::Jsonb | Scalar::Interval)
        );
        if is_planned {
            let text = Expr::Value(typed.value.clone());
            *expr = self.as_type(text, target.ty);
            self.is_changed = true;
        }
    }

    /// `ARRAY[…]`, of one dimension.
    pub(super) fn resolve_array(&mut self, expr: &mut Expr, of: Option<Scalar>) {
        let own = self.type_of(expr).map(|typed| typed.ty);
        let Expr::Array(array) = expr else { return };
        let is_nested = |element: &Expr| {
            matches!(element, Expr::Array(_))
                || matches!(self.planned_type(element), Some(Some(Type::Array(_))))
        };
        if array.elem.iter().any(is_nested) {
            return self.refuse(Error::unsupported("arrays of more than one dimension"));
        }
        let all_open = array.elem.iter().all(is_open);
        let of = of.or(match own {
            _ if all_open && !array.elem.is_empty() => Some(Scalar::Text),
            Some(Type::Array(of)) => Some(of),
            _ => None,
        });
        let Some(of) = of else { return };
        let elements = std::mem::take(&mut array.elem);
        let mut all: Vec<_> =
            elements.into_iter().map(|element| self.as_type(element, Type::One(of))).collect();
        all.push(string(family::kind(Type::Array(of))));
        *expr = call("pg_array_made", all);
        self.is_changed = true;
    }

    /// `array[1]` and `array[1:2]`.
    pub(super) fn resolve_subscript(&mut self, expr: &mut Expr) {
        let Expr::CompoundFieldAccess { root, access_chain } = &*expr else { return };
        let Some((root, place)) = subscript(root, access_chain) else { return };
        let of = match self.type_of(&root).map(|typed| typed.ty) {
            Some(Type::Array(of)) => of,
            Some(Type::One(scalar)) if scalar != Scalar::Jsonb && !is_given(&root) => {
                let message = format!(
                    "cannot subscript type {} because it does not support subscripting",
                    Type::One(scalar).name()
                );
                return self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
            }
            _ => return,
        };
        let any = || string("");
        let with = match place.clone() {
            Subscript::Index { index } => {
                call("pg_array_get", vec![root, index, string(family::typname(of))])
            }
            Subscript::Slice { lower_bound, upper_bound, stride: None } => {
                let bounds = [lower_bound, upper_bound].map(|bound| bound.unwrap_or_else(any));
                let [low, high] = bounds;
                call("pg_array_slice", vec![root, low, high, string(family::kind(Type::Array(of)))])
            }
            Subscript::Slice { .. } => return,
        };
        self.replace(expr, |_| with);
    }

    /// `value op ANY (array)`, where SQLite's comparison of the elements is another.
    pub(super) fn resolve_quantified(&mut self, expr: &mut Expr) {
        let (left, op, right, is_any) = match expr {
            Expr::AnyOp { left, compare_op, right, .. } => (left, compare_op, right, true),
            Expr::AllOp { left, compare_op, right } => (left, compare_op, right, false),
            _ => return,
        };
        let Some(Type::Array(of)) = self.type_of(right).map(|typed| typed.ty) else { return };
        let name = operator(op);
        let left_type =
            self.type_of(left).filter(|_| !is_given(left)).map(|typed| typed.ty.scalar());
        let is_plain = |scalar: Scalar| {
            family::is_integer(scalar)
                || matches!(scalar, Scalar::Text | Scalar::Varchar | Scalar::Uuid | Scalar::Date)
        };
        // NULL among the elements of `<> ALL` is not a row that is missing.
        let is_list = name == "=" && is_any;
        if is_list && is_plain(of) && left_type.is_none_or(is_plain) {
            return;
        }
        if !matches!(name.as_str(), "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=") {
            return;
        }
        let of_numbers = |scalar| family::number(Some(Typed::plain(Type::One(scalar))));
        let kind = match (left_type.and_then(of_numbers), of_numbers(of)) {
            (Some(one), Some(other)) => family::common(one, other),
            _ => of,
        };
        let one = self.as_type(take(left), Type::One(kind));
        let array = take(right);
        let function = if is_any { "pg_bool_array_any" } else { "pg_bool_array_all" };
        let all = vec![one, string(name), array, string(family::typname(kind))];
        self.replace(expr, |_| call(function, all));
    }

    /// `moment AT TIME ZONE zone`.
    pub(super) fn resolve_zone(&mut self, expr: &mut Expr) {
        let Expr::AtTimeZone { timestamp, time_zone } = expr else { return };
        let Some(own) = self.planned_type(timestamp) else { return };
        let Some(plan) = plans::at_zone(own) else {
            let ty = own.map_or_else(|| "unknown".to_owned(), Type::name);
            let message = format!("function pg_catalog.timezone(unknown, {ty}) does not exist");
            return self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
        };
        let mut zone = take(time_zone);
        if self.planned_type(&zone) == Some(Some(Type::One(Scalar::Interval))) {
            let concat = sqlparser::ast::BinaryOperator::StringConcat;
            let left = Box::new(string("interval "));
            zone = Expr::BinaryOp { left, op: concat, right: Box::new(zone) };
        }
        let moment = take(timestamp);
        *expr = self.planned(&plan, vec![zone, moment]);
    }

    /// `EXTRACT(field FROM value)`.
    pub(super) fn resolve_extract(&mut self, expr: &mut Expr) {
        let Expr::Extract { field, expr: inner, .. } = expr else { return };
        let name = field.to_string().trim_matches('\'').to_lowercase();
        let Some(own) = self.planned_type(inner) else { return };
        if let Some(plan) = plans::function("extract", &[None, own]) {
            let inner = take(inner);
            *expr = self.planned(&plan, vec![string(name), inner]);
        }
    }

    /// An interval that is a constant.
    pub(super) fn resolve_interval(&mut self, expr: &mut Expr) {
        let Expr::Interval(interval) = &*expr else { return };
        let Some(text) = string_of(&interval.value).or_else(|| literal(&interval.value)) else {
            return;
        };
        if interval.last_field.is_some() || interval.leading_precision.is_some() {
            return self.refuse(Error::unsupported("an interval with a range of fields"));
        }
        let mut all = vec![string(text)];
        all.extend(interval.leading_field.as_ref().map(|field| string(field.to_string())));
        self.replace(expr, |_| call("pg_interval_of", all));
    }
}
