//! Forms whose value is one of several expressions, of which queries and parameters may be some.

use std::ops::ControlFlow;

use sqlparser::ast::Expr;

use super::super::Typed;
use super::super::infer::{branches, compared, is_open, together};
use super::{Finder, parameter};
use crate::walk::visit_expressions;

impl Finder<'_> {
    /// The type of such a form; `None` for another expression.
    pub(super) fn of_branches(&self, expr: &Expr) -> Option<Option<Typed>> {
        let (name, all) = branches(expr)?;
        let known = |expr: &Expr| if is_open(expr) { None } else { self.type_of(expr) };
        Some(match (name, &all[..]) {
            ("nullif", [one, other]) => compared(known(one), known(other)),
            // A string counts where nothing else does.
            _ => together(all.iter().map(|expr| (*expr, self.type_of(expr)))),
        })
    }

    /// Whether an expression has columns, and all are those of a query around.
    pub(in super::super) fn is_outer(&self, expr: &Expr) -> bool {
        let Some((own, around)) = self.scopes.split_last() else { return false };
        let mut is_outer = false;
        let has_own = visit_expressions(expr, |part| {
            is_outer |= around.iter().any(|scope| scope.origin(part).is_some());
            match own.origin(part) {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        });
        is_outer && has_own.is_continue() && !own.is_unknown()
    }

    /// Whether an expression takes the type of others: NULL, a string, and a parameter of no type.
    pub(in super::super) fn is_untyped(&self, expr: &Expr) -> bool {
        is_open(expr) || (parameter(expr).is_some() && self.type_of(expr).is_none())
    }
}
