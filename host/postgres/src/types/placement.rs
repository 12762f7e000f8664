//! Where aggregates, window functions and sets may stand, and what a call may have besides arguments. Names decide it, so one walk
//! over a statement does, before types are resolved.
//!
//! SQLite has another rule, or the same one with another error.

mod calls;
mod shapes;
mod windows;

use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Join,
    JoinConstraint, JoinOperator, LimitClause, Query, Select, SelectItem, SetExpr, TableFactor,
    Visitor, WindowFrame, WindowFrameBound, WindowSpec, WindowType,
};

use super::resolve::is_aggregate_name;
use crate::error::{Error, Result, sqlstate};
use crate::translate::{is_set_name, table_name};
use crate::walk::Walk;
use windows::Windows;

/// Functions that only a window has.
const WINDOW_FUNCTIONS: &[&str] = &[
    "cume_dist",
    "dense_rank",
    "first_value",
    "lag",
    "last_value",
    "lead",
    "nth_value",
    "ntile",
    "percent_rank",
    "rank",
    "row_number",
];

/// Whether a function needs OVER.
pub fn is_window_name(name: &str) -> bool {
    WINDOW_FUNCTIONS.contains(&name)
}

/// Check a statement.
///
/// # Errors
///
/// 42P20, 42803, 42809 and others: those of PostgreSQL for what stands where it may not.
pub fn check(tree: &ast::Statement) -> Result<()> {
    match tree.walk(&mut Placement::default()) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// What an expression is a part of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// A query, whose parts are not those of the query around it.
    Query,
    /// A clause, by the name that PostgreSQL's messages have for it.
    Clause(&'static str),
    /// The arguments of an aggregate.
    Aggregate,
    /// Those of a function over a window.
    Window,
    /// PARTITION BY and ORDER BY of a window.
    Definition,
    /// The offset of a frame, by the word before it.
    Offset(&'static str),
    /// CASE and what else need not evaluate its parts.
    Branch(&'static str),
}

#[derive(Default)]
struct Placement {
    /// The positions of expressions that have not been reached, by their addresses.
    marks: HashMap<usize, Place>,
    /// The positions around the expression, each with the address of what begins it.
    around: Vec<(usize, Place)>,
    /// The windows of the queries around.
    windows: Vec<Windows>,
}

/// The address of a node, which identifies it.
pub(super) fn address<T>(part: &T) -> usize {
    std::ptr::from_ref(part).addr()
}

fn broken(result: Result<()>) -> ControlFlow<Error> {
    result.map_or_else(ControlFlow::Break, ControlFlow::Continue)
}

/// The arguments of a call that are expressions.
fn arguments(function: &Function) -> impl Iterator<Item = &Expr> {
    let list = match &function.args {
        FunctionArguments::List(list) => &list.args[..],
        _ => &[],
    };
    list.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
}

impl Placement {
    fn mark<'a>(&mut self, parts: impl IntoIterator<Item = &'a Expr>, place: Place) {
        self.marks.extend(parts.into_iter().map(|expr| (address(expr), place)));
    }

    fn leave(&mut self, at: usize) {
        self.around.pop_if(|(own, _)| *own == at);
    }

    /// The positions within the query, from the inside out.
    fn places(&self) -> impl Iterator<Item = Place> {
        self.around.iter().rev().map(|(_, place)| *place).take_while(|place| *place != Place::Query)
    }

    /// Whether the query is in no other one, whose aggregates it might have.
    fn is_outermost(&self) -> bool {
        self.around.iter().filter(|(_, place)| *place == Place::Query).count() <= 1
    }

    fn mark_call(&mut self, function: &Function, name: &str) {
        let is_aggregate = function.over.is_none() && is_aggregate_name(name);
        match (&function.over, name) {
            (Some(_), _) => self.mark(arguments(function), Place::Window),
            _ if is_aggregate => self.mark(arguments(function), Place::Aggregate),
            (None, "coalesce") => self.mark(arguments(function), Place::Branch("COALESCE")),
            _ => {}
        }
        self.mark(function.filter.as_deref(), Place::Clause("FILTER"));
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            self.mark_window(window);
        }
    }

    fn mark_window(&mut self, window: &WindowSpec) {
        self.mark(&window.partition_by, Place::Definition);
        self.mark(window.order_by.iter().map(|term| &term.expr), Place::Definition);
        let Some(frame) = &window.window_frame else { return };
        self.mark(offsets(frame), Place::Offset(windows::word(frame.units)));
    }

    /// A call that is an aggregate, is over a window, or returns a set.
    fn check_place(&self, function: &Function, name: &str) -> Result<()> {
        let refused = |code, message: String| Err(Error::new(code, message));
        let is_window = function.over.is_some();
        let is_aggregate = !is_window && is_aggregate_name(name);
        let is_set = is_set_name(name);
        for place in self.places() {
            match place {
                Place::Clause(clause) if is_window => {
                    let message = format!("window functions are not allowed in {clause}");
                    return refused(sqlstate::WINDOWING_ERROR, message);
                }
                Place::Aggregate if is_window => {
                    let message = "aggregate function calls cannot contain window function calls";
                    return refused(sqlstate::GROUPING_ERROR, message.into());
                }
                Place::Window if is_window => {
                    let message = "window function calls cannot be nested";
                    return refused(sqlstate::WINDOWING_ERROR, message.into());
                }
                Place::Definition if is_window => {
                    let message = "window functions are not allowed in window definitions";
                    return refused(sqlstate::WINDOWING_ERROR, message.into());
                }
                Place::Offset(word) if is_window => {
                    let message = format!("window functions are not allowed in window {word}");
                    return refused(sqlstate::WINDOWING_ERROR, message);
                }
                Place::Offset(word) if is_aggregate => {
                    let message = format!("aggregate functions are not allowed in window {word}");
                    return refused(sqlstate::GROUPING_ERROR, message);
                }
                Place::Clause(clause)
                    if is_aggregate && clause != "HAVING" && self.is_outermost() =>
                {
                    let message = format!("aggregate functions are not allowed in {clause}");
                    return refused(sqlstate::GROUPING_ERROR, message);
                }
                Place::Clause(clause) | Place::Branch(clause) if is_set && clause != "GROUP BY" => {
                    let message = format!("set-returning functions are not allowed in {clause}");
                    return refused(sqlstate::FEATURE_NOT_SUPPORTED, message);
                }
                Place::Aggregate if is_set => {
                    let message =
                        "aggregate function calls cannot contain set-returning function calls";
                    return refused(sqlstate::FEATURE_NOT_SUPPORTED, message.into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn enter_query(&mut self, query: &Query) -> Result<()> {
        self.around.push((address(query), Place::Query));
        let select = match &*query.body {
            SetExpr::Select(select) => Some(&**select),
            SetExpr::Values(values) => {
                let cells = values.rows.iter().flat_map(|row| row.content.iter());
                self.mark(cells, Place::Clause("VALUES"));
                None
            }
            _ => None,
        };
        self.windows.push(Windows::of(select)?);
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            self.mark(limit, Place::Clause("LIMIT"));
            self.mark(offset.as_ref().map(|offset| &offset.value), Place::Clause("OFFSET"));
        }
        Ok(())
    }

    fn enter_select(&mut self, select: &Select) -> Result<()> {
        self.windows.push(Windows::of(Some(select))?);
        self.mark(&select.selection, Place::Clause("WHERE"));
        self.mark(&select.having, Place::Clause("HAVING"));
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            self.mark(keys, Place::Clause("GROUP BY"));
        }
        for definition in &select.named_window {
            if let ast::NamedWindowExpr::WindowSpec(window) = &definition.1 {
                self.mark_window(window);
            }
        }
        for join in select.from.iter().flat_map(|table| &table.joins) {
            self.enter_join(join)?;
        }
        Ok(())
    }

    fn enter_join(&mut self, join: &Join) -> Result<()> {
        match constraint(&join.join_operator) {
            Some(JoinConstraint::On(condition)) => {
                self.mark([condition], Place::Clause("JOIN conditions"));
            }
            Some(JoinConstraint::Using(names)) => {
                let names: Vec<_> = names.iter().map(table_name).collect();
                let again = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
                if let Some((_, name)) = again {
                    let message =
                        format!("column name \"{name}\" appears more than once in USING clause");
                    return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn enter_statement(&mut self, statement: &ast::Statement) {
        let returning = match statement {
            ast::Statement::Insert(insert) => &insert.returning,
            ast::Statement::Update(update) => {
                let values = update.assignments.iter().map(|assignment| &assignment.value);
                self.mark(values, Place::Clause("UPDATE"));
                self.mark(&update.selection, Place::Clause("WHERE"));
                &update.returning
            }
            ast::Statement::Delete(delete) => {
                self.mark(&delete.selection, Place::Clause("WHERE"));
                &delete.returning
            }
            _ => return,
        };
        let items = returning.iter().flatten().filter_map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
            _ => None,
        });
        self.mark(items, Place::Clause("RETURNING"));
    }

    fn enter_expr(&mut self, expr: &Expr) -> Result<()> {
        if let Some(place) = self.marks.remove(&address(expr)) {
            self.around.push((address(expr), place));
        }
        match expr {
            Expr::Function(function) => {
                let name = table_name(&function.name);
                calls::check(function, &name)?;
                self.check_place(function, &name)?;
                if let (Some(over), Some(windows)) = (&function.over, self.windows.last()) {
                    windows.check(over)?;
                }
                self.mark_call(function, &name);
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                let parts = conditions.iter().flat_map(|when| [&when.condition, &when.result]);
                let parts = parts.chain(operand.as_deref()).chain(else_result.as_deref());
                self.mark(parts, Place::Branch("CASE"));
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                if let Some(Place::Offset(word)) = self.places().next() {
                    let message = format!("argument of {word} must not contain variables");
                    return Err(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Visitor for Placement {
    type Break = Error;

    fn pre_visit_statement(&mut self, statement: &ast::Statement) -> ControlFlow<Error> {
        self.enter_statement(statement);
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Error> {
        broken(self.enter_query(query))
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Error> {
        self.leave(address(query));
        self.windows.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Error> {
        let mut joins = select.from.iter().map(|table| &table.joins);
        broken(
            joins
                .try_for_each(|joins| shapes::check_joins(joins))
                .and_then(|()| self.enter_select(select)),
        )
    }

    fn post_visit_select(&mut self, _: &Select) -> ControlFlow<Error> {
        self.windows.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Error> {
        if let TableFactor::NestedJoin { table_with_joins, .. } = factor {
            return broken(shapes::check_joins(&table_with_joins.joins));
        }
        if let TableFactor::Table { args: Some(arguments), .. } = factor {
            let all = arguments.args.iter().filter_map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            });
            self.mark(all, Place::Clause("functions in FROM"));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        broken(shapes::check_chain(expr).and_then(|()| self.enter_expr(expr)))
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        self.leave(address(expr));
        ControlFlow::Continue(())
    }
}

/// The offsets of a frame.
pub(super) fn offsets(frame: &WindowFrame) -> impl Iterator<Item = &Expr> {
    let bounds = std::iter::once(&frame.start_bound).chain(&frame.end_bound);
    bounds.filter_map(|bound| match bound {
        WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset) => {
            offset.as_deref()
        }
        WindowFrameBound::CurrentRow => None,
    })
}

/// What a join compares.
pub(super) fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    use JoinOperator as J;
    match operator {
        J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint)
        | J::Right(constraint)
        | J::RightOuter(constraint)
        | J::FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
