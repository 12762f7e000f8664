//! `(SELECT max(o.x))`: an aggregate of columns of the query around is one of that query, and a query without FROM that has
//! nothing else is its expression.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, Function, GroupByExpr, Query, Select, SelectItem, SetExpr, VisitorMut,
};

use super::table_name;
use crate::types::is_aggregate_name;
use crate::walk::{WalkMut, visit_expressions};

const SELECT: &[u8] = b"select";

/// Put such expressions instead of their queries, in the tree of a text: whether there was one.
pub fn inline(tree: &mut ast::Statement, text: &str) -> bool {
    // Without a second one nothing has to be looked through.
    let words = text.as_bytes().windows(SELECT.len());
    if words.filter(|word| word.eq_ignore_ascii_case(SELECT)).nth(1).is_none() {
        return false;
    }
    let mut inner = Inner { is_changed: false };
    let _ = tree.walk_mut(&mut inner);
    inner.is_changed
}

struct Inner {
    is_changed: bool,
}

impl VisitorMut for Inner {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Subquery(query) = expr
            && let Some(inner) = alone(query).filter(|inner| is_outer_aggregate(inner))
        {
            *expr = Expr::Nested(Box::new(inner.clone()));
            self.is_changed = true;
        }
        ControlFlow::Continue(())
    }
}

/// The only expression of a query that has nothing else.
fn alone(query: &Query) -> Option<&Expr> {
    let is_bare = query.with.is_none() && query.order_by.is_none() && query.limit_clause.is_none();
    let SetExpr::Select(select) = &*query.body else { return None };
    let [SelectItem::UnnamedExpr(expr)] = &select.projection[..] else { return None };
    (is_bare && query.fetch.is_none() && has_no_clause(select)).then_some(expr)
}

fn has_no_clause(select: &Select) -> bool {
    let is_grouped =
        !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    select.from.is_empty()
        && select.selection.is_none()
        && select.having.is_none()
        && select.distinct.is_none()
        && select.named_window.is_empty()
        && !is_grouped
}

/// Whether an expression has aggregates, all of them with columns, which can only be those of a query around.
fn is_outer_aggregate(expr: &Expr) -> bool {
    let mut found = false;
    let all = visit_expressions(expr, |part| match part {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => ControlFlow::Break(()),
        Expr::Function(function) if function.over.is_some() => ControlFlow::Break(()),
        Expr::Function(function) if is_aggregate_name(&table_name(&function.name)) => {
            found = true;
            if has_column(function) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }
        _ => ControlFlow::Continue(()),
    });
    found && all.is_continue()
}

fn has_column(function: &Function) -> bool {
    visit_expressions(function, |part| match part {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

#[cfg(test)]
mod tests {
    use super::super::{Context, translate};

    #[test]
    fn an_aggregate_of_a_query_around_is_one_of_it() {
        let sql = |sql: &str| translate(sql, &Context::default()).unwrap().remove(0).sql;
        for (before, after) in [
            ("SELECT (SELECT max(o.x)) FROM o", "SELECT (max(o.x)) FROM o"),
            ("SELECT (SELECT (SELECT max(o.x))) FROM o", "SELECT ((max(o.x))) FROM o"),
            (
                "SELECT x FROM o GROUP BY x HAVING (SELECT count(o.x)) > 1",
                "SELECT x FROM o GROUP BY x HAVING (count(o.x)) > 1",
            ),
        ] {
            assert_eq!(sql(before), after);
        }
        for same in [
            "SELECT (SELECT count(*)) FROM o",
            "SELECT (SELECT max(x) FROM t) FROM o",
            "SELECT (SELECT max(o.x) OVER ()) FROM o",
            "SELECT (SELECT max(o.x) LIMIT 0) FROM o",
        ] {
            assert_eq!(sql(same), same);
        }
    }
}
