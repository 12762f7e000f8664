//! Ways through the parser's trees that are compiled once.
//!
//! The code that visits all kinds of nodes is large, and `sqlparser` makes it anew for each type of visitor. Here a visitor
//! is called by its address, so that all visitors with the same result share that code.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, ObjectName, OrderBy, OrderByExpr, Query, Select, Statement,
    TableFactor, ValueWithSpan, Visit, VisitMut, Visitor, VisitorMut,
};

/// Trees that are read.
pub(crate) trait Walk: Visit {
    /// Call `visitor` for each part.
    fn walk<B>(&self, visitor: &mut dyn Visitor<Break = B>) -> ControlFlow<B>
    where
        Self: Sized,
    {
        self.visit(&mut Called(visitor))
    }
}

impl<T: Visit> Walk for T {}

/// Trees that are changed.
pub(crate) trait WalkMut: VisitMut {
    /// Call `visitor` for each part.
    fn walk_mut<B>(&mut self, visitor: &mut dyn VisitorMut<Break = B>) -> ControlFlow<B>
    where
        Self: Sized,
    {
        self.visit(&mut CalledMut(visitor))
    }
}

impl<T: VisitMut> WalkMut for T {}

/// Call `found` for each expression, before those inside it.
pub(crate) fn visit_expressions<B>(
    tree: &impl Visit,
    found: impl FnMut(&Expr) -> ControlFlow<B>,
) -> ControlFlow<B> {
    struct Expressions<F>(F);

    impl<B, F: FnMut(&Expr) -> ControlFlow<B>> Visitor for Expressions<F> {
        type Break = B;

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<B> {
            self.0(expr)
        }
    }

    tree.walk(&mut Expressions(found))
}

/// Call `found` for each expression, after those inside it.
pub(crate) fn visit_expressions_mut<B>(
    tree: &mut impl VisitMut,
    found: impl FnMut(&mut Expr) -> ControlFlow<B>,
) -> ControlFlow<B> {
    struct Expressions<F>(F);

    impl<B, F: FnMut(&mut Expr) -> ControlFlow<B>> VisitorMut for Expressions<F> {
        type Break = B;

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<B> {
            self.0(expr)
        }
    }

    tree.walk_mut(&mut Expressions(found))
}

/// Call `found` for each name of a table.
pub(crate) fn visit_relations<B>(
    tree: &impl Visit,
    found: impl FnMut(&ObjectName) -> ControlFlow<B>,
) -> ControlFlow<B> {
    struct Relations<F>(F);

    impl<B, F: FnMut(&ObjectName) -> ControlFlow<B>> Visitor for Relations<F> {
        type Break = B;

        fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<B> {
            self.0(name)
        }
    }

    tree.walk(&mut Relations(found))
}

/// A visitor by its address.
struct Called<'a, B>(&'a mut dyn Visitor<Break = B>);

/// The same of one that changes the tree.
struct CalledMut<'a, B>(&'a mut dyn VisitorMut<Break = B>);

/// Both hooks of each kind of node.
macro_rules! forward {
    ($($before:ident, $after:ident: $node:ty;)*) => {
        impl<B> Visitor for Called<'_, B> {
            type Break = B;

            $(fn $before(&mut self, node: &$node) -> ControlFlow<B> {
                self.0.$before(node)
            }

            fn $after(&mut self, node: &$node) -> ControlFlow<B> {
                self.0.$after(node)
            })*
        }

        impl<B> VisitorMut for CalledMut<'_, B> {
            type Break = B;

            $(fn $before(&mut self, node: &mut $node) -> ControlFlow<B> {
                self.0.$before(node)
            }

            fn $after(&mut self, node: &mut $node) -> ControlFlow<B> {
                self.0.$after(node)
            })*
        }
    };
}

forward! {
    pre_visit_query, post_visit_query: Query;
    pre_visit_select, post_visit_select: Select;
    pre_visit_relation, post_visit_relation: ObjectName;
    pre_visit_table_factor, post_visit_table_factor: TableFactor;
    pre_visit_expr, post_visit_expr: Expr;
    pre_visit_statement, post_visit_statement: Statement;
    pre_visit_value, post_visit_value: ValueWithSpan;
    pre_visit_ident, post_visit_ident: Ident;
    pre_visit_order_by, post_visit_order_by: OrderBy;
    pre_visit_order_by_expr, post_visit_order_by_expr: OrderByExpr;
    pre_visit_group_by, post_visit_group_by: GroupByExpr;
}
