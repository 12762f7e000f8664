//! Values, and rows of them, that are compared with the rows of a query, and columns that a join merges.

use sqlparser::ast::{Expr, Query, Statement};

use super::super::infer::{Scope, columns_of_query};
use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::family::{self, Family};
use super::numbers::{collated, collated_by};
use super::queries::collation;
use super::{call, is_null, number, take};
use crate::error::{Error, sqlstate};
use crate::translate::parse;

/// How a column of a query becomes what it is compared with.
#[derive(Clone, Copy)]
enum Conversion {
    None,
    /// A call of this function, with a digit count.
    Call(&'static str, Option<usize>),
}

impl Finder<'_> {
    /// The operands of `row IN (query)` and `row = (query)`; a value alone is a row.
    pub(super) fn compare_with_rows(&mut self, row: &mut [&mut Expr], query: &mut Query) {
        let columns = columns_of_query(query, self.schema(), &self.around());
        if columns.len() != row.len() {
            return;
        }
        let mut all = Vec::new();
        for (value, (_, typed, is_stored)) in row.iter_mut().zip(columns) {
            all.push(match typed {
                Some(typed) => self.compare_with_column(value, typed, is_stored),
                None => Conversion::None,
            });
        }
        if all.iter().any(|one| matches!(one, Conversion::Call(..))) {
            self.is_changed = true;
            convert(query, &all);
        }
    }

    fn compare_with_column(
        &mut self,
        value: &mut Expr,
        column: Typed,
        is_stored: bool,
    ) -> Conversion {
        if is_null(value) {
            return Conversion::None;
        }
        if is_given(value) {
            let with = self.as_type(take(value), column.ty);
            self.replace(value, |_| with);
        }
        let Some(own) = self.type_of(value) else { return Conversion::None };
        self.check_comparison(own, "=", column);
        let numbers = [family::number(Some(own)), family::number(Some(column))];
        if let [Some(left), Some(right)] = numbers {
            return self.compare_numbers(value, (own, left), (column, right), is_stored);
        }
        if own.ty == column.ty
            && let Some(collation) = collation(Some(own))
        {
            let with = collated_by(take(value), collation);
            self.replace(value, |_| with);
            return Conversion::None;
        }
        let is_date = |typed: Typed| typed.ty == Type::One(Scalar::Date);
        let is_moment = |typed: Typed| family::of(typed) == Some(Family::Moment);
        match (is_date(own), is_date(column)) {
            (true, false) if is_moment(column) => {
                self.replace(value, |value| call("pg_timestamp_of", vec![value]));
                Conversion::None
            }
            (false, true) if is_moment(own) => Conversion::Call("pg_timestamp_of", None),
            _ => Conversion::None,
        }
    }

    /// SQLite compares stored numbers as they are, and computed numerics as texts.
    fn compare_numbers(
        &mut self,
        value: &mut Expr,
        (own, left): (Typed, Scalar),
        (column, right): (Typed, Scalar),
        is_stored: bool,
    ) -> Conversion {
        let is_numeric = |scalar| scalar == Scalar::Numeric;
        if !is_numeric(left) && !is_numeric(right) {
            return Conversion::None;
        }
        if family::is_float(left) || family::is_float(right) {
            if is_numeric(left) {
                let with = self.converted(take(value), own, Scalar::Float8);
                self.replace(value, |_| with);
            }
            return match right {
                Scalar::Numeric => Conversion::Call("pg_float8_of", None),
                _ => Conversion::None,
            };
        }
        if self.is_comparable(value, left) && (is_stored || !is_numeric(right)) {
            return Conversion::None;
        }
        let with = collated(self.computed(take(value), own));
        self.replace(value, |_| with);
        Conversion::Call("pg_numeric_of", column.scale())
    }

    /// Whether the texts of two moments differ where they are equal.
    pub(super) fn is_date_beside_stamp(&self, one: &Expr, other: &Expr) -> bool {
        let is_date =
            |expr: &Expr| self.type_of(expr).is_some_and(|own| own.ty == Type::One(Scalar::Date));
        !is_given(one) && !is_given(other) && is_date(one) != is_date(other)
    }

    /// Columns that USING and NATURAL merge are compared by SQLite, which knows no types.
    pub(in super::super) fn check_merged(&mut self, scope: &Scope) {
        for (name, [one, other]) in scope.merged_columns() {
            let [(Some(left), is_left_stored), (Some(right), is_right_stored)] = [one, other]
            else {
                continue;
            };
            let families = [family::of(left), family::of(right)];
            if let [Some(first), Some(second)] = families
                && first != second
            {
                let types = (left.ty.name(), right.ty.name());
                let message =
                    format!("JOIN/USING types {} and {} cannot be matched", types.0, types.1);
                return self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
            }
            let is_integer = |typed| family::number(Some(typed)).is_some_and(family::is_integer);
            let is_numeric = |typed: Typed| typed.ty == Type::One(Scalar::Numeric);
            let is_plain =
                |typed: Typed| matches!(typed.ty, Type::One(Scalar::Text | Scalar::Varchar));
            let is_same = if is_numeric(left) && is_numeric(right) {
                is_left_stored && is_right_stored
            } else {
                left == right && collation(Some(left)).is_none()
                    || is_integer(left) && is_integer(right)
                    || is_plain(left) && is_plain(right)
                    || families.contains(&None)
            };
            if !is_same {
                let what = format!("USING and NATURAL with \"{name}\" of {}", right.ty.name());
                let hint = "write ON, and choose the column that is shown";
                return self.refuse(Error::unsupported(what).hint(hint));
            }
        }
    }
}

/// `WITH rows(a, b) AS (query) SELECT a, f(b) FROM rows`.
fn convert(query: &mut Query, all: &[Conversion]) {
    let name = |at: usize| format!("\"pg {}\"", at + 1);
    let names: Vec<_> = (0..all.len()).map(name).collect();
    let items = names.iter().zip(all).map(|(name, conversion)| match conversion {
        Conversion::None => name.clone(),
        Conversion::Call(function, None) => format!("{function}({name})"),
        Conversion::Call(function, Some(digits)) => {
            format!("{function}({name}, {})", number(digits))
        }
    });
    let items: Vec<_> = items.collect();
    let sql = format!(
        "WITH \"pg rows\"({}) AS (SELECT 1) SELECT {} FROM \"pg rows\"",
        names.join(", "),
        items.join(", ")
    );
    let Ok(Some(Statement::Query(outer))) = parse(&sql) else { return };
    let inner = std::mem::replace(query, *outer);
    if let Some(with) = &mut query.with
        && let [table] = &mut with.cte_tables[..]
    {
        *table.query = inner;
    }
}
