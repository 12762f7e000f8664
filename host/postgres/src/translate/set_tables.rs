//! `SELECT * FROM t, unnest(t.a, t.b) WITH ORDINALITY u(x, y, n)`: SQLite's FROM has no column of another table in a
//! subquery. It is the same as `SELECT t.*, unnest(t.a) AS x, …`, whose sets advance together, too.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, GroupByExpr, Ident, Select, SelectItem, TableFactor, VisitorMut,
    WildcardAdditionalOptions,
};

use super::sets::PLACE;
use crate::walk::WalkMut;

/// Put such sets among the columns; whether there was one.
pub fn among_columns(tree: &mut ast::Statement) -> bool {
    let mut mover = Mover::default();
    let ControlFlow::Continue(()) = tree.walk_mut(&mut mover);
    mover.is_changed
}

#[derive(Default)]
struct Mover {
    is_changed: bool,
}

impl VisitorMut for Mover {
    type Break = std::convert::Infallible;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Self::Break> {
        if let Some(columns) = columns(select) {
            select.from.truncate(1);
            select.projection = columns;
            self.is_changed = true;
        }
        ControlFlow::Continue(())
    }
}

/// The columns of a SELECT of nothing but `*` from one table and the set that is made of it.
fn columns(select: &Select) -> Option<Vec<SelectItem>> {
    let is_all =
        matches!(&select.projection[..], [SelectItem::Wildcard(options)] if is_plain(options));
    let is_grouped = !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    let has_more = select.distinct.is_some()
        || select.into.is_some()
        || select.selection.is_some()
        || select.having.is_some()
        || !select.named_window.is_empty();
    let [first, second] = &select.from[..] else { return None };
    if !is_all || is_grouped || has_more || !first.joins.is_empty() || !second.joins.is_empty() {
        return None;
    }
    let TableFactor::Table { name, alias, args: None, .. } = &first.relation else { return None };
    let TableFactor::UNNEST { alias: Some(set), array_exprs, with_ordinality, .. } =
        &second.relation
    else {
        return None;
    };
    let table = match alias {
        Some(alias) if alias.columns.is_empty() => alias.name.clone(),
        Some(_) => return None,
        None => name.0.last()?.as_ident()?.clone(),
    };
    if !array_exprs.iter().all(|array| is_column_of(array, &table))
        || set.columns.len() != array_exprs.len() + usize::from(*with_ordinality)
    {
        return None;
    }
    let values = array_exprs.iter().map(|array| format!("unnest({array})"));
    let place = with_ordinality.then(|| format!("{PLACE}()::bigint"));
    let items = values.chain(place).zip(&set.columns);
    let items: String =
        items.map(|(value, column)| format!(", {value} AS {}", column.name)).collect();
    // Parsed, since what follows looks for calls.
    let parsed = super::parse(&format!("SELECT {table}.*{items}")).ok()??;
    let ast::Statement::Query(query) = parsed else { return None };
    let ast::SetExpr::Select(select) = *query.body else { return None };
    Some(select.projection)
}

fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    *options == WildcardAdditionalOptions::default()
}

/// Whether an expression is a column of this table, written with its name.
fn is_column_of(expr: &Expr, table: &Ident) -> bool {
    matches!(expr, Expr::CompoundIdentifier(parts) if parts.len() == 2 && parts[0].value.eq_ignore_ascii_case(&table.value))
}

#[cfg(test)]
mod tests {
    use super::super::tests::one;

    #[test]
    fn a_set_of_a_table_is_among_its_columns() {
        let sql = one("SELECT * FROM (SELECT * FROM t i, unnest(i.a, i.b) WITH ORDINALITY u(x, \"y y\", n)) q").sql;
        for part in ["i.*", "AS x", "AS \"y y\"", "AS n", "pg_places(max(0, "] {
            assert!(sql.contains(part) || sql.contains(&part.replace('"', "`")), "{part}: {sql}");
        }
    }

    #[test]
    fn others_are_left() {
        for sql in [
            "SELECT u.x FROM t i, unnest(i.a) u(x)",
            "SELECT * FROM t i, unnest(i.a) u(x) WHERE x > 1",
            "SELECT * FROM t i, unnest(i.a) u",
            "SELECT * FROM t i, unnest(ARRAY[1]) u(x)",
        ] {
            let mut tree = super::super::parse(sql).unwrap().unwrap();
            assert!(!super::among_columns(&mut tree), "{sql}");
        }
    }
}
