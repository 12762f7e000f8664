//! The rewriter's way through a tree.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, ObjectName, Query, TableFactor, ValueWithSpan, VisitorMut};

use super::Rewriter;
use crate::error::{Error, Result};
use crate::types::infer::budget;

/// The result of a step as the visitor wants it.
pub fn flow(result: Result<()>) -> ControlFlow<Error> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

impl VisitorMut for Rewriter<'_> {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        flow(budget::look().and_then(|()| self.query(query)))
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        self.bounds(query);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Error> {
        flow(self.select(select).and_then(|()| self.mark_sets(select)))
    }

    fn post_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Error> {
        self.place_sets(select);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        flow(self.table_factor(factor))
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        flow(self.derived_table(factor))
    }

    fn pre_visit_relation(&mut self, name: &mut ObjectName) -> ControlFlow<Error> {
        flow(self.relation(name))
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Error> {
        flow(self.value(value))
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        flow(budget::look().and_then(|()| self.expression(expr)))
    }
}
