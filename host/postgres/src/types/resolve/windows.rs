//! Windows, and the order within aggregates: computed values compare there as in ORDER BY.

use sqlparser::ast::{
    Expr, FunctionArgumentClause, FunctionArguments, NamedWindowDefinition, NamedWindowExpr,
    Select, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};

use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type};
use crate::error::{Error, sqlstate};

impl Finder<'_> {
    /// The order of a window and of an aggregate.
    pub(super) fn order_within(&mut self, expr: &mut Expr) {
        let Expr::Function(function) = expr else { return };
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            self.resolve_window(window);
        }
        let FunctionArguments::List(list) = &mut function.args else { return };
        for clause in &mut list.clauses {
            if let FunctionArgumentClause::OrderBy(terms) = clause {
                terms.iter_mut().for_each(|term| self.ordered(&mut term.expr, None));
            }
        }
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
        let [term] = &window.order_by[..] else {
            if window.window_name.is_none() {
                let message =
                    "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column";
                self.refuse(Error::new(sqlstate::WINDOWING_ERROR, message));
            }
            return;
        };
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
