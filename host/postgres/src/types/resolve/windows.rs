//! Windows, and the order within aggregates: computed values compare there as in ORDER BY.

use sqlparser::ast::{
    Expr, FunctionArgumentClause, FunctionArguments, NamedWindowDefinition, NamedWindowExpr,
    Select, Value, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};

use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, TEXT, Type, Typed};
use super::functions::arguments;
use super::numbers::literal;
use super::{call, family, is_null, number, take};
use crate::error::{Error, sqlstate};
use crate::translate::as_cast;

impl Finder<'_> {
    /// The order of a window and of an aggregate.
    pub(super) fn order_within(&mut self, expr: &mut Expr) {
        let Expr::Function(function) = expr else { return };
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            self.resolve_window(window);
        }
        if let Some(filter) = &function.filter {
            self.check_condition(filter, "FILTER");
        }
        let FunctionArguments::List(list) = &mut function.args else { return };
        for clause in &mut list.clauses {
            if let FunctionArgumentClause::OrderBy(terms) = clause {
                terms.iter_mut().for_each(|term| self.ordered(&mut term.expr, None));
            }
        }
    }

    /// A function that only a window has, by the types of its arguments.
    pub(super) fn resolve_window_function(&mut self, expr: &mut Expr, name: &str) {
        let Some(mut all) = arguments(expr) else { return };
        let types: Vec<_> = all.iter().map(|expr| self.planned_type(expr)).collect();
        let place = usize::from(name != "ntile");
        if let Some(Some(Some(ty))) = types.get(place)
            && !matches!(ty, Type::One(Scalar::Int2 | Scalar::Int4))
        {
            return self.check_call(name, &types);
        }
        match (name, &mut all[..]) {
            ("lag" | "lead", [value, _, none]) if !is_null(none) => {
                let [one, other] = [self.type_of(value), self.type_of(none)];
                let families = [one.and_then(family::of), other.and_then(family::of)];
                let is_open = self.is_untyped(value) || self.is_untyped(none);
                if let ([Some(first), Some(second)], false) = (families, is_open)
                    && first != second
                {
                    return self.check_call(name, &types);
                }
                let common = self.unified(&mut [value, none]);
                let is_numeric = common.is_some_and(|own| own.ty == Type::One(Scalar::Numeric));
                if is_numeric && self.type_of(value).map(|own| own.ty) != common.map(|own| own.ty) {
                    let own = self.type_of(value);
                    self.scaled(value, own);
                }
            }
            ("ntile", [count]) | ("nth_value", [_, count]) => {
                let code = match name {
                    "ntile" => sqlstate::INVALID_NTILE,
                    _ => sqlstate::INVALID_NTH_VALUE,
                };
                if let Some(number) = literal(count).and_then(|text| text.parse::<i64>().ok()) {
                    if number < 1 {
                        let message = format!("argument of {name} must be greater than zero");
                        return self.refuse(Error::new(code, message));
                    }
                } else if !self.is_view && (name != "ntile" || is_null(count) || is_given(count)) {
                    return self.counted(expr);
                }
                self.scaled_value(expr);
            }
            ("first_value" | "last_value" | "lag" | "lead", [_, ..]) => self.scaled_value(expr),
            _ => {}
        }
    }

    /// The value of a window function, with the digits of its column.
    fn scaled_value(&mut self, expr: &mut Expr) {
        let Some(mut all) = arguments(expr) else { return };
        let Some(first) = all.first_mut() else { return };
        let own = self.type_of(first);
        self.scaled(first, own);
    }

    /// `ntile(x)` and `nth_value(v, x)` are NULL where x is, which SQLite does not take.
    fn counted(&mut self, expr: &mut Expr) {
        let own = self.type_of(expr).unwrap_or(Typed::plain(TEXT));
        if let Some(all) = arguments(expr)
            && all.last().is_some_and(|count| is_null(count))
        {
            return self.replace(expr, |_| as_cast(null(), Typed::plain(own.ty)));
        }
        self.scaled_value(expr);
        let Some(mut all) = arguments(expr) else { return };
        let Some(count) = all.last_mut() else { return };
        let condition = Expr::IsNull(Box::new(count.clone()));
        let given = call("coalesce", vec![take(count), number(1)]);
        **count = given;
        self.replace(expr, |expr| call("iif", vec![condition, null(), expr]));
    }

    /// `WINDOW w AS (…)`.
    pub(super) fn resolve_named_windows(&mut self, select: &mut Select) {
        for NamedWindowDefinition(_, window) in &mut select.named_window {
            if let NamedWindowExpr::WindowSpec(window) = window {
                self.resolve_window(window);
            }
        }
    }

    fn resolve_window(&mut self, window: &mut WindowSpec) {
        if window.window_frame.as_ref().is_some_and(is_distance) {
            self.check_distance(window);
        }
        window.order_by.iter_mut().for_each(|term| self.ordered(&mut term.expr, None));
        window.partition_by.iter_mut().for_each(|key| self.compared(key));
    }

    /// SQLite adds a distance to integers and reals only, and finds no rows for other values.
    fn check_distance(&mut self, window: &WindowSpec) {
        let [term] = &window.order_by[..] else { return };
        let own = self.type_of(&term.expr).filter(|_| !is_given(&term.expr));
        let is_number = |ty| {
            use Scalar as S;
            matches!(ty, Type::One(S::Int2 | S::Int4 | S::Int8 | S::Float4 | S::Float8))
        };
        if let Some(own) = own.filter(|own| !is_number(own.ty)) {
            self.refuse(Error::unsupported(format_args!(
                "RANGE with offset PRECEDING/FOLLOWING for column type {}",
                own.ty.name()
            )));
        }
    }
}

/// Whether a frame ends at a distance from the value of its row.
fn is_distance(frame: &WindowFrame) -> bool {
    let is_distance = |bound: &WindowFrameBound| {
        matches!(bound, WindowFrameBound::Preceding(Some(_)) | WindowFrameBound::Following(Some(_)))
    };
    frame.units == WindowFrameUnits::Range
        && (is_distance(&frame.start_bound) || frame.end_bound.as_ref().is_some_and(is_distance))
}

fn null() -> Expr {
    Expr::Value(Value::Null.into())
}
