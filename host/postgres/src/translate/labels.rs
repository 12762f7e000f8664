//! Columns of inner queries by the names that PostgreSQL gives them: SQLite's are their texts.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, Ident, Query, SelectItem, SetExpr, TableFactor, VisitorMut};

use super::names::folded;
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::name;
use crate::walk::WalkMut;

/// Name the columns of inner queries: whether one had no name.
///
/// # Errors
///
/// 42701 where a table or view would have two columns of one name.
pub fn name_columns(tree: &mut ast::Statement) -> Result<bool> {
    let mut labels = Labels { is_changed: false };
    match tree {
        ast::Statement::CreateView(view) if view.columns.is_empty() => {
            labels.query(&mut view.query);
            check(&view.query)?;
        }
        ast::Statement::CreateTable(table) if table.columns.is_empty() => {
            if let Some(query) = &mut table.query {
                labels.query(query);
                check(query)?;
            }
        }
        _ => {}
    }
    // It never breaks.
    let _ = tree.walk_mut(&mut labels);
    Ok(labels.is_changed)
}

struct Labels {
    is_changed: bool,
}

impl VisitorMut for Labels {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            self.query(&mut cte.query);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived { subquery, .. } = factor {
            self.query(subquery);
        }
        ControlFlow::Continue(())
    }
}

impl Labels {
    fn query(&mut self, query: &mut Query) {
        let Some(items) = first_items(&mut query.body) else { return };
        for item in items {
            let SelectItem::UnnamedExpr(expr) = item else { continue };
            if matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                continue;
            }
            let alias = Ident::with_quote('"', name(expr));
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            self.is_changed = true;
        }
    }
}

/// The columns of the first query of a compound, which names them.
fn first_items(body: &mut SetExpr) -> Option<&mut Vec<SelectItem>> {
    match body {
        SetExpr::Select(select) => Some(&mut select.projection),
        SetExpr::SetOperation { left, .. } => first_items(left),
        SetExpr::Query(query) => first_items(&mut query.body),
        _ => None,
    }
}

/// The columns of a table or view have different names.
fn check(query: &Query) -> Result<()> {
    let SetExpr::Select(select) = &*query.body else { return Ok(()) };
    let mut seen = HashSet::new();
    for item in &select.projection {
        let name = match item {
            SelectItem::UnnamedExpr(expr) => name(expr),
            SelectItem::ExprWithAlias { alias, .. } => folded(alias),
            _ => continue,
        };
        if !seen.insert(name.clone()) {
            let message = format!("column \"{name}\" specified more than once");
            return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Context, translate};

    #[test]
    fn columns_of_inner_queries_have_names() {
        let sql = |sql: &str| translate(sql, &Context::default()).unwrap().remove(0).sql;
        assert_eq!(
            sql("SELECT sum FROM (SELECT sum(n), 1 + 1, n FROM k) AS s"),
            "SELECT sum FROM (SELECT sum(n) AS `sum`, 1 + 1 AS `?column?`, n FROM k) AS s"
        );
        assert_eq!(
            sql("WITH w AS (SELECT count(*) FROM k) SELECT count FROM w"),
            "WITH w AS (SELECT count(*) AS `count` FROM k) SELECT count FROM w"
        );
        let twice = translate("CREATE VIEW v AS SELECT 1, 2", &Context::default());
        assert_eq!(twice.unwrap_err().code, "42701");
    }
}
