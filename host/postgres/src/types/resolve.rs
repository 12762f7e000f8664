//! Operators, casts and functions by the types of their operands, as PostgreSQL resolves them.
//!
//! SQLite has no types in expressions: `1::numeric / 3` would be its division of integers. Here such an expression becomes
//! a call of a function of `pgcatalog`, which has the type of its result in its name (`pg_numeric_div`). A computed
//! `numeric` is text with the digits that PostgreSQL shows, compared by the collation `pg_numeric`; a stored one is a
//! number, so that an index of a bare column is used.
//!
//! Where a type is not known, as of SQLite's own functions, the expression stays as it is.

mod aggregates;
mod apply;
mod branches;
mod casts;
mod compare;
mod compounds;
pub(super) mod family;
mod forms;
mod frames;
pub(super) mod functions;
mod grouping;
pub(super) mod inline;
mod numbers;
mod operators;
pub(super) mod overloads;
pub(super) mod plans;
mod queries;
mod rows;
pub(super) mod sets;
pub(super) mod settle;
mod single;
mod store;
mod table;
mod windows;

pub(super) use compounds::without_parentheses;
pub(super) use grouping::has_aggregate;
pub(crate) use grouping::is_aggregate_name;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident,
    ObjectName, Value,
};

use super::parameters::Finder;

impl Finder<'_> {
    /// An expression whose parts have been resolved.
    pub(super) fn resolve(&mut self, expr: &mut Expr) {
        if self.is_definition {
            return self.check_operands(expr);
        }
        match expr {
            Expr::BinaryOp { .. } => self.resolve_operator(expr),
            Expr::UnaryOp { .. } => self.resolve_unary(expr),
            Expr::Cast { .. } => self.resolve_cast(expr),
            Expr::Function(function) if matches!(function.args, FunctionArguments::Subquery(_)) => {
                if !self.is_view {
                    self.resolve_array_query(expr);
                }
            }
            Expr::Function(_) => self.resolve_function(expr),
            Expr::Ceil { .. } | Expr::Floor { .. } => self.resolve_rounding(expr),
            Expr::Between { .. } => self.resolve_between(expr),
            Expr::Like { expr: one, pattern: other, .. } => {
                self.check_like(one, "~~", other);
                self.padded(one);
            }
            Expr::ILike { expr: one, pattern: other, .. } => {
                self.check_like(one, "~~*", other);
                self.padded(one);
            }
            Expr::InList { expr, list, .. } => {
                self.list_singles(expr, list);
                let mut all: Vec<_> = std::iter::once(&mut **expr).chain(list).collect();
                self.compare_all(&mut all, "=");
            }
            Expr::InSubquery { expr, subquery, .. } => self.compare_with_query(expr, subquery),
            Expr::IsDistinctFrom(one, other) | Expr::IsNotDistinctFrom(one, other) => {
                // Arrays are equal where their texts are; a comparison of them would be NULL for one of NULL.
                if self.is_array(one) || self.is_array(other) {
                    self.check_operator(one, "=", other)
                } else {
                    self.compare_all(&mut [one, other], "=")
                }
            }
            Expr::IsUnknown(inner) | Expr::IsNotUnknown(inner) => {
                self.check_condition(inner, "IS UNKNOWN");
            }
            Expr::IsTrue(inner) | Expr::IsNotTrue(inner) => self.check_condition(inner, "IS TRUE"),
            Expr::IsFalse(inner) | Expr::IsNotFalse(inner) => {
                self.check_condition(inner, "IS FALSE");
            }
            Expr::Position { .. }
            | Expr::Substring { .. }
            | Expr::Trim { .. }
            | Expr::Overlay { .. } => self.resolve_text_form(expr),
            Expr::SimilarTo { .. } => self.resolve_similar(expr),
            Expr::Subquery(query) => self.resolve_single(query),
            Expr::Case { .. } => self.resolve_case(expr),
            Expr::Array(_) => self.resolve_array(expr, None),
            Expr::Identifier(_) => self.resolve_value(expr),
            Expr::Value(_) => self.resolve_declared(expr),
            Expr::CompoundFieldAccess { .. } => self.resolve_subscript(expr),
            Expr::AnyOp { .. } | Expr::AllOp { .. } => self.resolve_quantified(expr),
            Expr::TypedString(_) => self.resolve_typed_string(expr),
            // A view stays what other programs read, where SQLite has the same.
            _ if self.is_view => {}
            Expr::AtTimeZone { .. } => self.resolve_zone(expr),
            Expr::Extract { .. } => self.resolve_extract(expr),
            Expr::Interval(_) => self.resolve_interval(expr),
            _ => {}
        }
    }
}

/// A call of a function.
pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    let unnamed = |expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(expr));
    let args = arguments.into_iter().map(unnamed).collect();
    Expr::Function(Function {
        name: ObjectName::from(Ident::new(name)),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args,
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

/// The expression, which leaves NULL behind.
pub(super) fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Value(Value::Null.into()))
}

pub(super) fn number(text: impl ToString) -> Expr {
    Expr::Value(Value::Number(text.to_string(), false).into())
}

pub(super) fn string(text: impl Into<String>) -> Expr {
    Expr::Value(Value::SingleQuotedString(text.into()).into())
}

pub(super) fn is_null(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => matches!(value.value, Value::Null),
        Expr::Nested(inner) => is_null(inner),
        _ => false,
    }
}
