//! Calls and quantified comparisons, which say what types their arguments have.

use sqlparser::ast::{self, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::super::resolve::family::{self, Family};
use super::super::resolve::{call, take};
use super::operators::LETTERS;
use super::{Finder, Scalar, Type, Typed, is_given, one};
use crate::error::Error;
use crate::translate::table_name;

impl Finder<'_> {
    /// `left = ANY (query)` and `left <> ALL (query)` are IN and NOT IN; another operator compares with the array of the query.
    pub(super) fn quantified_query(&mut self, expr: &mut Expr) -> bool {
        let (left, op, right, is_any) = match expr {
            Expr::AnyOp { left, compare_op, right, .. } => (left, compare_op, right, true),
            Expr::AllOp { left, compare_op, right } => (left, compare_op, right, false),
            _ => return false,
        };
        let mut inner = &mut **right;
        while let Expr::Nested(nested) = inner {
            inner = nested;
        }
        if !matches!(inner, Expr::Subquery(_)) {
            return false;
        }
        let Expr::Subquery(subquery) = take(inner) else { return false };
        let negated = match (&*op, is_any) {
            (BinaryOperator::Eq, true) => false,
            (BinaryOperator::NotEq, false) => true,
            _ => {
                let of = self.first_type(&subquery).map(|own| own.ty);
                let ty = of.filter(|ty| matches!(ty, Type::Array(_) | Type::One(Scalar::Bytea)));
                if let Some(ty) = ty {
                    let what = format!("{op} ANY and ALL of {}", ty.name());
                    self.refuse(Error::unsupported(what).hint("use EXISTS"));
                    return true;
                }
                let mut array = call("array", Vec::new());
                if let Expr::Function(function) = &mut array {
                    function.args = FunctionArguments::Subquery(subquery);
                }
                self.replace(right, |_| array);
                return false;
            }
        };
        let left = Box::new(take(left));
        self.replace(expr, |_| Expr::InSubquery { expr: left, subquery, negated });
        true
    }

    /// `left op ANY (right)`.
    pub(super) fn quantified(&mut self, left: &mut Expr, right: &mut Expr) {
        if is_given(left)
            && let Some(array) = self.type_of(right)
        {
            self.note(left, one(array.ty.scalar()));
        }
        let element = self.type_of(left).map_or(Scalar::Text, |typed| typed.ty.scalar());
        match right {
            Expr::Array(array) => {
                array.elem.iter_mut().for_each(|expr| self.note(expr, one(element)));
            }
            right if is_given(right) => {
                self.note(right, Some(Typed::plain(Type::Array(element))));
            }
            _ => {}
        }
    }

    /// The bounds of `generate_series` in FROM have one type.
    pub(super) fn series(&mut self, factor: &mut ast::TableFactor) {
        let (name, arguments) = match factor {
            ast::TableFactor::Table { name, args: Some(arguments), .. } => {
                (&*name, &mut arguments.args)
            }
            ast::TableFactor::Function { name, args, .. } => (&*name, args),
            _ => return,
        };
        if table_name(name) != "generate_series" {
            return;
        }
        let bounds = arguments.iter_mut().filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        });
        let bounds: Vec<_> = bounds.collect();
        let of = |bound: &&mut Expr| self.type_of(bound).and_then(family::of);
        if bounds.iter().any(|bound| matches!(of(bound), Some(Family::Moment | Family::Interval))) {
            return self.refuse(Error::unsupported("generate_series of anything but integers"));
        }
        self.together(bounds);
    }

    pub(super) fn function(&mut self, function: &mut ast::Function) {
        function.filter.iter_mut().for_each(|filter| self.condition(filter));
        let FunctionArguments::List(list) = &mut function.args else { return };
        let arguments = list.args.iter_mut().filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        });
        let mut arguments: Vec<_> = arguments.collect();
        let name = table_name(&function.name);
        let is_advisory = name.starts_with("pg_") && name.contains("_advisory_");
        match (name.as_str(), &mut arguments[..]) {
            (_, [key]) if is_advisory => self.note(key, one(Scalar::Int8)),
            (_, [first, second]) if is_advisory => {
                self.note(first, one(Scalar::Int4));
                self.note(second, one(Scalar::Int4));
            }
            ("to_timestamp" | "pg_sleep", [seconds]) => self.note(seconds, one(Scalar::Float8)),
            ("bool_and" | "bool_or" | "every", [value]) => self.condition(value),
            ("ntile", [count]) => self.note(count, one(Scalar::Int4)),
            ("lag" | "lead" | "nth_value", [value, count, none @ ..]) => {
                self.note(count, one(Scalar::Int4));
                let typed = self.type_of(value);
                none.iter_mut().for_each(|none| self.note(none, typed));
            }
            ("set_config", [_, _, is_local]) => self.note(is_local, one(Scalar::Bool)),
            ("generate_series", [..]) => {
                self.together(arguments);
            }
            ("coalesce" | "ifnull" | "greatest" | "least", _) => self.together(arguments),
            ("nullif", [one, other]) if is_given(one) || is_given(other) => {
                self.compare(one, other)
            }
            ("concat" | "concat_ws" | "format", _) => {
                arguments.into_iter().for_each(|expr| self.as_text(expr, LETTERS));
            }
            _ => {}
        }
    }
}
