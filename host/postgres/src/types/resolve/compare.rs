//! Comparisons: of numbers of different types and forms, and of types that have none.

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Query, SelectItem, SetExpr, UnaryOperator, Value,
};
use sqlparser::tokenizer::Span;

use super::super::infer::wider;
use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::family::{self, Family};
use super::numbers::{collated, collated_by, is_call, literal};
use super::queries::collation;
use super::{call, is_null, number, string, take};
use crate::error::{Error, sqlstate};

impl Finder<'_> {
    /// The first of several expressions is compared with the others.
    pub(super) fn compare_all(&mut self, all: &mut [&mut Expr], op: &str) {
        if let [Expr::Tuple(one), Expr::Tuple(other)] = all {
            one.iter_mut()
                .zip(other)
                .for_each(|(one, other)| self.compare_all(&mut [one, other], op));
            return;
        }
        if let [Expr::Tuple(row), Expr::Subquery(query)] = all {
            return self.compare_with_rows(&mut row.iter_mut().collect::<Vec<_>>(), query);
        }
        let types: Vec<_> = all.iter().map(|expr| self.type_of(expr)).collect();
        if self.check_json(all, &types, op) {
            return;
        }
        let Some((Some(first), others)) = types.split_first() else { return };
        for (other, expr) in others.iter().zip(all.iter().skip(1)) {
            if let Some(other) = other
                && !is_given(all[0])
                && !is_given(expr)
            {
                self.check_comparison(*first, op, *other);
            }
        }
        if self.compare_structures(all, &types) {
            return;
        }
        let numbers: Option<Vec<Scalar>> = types
            .iter()
            .zip(all.iter())
            .map(
                |(typed, expr)| {
                    if is_null(expr) { Some(Scalar::Int2) } else { family::number(*typed) }
                },
            )
            .collect();
        let Some(numbers) = numbers else { return };
        if numbers.iter().any(|scalar| family::is_float(*scalar)) {
            for (expr, own) in all.iter_mut().zip(&numbers) {
                if *own == Scalar::Int8 && !is_given(expr) && !self.is_view {
                    self.replace(expr, |expr| call("pg_float8_of", vec![expr]));
                }
            }
        }
        if !numbers.contains(&Scalar::Numeric) {
            return;
        }
        if numbers.iter().any(|scalar| family::is_float(*scalar)) {
            for (expr, own) in all.iter_mut().zip(&types) {
                if let Some(own) = own.filter(|own| own.ty == Type::One(Scalar::Numeric)) {
                    let with = self.converted(take(expr), own, Scalar::Float8);
                    self.replace(expr, |_| with);
                }
            }
        } else if !all
            .iter()
            .zip(&numbers)
            .all(|(expr, own)| is_null(expr) || self.is_comparable(expr, *own))
        {
            for (index, (expr, own)) in all.iter_mut().zip(&types).enumerate() {
                let Some(own) = own.filter(|_| !is_null(expr)) else { continue };
                let with = self.computed(take(expr), own);
                self.replace(expr, |_| if index == 0 { collated(with) } else { with });
            }
        }
    }

    /// `real IN (1, 0.1)`: a list of constants has the type of what it is compared with.
    pub(super) fn list_singles(&mut self, one: &Expr, list: &mut [Expr]) {
        let is_single = self.type_of(one).is_some_and(|own| own.ty == Type::One(Scalar::Float4));
        if !is_single || list.len() < 2 || !list.iter().all(|expr| literal(expr).is_some()) {
            return;
        }
        for expr in list {
            self.replace(expr, |expr| call("pg_float4_of", vec![expr]));
        }
    }

    /// The same of a definition, whose expressions stay as they are.
    pub(super) fn check_operands(&mut self, expr: &Expr) {
        let Expr::BinaryOp { left, op, right } = expr else { return };
        let op = op.to_string();
        if matches!(op.as_str(), "=" | "<>" | "<" | "<=" | ">" | ">=") {
            self.check_operator(left, &op, right);
        }
    }

    /// PostgreSQL compares the types of these operands.
    pub(super) fn check_operator(&mut self, left: &Expr, op: &str, right: &Expr) {
        let is_open = |expr: &Expr| is_given(expr) || is_null(expr);
        if let (Some(one), Some(other)) = (self.type_of(left), self.type_of(right))
            && !is_open(left)
            && !is_open(right)
        {
            self.check_comparison(one, op, other);
        }
    }

    /// `jsonb`, arrays and intervals, whose texts do not compare as they do; whether they are that.
    fn compare_structures(&mut self, all: &mut [&mut Expr], types: &[Option<Typed>]) -> bool {
        let is_open = |expr: &Expr| is_null(expr) || is_given(expr);
        let known = types.iter().zip(all.iter()).filter(|(_, expr)| !is_open(expr));
        let mut known = known.map(|(own, _)| own.map(|own| own.ty));
        let Some(Some(ty)) = known.next() else { return false };
        let is_one = known.all(|own| own == Some(ty));
        let is_structure =
            matches!(ty, Type::Array(_) | Type::One(Scalar::Jsonb | Scalar::Interval));
        if !is_one || !is_structure {
            return false;
        }
        for expr in all.iter_mut().filter(|expr| is_given(expr)) {
            let with = self.as_type(take(expr), ty);
            self.replace(expr, |_| with);
        }
        match ty {
            Type::One(Scalar::Jsonb) => {
                let with = collated_by(take(all[0]), "pg_jsonb");
                self.replace(all[0], |_| with);
                true
            }
            Type::One(Scalar::Interval) => {
                for expr in all.iter_mut().filter(|expr| !is_null(expr)) {
                    self.replace(expr, |expr| call("pg_int8_interval_key", vec![expr]));
                }
                true
            }
            Type::Array(of) => {
                let [one, other] = all else { return true };
                let kind = string(family::typname(of));
                let with = call("pg_int4_array_compare", vec![take(one), take(other), kind]);
                self.replace(one, |_| with);
                self.replace(other, |_| number(0));
                true
            }
            Type::One(_) => false,
        }
    }

    pub(super) fn is_array(&self, expr: &Expr) -> bool {
        self.type_of(expr).is_some_and(|typed| matches!(typed.ty, Type::Array(_)))
    }

    /// `BETWEEN`, which is two comparisons where one of them is a call.
    pub(super) fn resolve_between(&mut self, expr: &mut Expr) {
        let Expr::Between { expr: one, negated, low, high } = expr else { return };
        if !self.is_array(one) && !self.is_array(low) && !self.is_array(high) {
            return self.compare_all(&mut [one, low, high], "<=");
        }
        let [mut from, mut to] =
            [(take(one), take(low)), (Expr::Value(Value::Null.into()), take(high))];
        to.0 = from.0.clone();
        self.compare_all(&mut [&mut from.0, &mut from.1], ">=");
        self.compare_all(&mut [&mut to.0, &mut to.1], "<=");
        let both = binary(
            binary(from.0, BinaryOperator::GtEq, from.1),
            BinaryOperator::And,
            binary(to.0, BinaryOperator::LtEq, to.1),
        );
        let both = Expr::Nested(Box::new(both));
        let with = if *negated {
            Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(both) }
        } else {
            both
        };
        self.replace(expr, |_| with);
    }

    /// The first value, unless it is equal to the second, where the comparison is by other values.
    pub(super) fn null_if(&mut self, mut one: Expr, other: Expr) -> Expr {
        let (mut left, mut right) = (one.clone(), other);
        self.compare(&mut left, &mut right);
        let own = self.type_of(&one);
        self.scaled(&mut one, own);
        self.compare_all(&mut [&mut left, &mut right], "=");
        Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: vec![CaseWhen {
                condition: binary(left, BinaryOperator::Eq, right),
                result: Expr::Value(Value::Null.into()),
            }],
            else_result: Some(Box::new(one)),
        }
    }

    /// `LIKE` is of texts, or of bytes, and a regular expression of texts.
    pub(super) fn check_like(&mut self, one: &Expr, op: &str, other: &Expr) {
        let own = |expr: &Expr| self.type_of(expr).filter(|_| !is_given(expr) && !is_null(expr));
        let types = [own(one), own(other)];
        let families = types.map(|own| own.and_then(family::of));
        let is_text = |family: &Option<Family>| {
            family.is_none_or(|family| {
                family == Family::Text || (family == Family::Bytes && matches!(op, "~~" | "!~~"))
            })
        };
        let is_mixed = matches!(families, [Some(one), Some(other)] if one != other);
        if is_mixed || !families.iter().all(is_text) {
            self.no_operator_of(types[0], &op, types[1]);
        }
    }

    /// `json` has no comparison at all, also with a string; whether one of these is `json`.
    fn check_json(&mut self, all: &[&mut Expr], types: &[Option<Typed>], op: &str) -> bool {
        let own = |at: usize| types[at].filter(|_| !is_given(all[at]) && !is_null(all[at]));
        let is_json = |at: &usize| own(*at).and_then(family::of) == Some(Family::Json);
        let Some(at) = (0..types.len()).find(is_json) else { return false };
        let other = at.max(1);
        if other < types.len() {
            self.no_operator_of(own(0), &op, own(other));
        }
        true
    }

    /// PostgreSQL has no comparison of these types.
    pub(super) fn check_comparison(&mut self, one: Typed, op: &str, other: Typed) {
        // What a client casts to an OID may be a name here, so others of the catalogue compare with any.
        let are_of_catalogue = [one, other].into_iter().all(family::is_of_catalogue);
        if are_of_catalogue && family::loosely(one) != family::loosely(other) {
            return self.no_operator(one, &op, other);
        }
        let [Some(first), Some(second)] = [family::of(one), family::of(other)] else { return };
        if first != second || first == Family::Json || !is_comparable_array(one.ty, other.ty) {
            self.no_operator(one, &op, other);
        }
    }

    /// `expr IN (query)`.
    pub(super) fn compare_with_query(&mut self, expr: &mut Expr, query: &mut Query) {
        if let Expr::Tuple(row) = expr {
            return self.compare_with_rows(&mut row.iter_mut().collect::<Vec<_>>(), query);
        }
        let own = self.type_of(expr);
        let of_item = self.first_type(query);
        let (Some(own), Some(of_item)) = (own, of_item) else { return };
        let mut items = Vec::new();
        leaves(&mut query.body, &mut items);
        if !is_given(expr) && !items.iter().any(|item| is_given(item)) {
            self.check_comparison(own, "=", of_item);
        }
        if own.ty == of_item.ty
            && let Some(collation) = collation(Some(own))
            && own.ty != Type::One(Scalar::Numeric)
            && !is_given(expr)
        {
            let with = collated_by(take(expr), collation);
            return self.replace(expr, |_| with);
        }
        let numbers = [family::number(Some(own)), family::number(Some(of_item))];
        let [Some(left), Some(right)] = numbers else {
            return self.compare_with_rows(&mut [expr], query);
        };
        if !numbers.contains(&Some(Scalar::Numeric))
            || family::is_float(left)
            || family::is_float(right)
        {
            return;
        }
        let is_computed = |item: &&mut Expr| {
            matches!(item, Expr::Collate { .. })
                || is_call(item, "pg_numeric_")
                || literal(item).is_some()
        };
        if self.is_comparable(expr, left) && !items.iter().any(is_computed) {
            return;
        }
        if items.len() > 1 {
            let hint = "put the compound in FROM: IN (SELECT x FROM (…) AS q)";
            let what = "IN of a compound query of numeric";
            return self.refuse(Error::unsupported(what).hint(hint));
        }
        let with = collated(self.computed(take(expr), own));
        self.replace(expr, |_| with);
        for item in items {
            if !matches!(item, Expr::Collate { .. }) && !is_null(item) {
                let with = collated(self.computed(take(item), of_item));
                self.replace(item, |_| with);
            }
        }
    }

    /// Expressions that are one value: the type that they have together, which numerics are computed for.
    pub(super) fn unified(&mut self, all: &mut [&mut Expr]) -> Option<Typed> {
        let known: Vec<_> = all
            .iter()
            .filter(|expr| !self.is_untyped(expr))
            .map(|expr| self.type_of(expr))
            .collect();
        let known: Vec<Typed> = known.into_iter().collect::<Option<_>>()?;
        let first = *known.first()?;
        if let Some(other) = known.iter().find(|other| !is_unified(first, **other)) {
            let message =
                format!("types {} and {} cannot be matched", first.ty.name(), other.ty.name());
            self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
            return None;
        }
        let common = known.iter().copied().reduce(wider)?;
        for expr in all {
            match self.type_of(expr).filter(|_| !self.is_untyped(expr)) {
                Some(own) => self.widened(expr, own, common),
                None => self.settled(expr, common.ty),
            }
        }
        Some(common)
    }

    /// One of several expressions that have a type together.
    pub(super) fn widened(&mut self, expr: &mut Expr, own: Typed, common: Typed) {
        use Scalar as S;
        let with = match (own.ty.scalar(), common.ty.scalar()) {
            _ if matches!(common.ty, Type::Array(_)) => return,
            (S::Int2 | S::Int4 | S::Int8 | S::Numeric, S::Numeric) => {
                self.computed(take(expr), own)
            }
            (S::Numeric, S::Float8) => self.converted(take(expr), own, S::Float8),
            (S::Int4 | S::Int8 | S::Numeric, S::Float4) => call("pg_float4_of", vec![take(expr)]),
            (S::Date, S::Timestamp) => call("pg_timestamp_of", vec![take(expr)]),
            (S::Date, S::Timestamptz) => call("pg_timestamptz_of", vec![take(expr)]),
            _ => return,
        };
        self.replace(expr, |_| with);
    }

    pub(super) fn resolve_case(&mut self, expr: &mut Expr) {
        let Expr::Case { case_token, operand, conditions, else_result, .. } = expr else { return };
        if case_token.0.span == Span::empty() {
            // Ours: the text of a boolean.
            return;
        }
        if let Some(operand) = operand {
            let whens = conditions.iter_mut().map(|when| &mut when.condition);
            let mut all: Vec<_> = std::iter::once(&mut **operand).chain(whens).collect();
            self.compare_all(&mut all, "=");
        } else {
            conditions.iter().for_each(|when| self.check_condition(&when.condition, "CASE/WHEN"));
        }
        let results = conditions.iter_mut().map(|when| &mut when.result);
        let mut results: Vec<_> = results.chain(else_result.as_deref_mut()).collect();
        let common = self.unified(&mut results);
        if common.is_some_and(|typed| typed.ty == Type::One(Scalar::Numeric)) {
            self.replace(expr, |expr| call("pg_numeric_of", vec![expr]));
        }
    }
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

/// Whether two arrays have elements of one type.
fn is_comparable_array(one: Type, other: Type) -> bool {
    !matches!((one, other), (Type::Array(one), Type::Array(other)) if one != other)
}

fn is_unified(one: Typed, other: Typed) -> bool {
    match [family::loosely(one), family::loosely(other)] {
        [Some(first), Some(second)] => first == second,
        _ => true,
    }
}

/// The only columns of the branches of a query.
fn leaves<'a>(body: &'a mut SetExpr, found: &mut Vec<&'a mut Expr>) {
    match body {
        SetExpr::Select(select) => {
            if let [SelectItem::UnnamedExpr(item) | SelectItem::ExprWithAlias { expr: item, .. }] =
                &mut select.projection[..]
            {
                found.push(item);
            }
        }
        SetExpr::Values(values) => {
            found.extend(values.rows.iter_mut().filter_map(|row| row.content.first_mut()));
        }
        SetExpr::SetOperation { left, right, .. } => {
            leaves(left, found);
            leaves(right, found);
        }
        SetExpr::Query(query) => leaves(&mut query.body, found),
        _ => {}
    }
}
