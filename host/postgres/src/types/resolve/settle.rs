//! Strings and parameters without a type get the type of the values that they are compared or united with.

use sqlparser::ast::{Expr, SelectItem, SetExpr, Value};

use super::super::infer::{given, wider};
use super::super::parameters::{Finder, is_given, parameter};
use super::super::{Scalar, TEXT, Type, Typed};
use super::compounds::{label, relabel};
use super::family::{self, Family};
use super::{call, is_null, take};
use crate::error::{Error, sqlstate};
use crate::translate::string_of;
use crate::values::{self, Format};

/// What a branch of a compound says of a column.
#[derive(Clone, Copy)]
enum Own {
    /// NULL.
    Null,
    /// A string, or a parameter without a type.
    Open,
    /// A type.
    Typed(Typed),
    /// Nothing that is known.
    Unknown,
}

impl Finder<'_> {
    /// A parameter that the client declares as `json` or `jsonb`, which is checked like any other text of it.
    pub(super) fn resolve_declared(&mut self, expr: &mut Expr) {
        let Expr::Value(value) = &*expr else { return };
        let Value::Placeholder(name) = &value.value else { return };
        let function = match given::declared_as(name) {
            Some(Type::One(Scalar::Json)) => "pg_json_of",
            Some(Type::One(Scalar::Jsonb)) => "pg_jsonb_of",
            _ => return,
        };
        self.replace(expr, |expr| call(function, vec![expr]));
    }

    /// A parameter of `character` has no length to be shown with, and its spaces are cut when it is bound.
    pub(super) fn check_character(&mut self, expr: &Expr) {
        let index = parameter(expr);
        if index.and_then(given::declared) == Some(Type::One(Scalar::Bpchar)) {
            let what = "a parameter of character as a column of a query";
            self.refuse(Error::unsupported(what).hint("declare it as text, or cast it"));
        }
    }

    /// Convert an expression without a type to the type of the others.
    ///
    /// A string is checked here, since SQLite does not compute a branch that no row needs.
    pub(super) fn settled(&mut self, expr: &mut Expr, ty: Type) {
        let family = family::of(Typed::plain(ty));
        if !is_given(expr) || family.is_none_or(|family| family == Family::Text) {
            return;
        }
        if let Some(text) = string_of(expr)
            && let Some(error) = fault(&text, ty)
        {
            return self.refuse(error);
        }
        if parameter(expr).is_some() {
            self.note(expr, Some(Typed::plain(ty)));
        }
        let with = self.as_type(take(expr), ty);
        self.replace(expr, |_| with);
    }

    /// The strings at a position of a compound get the type of the other branch, two branches at a time as in
    /// PostgreSQL: two strings are texts. `types` are those of the branches, in their order.
    pub(super) fn settle_compound(
        &mut self,
        body: &mut SetExpr,
        place: usize,
        types: &mut [Option<Typed>],
    ) {
        self.settle_branch(body, place, types, &mut 0);
    }

    fn settle_branch(
        &mut self,
        body: &mut SetExpr,
        place: usize,
        types: &mut [Option<Typed>],
        at: &mut usize,
    ) -> Own {
        let SetExpr::SetOperation { left, right, .. } = body else {
            let own = types.get(*at).copied().flatten().map_or(Own::Unknown, Own::Typed);
            *at += 1;
            return match column(body, place) {
                Some(expr) if is_null(expr) => Own::Null,
                Some(expr) if is_given(expr) && self.is_untyped(expr) => Own::Open,
                _ => own,
            };
        };
        let first = *at;
        let one = self.settle_branch(left, place, types, at);
        let second = *at;
        let other = self.settle_branch(right, place, types, at);
        match (one, other) {
            (Own::Null, other) => other,
            (one, Own::Null) => one,
            (Own::Open, Own::Open) => Own::Typed(Typed::plain(TEXT)),
            (Own::Open, Own::Typed(own)) => {
                self.settle_leaf(left, place, own, types.get_mut(first));
                Own::Typed(own)
            }
            (Own::Typed(own), Own::Open) => {
                self.settle_leaf(right, place, own, types.get_mut(second));
                Own::Typed(own)
            }
            (Own::Typed(one), Own::Typed(other)) => {
                self.check_branches(one, other);
                Own::Typed(if one == other { one } else { wider(one, other) })
            }
            _ => Own::Unknown,
        }
    }

    fn settle_leaf(
        &mut self,
        leaf: &mut SetExpr,
        place: usize,
        own: Typed,
        typed: Option<&mut Option<Typed>>,
    ) {
        let is_text = family::of(own).is_none_or(|family| family == Family::Text);
        let SetExpr::Select(select) = leaf else { return };
        let Some(item) = select.projection.get_mut(place).filter(|_| !is_text) else { return };
        let name = label(item);
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = &mut *item
        else {
            return;
        };
        self.settled(expr, own.ty);
        relabel(item, name);
        typed.into_iter().for_each(|typed| *typed = Some(Typed::plain(own.ty)));
    }

    /// Two branches have types that become one.
    fn check_branches(&mut self, one: Typed, other: Typed) {
        if let [Some(first), Some(second)] = [one, other].map(family::loosely)
            && first != second
        {
            let names = (one.ty.name(), other.ty.name());
            let message = format!("UNION types {} and {} cannot be matched", names.0, names.1);
            self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
        }
    }
}

/// The expression at a position of a SELECT.
fn column(body: &SetExpr, place: usize) -> Option<&Expr> {
    let SetExpr::Select(select) = body else { return None };
    match select.projection.get(place)? {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

/// Why a string is not a value of this type; `None` if it is one, or if only the function that converts it knows (`today`).
pub fn fault(text: &str, ty: Type) -> Option<Error> {
    use Scalar as S;
    let error = match ty {
        Type::One(S::Date | S::Time | S::Timestamp | S::Timestamptz | S::Oid) => return None,
        Type::One(Scalar::Json | Scalar::Jsonb) => values::jsonb::canonical(text).err(),
        ty => values::decode(Some(text.as_bytes()), ty, Format::Text).err(),
    };
    error.filter(|error| error.code != sqlstate::FEATURE_NOT_SUPPORTED)
}
