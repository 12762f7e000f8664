//! SELECT without columns: SQLite counts its rows by a constant.

use sqlparser::ast::{
    self, Expr, GroupByExpr, OrderByKind, Query, SelectItem, SetExpr, TableFactor, TableWithJoins,
    Value,
};

use super::names::last;
use super::spelling::NOTHING;

/// Give a statement that selects no columns a constant: whether it was there, and whether its rows have no columns for
/// the client.
pub fn fill(tree: &mut ast::Statement) -> (bool, bool) {
    match tree {
        ast::Statement::Query(query) => {
            let is_filled = fill_query(query);
            (is_filled, is_filled)
        }
        ast::Statement::Explain { statement, .. } => (fill(statement).0, false),
        _ => (false, false),
    }
}

/// Give a query without columns a constant, in each branch of a compound. Rows without columns are equal, and so is the
/// constant of all.
pub fn fill_query(query: &mut Query) -> bool {
    let is_empty = is_empty(&query.body) && !has_position(query);
    if is_empty {
        fill_body(&mut query.body);
    }
    is_empty
}

/// Whether no branch has columns. DISTINCT needs one.
fn is_empty(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => {
            select.projection.is_empty() && select.distinct.is_none() && select.into.is_none()
        }
        SetExpr::Query(query) => is_empty(&query.body),
        SetExpr::SetOperation { left, right, .. } => is_empty(left) && is_empty(right),
        _ => false,
    }
}

/// Whether it is ordered or grouped by the position of a column.
fn has_position(query: &Query) -> bool {
    let is_number = |expr: &Expr| matches!(expr, Expr::Value(value) if matches!(value.value, Value::Number(..)));
    let is_ordered = query.order_by.as_ref().is_some_and(|order| match &order.kind {
        OrderByKind::Expressions(terms) => terms.iter().any(|term| is_number(&term.expr)),
        OrderByKind::All(_) => true,
    });
    let is_grouped = match &*query.body {
        SetExpr::Select(select) => match &select.group_by {
            GroupByExpr::Expressions(terms, _) => terms.iter().any(is_number),
            GroupByExpr::All(_) => true,
        },
        _ => false,
    };
    is_ordered || is_grouped
}

/// Whether it is the table that stands for no FROM.
fn is_nothing(table: &TableWithJoins) -> bool {
    matches!(&table.relation, TableFactor::Table { name, .. } if last(name) == NOTHING)
}

fn fill_body(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => {
            select.from.retain(|table| !is_nothing(table));
            let any = Value::Number("1".to_owned(), false);
            select.projection.push(SelectItem::UnnamedExpr(Expr::Value(any.into())));
        }
        SetExpr::Query(query) => fill_body(&mut query.body),
        SetExpr::SetOperation { left, right, .. } => {
            fill_body(left);
            fill_body(right);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::translate::tests::one;
    use crate::translate::{Context, translate};

    #[test]
    fn rows_may_have_no_columns() {
        for (sql, expected) in [
            ("SELECT FROM t WHERE a", "SELECT 1 FROM t WHERE a"),
            ("SELECT", "SELECT 1"),
            ("SELECT WHERE false", "SELECT 1 WHERE false"),
            ("SELECT /* x */ LIMIT 1", "SELECT 1 LIMIT 1"),
            (
                "WITH w AS (SELECT 1 AS a) SELECT WHERE true",
                "WITH w AS (SELECT 1 AS a) SELECT 1 WHERE true",
            ),
            ("SELECT UNION ALL SELECT", "SELECT 1 UNION ALL SELECT 1"),
            ("(select from t) limit 1", "SELECT 1 FROM t LIMIT 1"),
            ("SELECT FROM t UNION SELECT FROM u", "SELECT 1 FROM t UNION SELECT 1 FROM u"),
        ] {
            let statement = one(sql);
            assert!(statement.has_no_columns, "{sql}");
            assert_eq!(statement.sql, expected, "{sql}");
        }
        for (sql, expected) in [
            (
                "SELECT EXISTS (SELECT FROM t UNION ALL SELECT FROM u WHERE a = $1)",
                "SELECT EXISTS (SELECT 1 FROM t UNION ALL SELECT 1 FROM u WHERE a = ?1)",
            ),
            (
                "DELETE FROM t WHERE NOT EXISTS (SELECT FROM u)",
                "DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM u)",
            ),
            (
                "SELECT NOT EXISTS (SELECT), EXISTS (SELECT WHERE false)",
                "SELECT NOT EXISTS (SELECT 1), EXISTS (SELECT 1 WHERE false)",
            ),
            ("SELECT 1 AS select", "SELECT 1 AS `select`"),
            ("EXPLAIN SELECT FROM t", "EXPLAIN QUERY PLAN SELECT 1 FROM t"),
        ] {
            let statement = one(sql);
            assert!(!statement.has_no_columns, "{sql}");
            assert_eq!(statement.sql, expected, "{sql}");
        }
    }

    #[test]
    fn other_queries_without_columns_are_refused() {
        for (sql, code) in [
            ("SELECT count(*) FROM (SELECT FROM t) s", "0A000"),
            ("WITH w AS (SELECT FROM t) SELECT FROM w", "0A000"),
            ("SELECT FROM t UNION SELECT a FROM t", "0A000"),
            ("INSERT INTO t SELECT FROM u", "0A000"),
            ("DECLARE c CURSOR FOR SELECT FROM t", "0A000"),
            ("COPY (SELECT FROM t) TO STDOUT", "0A000"),
            ("CREATE VIEW v AS SELECT FROM t", "0A000"),
            ("CREATE TABLE c AS SELECT FROM t", "0A000"),
            ("SELECT (SELECT FROM t)", "0A000"),
            ("SELECT 1 IN (SELECT FROM t)", "0A000"),
            ("SELECT FROM t ORDER BY 1", "0A000"),
            ("SELECT FROM t GROUP BY 1", "0A000"),
            ("SELECT (SELECT)", "0A000"),
            ("SELECT DISTINCT FROM t", "42601"),
        ] {
            // Types may give a problem another meaning, so it is not reported at once.
            let found = translate(sql, &Context::default());
            let problem = found.map_or_else(Some, |mut all| all.remove(0).problem);
            assert_eq!(problem.map(|problem| problem.code), Some(code), "{sql}");
        }
    }
}
