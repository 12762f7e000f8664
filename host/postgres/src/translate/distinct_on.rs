//! `SELECT DISTINCT ON (a) …`: SQLite does not have it. Of the rows with the same keys, the first one in the order of
//! the query is that with `row_number()` 1 in a query with the columns, the keys and what it is ordered by.

mod columns;
mod same;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use sqlparser::ast::{
    self, Distinct, Expr, Ident, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind as QualifiedKind, SetExpr, VisitorMut,
    WildcardAdditionalOptions,
};

use columns::{Inner, Items, Value};
use same::{Known, Tables};

use super::names::quoted_name;
use super::queries::is_only_body;
use super::visit::flow;
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::{MAX_COLUMNS, Schema, Scope, budget};
use crate::walk::WalkMut;

/// A text without this word has no such query.
pub const WORD: &str = "distinct";

/// Put such queries into the tree of a statement: whether there was one. Without a schema those with `*` are left.
///
/// # Errors
///
/// 42P10 for keys that are not the first ones of ORDER BY, and others of names and positions there.
pub fn derive(tree: &mut ast::Statement, schema: Option<&dyn Schema>) -> Result<bool> {
    let mut deriver = Deriver { schema, is_changed: false };
    match tree.walk_mut(&mut deriver) {
        ControlFlow::Continue(()) => Ok(deriver.is_changed),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Deriver<'a> {
    schema: Option<&'a dyn Schema>,
    is_changed: bool,
}

impl VisitorMut for Deriver<'_> {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        // The ORDER BY behind parentheses is that of the query in them.
        while let SetExpr::Query(inner) = &*query.body
            && is_only_body(inner)
            && matches!(&*inner.body, SetExpr::Query(_) | SetExpr::Select(_))
            && has_keys(&inner.body)
        {
            query.body = inner.body.clone();
            self.is_changed = true;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        flow(self.query(query))
    }
}

impl Deriver<'_> {
    fn query(&mut self, query: &mut Query) -> Result<()> {
        if !has_keys(&query.body) {
            return Ok(());
        }
        if self.schema.is_some() {
            self.expand(query)?;
        }
        let is_select = matches!(&*query.body, SetExpr::Select(_));
        let none = &mut Vec::new();
        let order = match &mut query.order_by {
            Some(order) if is_select => match &mut order.kind {
                OrderByKind::Expressions(terms) => terms,
                OrderByKind::All(_) => none,
            },
            _ => none,
        };
        self.is_changed |= body(&mut query.body, order)?;
        Ok(())
    }

    /// Write out the columns of `*`.
    fn expand(&self, query: &mut Query) -> Result<()> {
        let Some(schema) = self.schema else { return Ok(()) };
        let with = Scope::of_with(query, schema, &Scope::default());
        let mut selects = Vec::new();
        selects_of(&mut query.body, &mut selects);
        for select in selects {
            let scope = Scope::of_select(select, schema, &with);
            let mut items = Vec::new();
            for item in std::mem::take(&mut select.projection) {
                items.extend(written_out(item, &scope));
                check_count(items.len())?;
            }
            select.projection = items;
        }
        Ok(())
    }
}

fn has_keys(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => keys(select).is_some(),
        SetExpr::SetOperation { left, right, .. } => has_keys(left) || has_keys(right),
        SetExpr::Query(query) => is_only_body(query) && has_keys(&query.body),
        _ => false,
    }
}

fn keys(select: &Select) -> Option<&[Expr]> {
    match &select.distinct {
        Some(Distinct::On(keys)) => Some(keys),
        _ => None,
    }
}

fn selects_of<'a>(body: &'a mut SetExpr, found: &mut Vec<&'a mut Select>) {
    match body {
        SetExpr::Select(select) if keys(select).is_some() => found.push(select),
        SetExpr::SetOperation { left, right, .. } => {
            selects_of(left, found);
            selects_of(right, found);
        }
        _ => {}
    }
}

/// The columns of a wildcard, where all are known.
fn written_out(item: SelectItem, scope: &Scope) -> Vec<SelectItem> {
    let all = match &item {
        SelectItem::Wildcard(options) if *options == WildcardAdditionalOptions::default() => {
            scope.expanded(None)
        }
        SelectItem::QualifiedWildcard(QualifiedKind::ObjectName(table), options)
            if *options == WildcardAdditionalOptions::default() =>
        {
            scope.expanded(Some(&super::table_name(table)))
        }
        _ => None,
    };
    all.map_or(vec![item], |all| all.into_iter().map(SelectItem::UnnamedExpr).collect())
}

/// PostgreSQL's limit holds for the columns, the keys and the order together, here for each.
fn check_count(count: usize) -> Result<()> {
    if count <= MAX_COLUMNS {
        return Ok(());
    }
    let message = format!("target lists can have at most {MAX_COLUMNS} entries");
    Err(Error::new(sqlstate::TOO_MANY_COLUMNS, message))
}

fn body(body: &mut SetExpr, order: &mut [OrderByExpr]) -> Result<bool> {
    match body {
        SetExpr::Select(select) => match derived(select, order)? {
            Some(query) => {
                *body = *query.body;
                Ok(true)
            }
            None => Ok(false),
        },
        SetExpr::SetOperation { left, right, .. } => {
            Ok(self::body(left, &mut [])? | self::body(right, &mut [])?)
        }
        _ => Ok(false),
    }
}

/// The query that has the same rows, whose order has names in it then; `None` for a SELECT without keys or with `*`.
fn derived(select: &Select, order: &mut [OrderByExpr]) -> Result<Option<Query>> {
    let Some(keys) = keys(select) else { return Ok(None) };
    [select.projection.len(), keys.len(), order.len()].into_iter().try_for_each(check_count)?;
    budget::look()?;
    let tables = Tables::of(select);
    let Some(items) = Items::of(select, &tables).filter(|_| select.into.is_none()) else {
        return Ok(None);
    };
    let mut inner = Inner::of(&items);
    let meant = |expr: &Expr, clause: &str| {
        budget::look()?;
        items.meant(expr, clause, &tables)
    };
    let keys: Vec<_> = keys.iter().map(|key| meant(key, "DISTINCT ON")).collect::<Result<_>>()?;
    let terms = order.iter().map(|term| meant(&term.expr, "ORDER BY"));
    let terms: Vec<_> = terms.collect::<Result<_>>()?;
    check_order(&keys, &terms)?;
    let partition = list(keys.iter().map(|key| inner.column(key)).map(|name| quoted_name(&name)));
    for (term, meant) in order.iter_mut().zip(&terms) {
        // With the table: a column that is shown may have this name.
        let parts = ["pg_distinct".to_owned(), inner.column(meant)];
        let parts = parts.map(|part| Ident::with_quote('"', part));
        term.expr = Expr::CompoundIdentifier(parts.to_vec());
    }
    let ordered = order.iter().zip(&terms).map(|(term, meant)| {
        let expr = Expr::Identifier(Ident::with_quote('"', inner.column(meant)));
        OrderByExpr { expr, ..term.clone() }.to_string()
    });
    let ordered = list(ordered);
    let ordered = if order.is_empty() { ordered } else { format!(" ORDER BY {ordered}") };
    let shown = items.all.iter().zip(&inner.names);
    let shown = shown
        .map(|(item, column)| format!("{} AS {}", quoted_name(column), quoted_name(&item.name)));
    let shown = list(shown);
    let mut rows = select.clone();
    rows.distinct = None;
    rows.projection = inner.projection();
    // With OFFSET SQLite does not merge the queries, which would compute `random()` anew where it is named.
    let sql = format!(
        "SELECT {shown} FROM (SELECT *, row_number() OVER (PARTITION BY {partition}{ordered}) AS \"pg_row\" \
         FROM ({rows} OFFSET 0) AS \"pg_rows\") AS \"pg_distinct\" WHERE \"pg_row\" = 1"
    );
    match super::parse(&sql)? {
        Some(ast::Statement::Query(query)) => Ok(Some(*query)),
        _ => Err(Error::unsupported("this DISTINCT ON")),
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// ORDER BY begins with the keys, in any order, and has all of them before anything else.
fn check_order(keys: &[Rc<Value>], order: &[Rc<Value>]) -> Result<()> {
    let known = known(keys);
    let first = order.iter().take_while(|term| known.has(&term.spelled)).count();
    let begin = self::known(&order[..first]);
    if first == order.len() || keys.iter().all(|key| begin.has(&key.spelled)) {
        return Ok(());
    }
    let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
    Err(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message))
}

/// Values, of which some are one item that several terms mean.
fn known(values: &[Rc<Value>]) -> Known<'_> {
    let (mut seen, mut known) = (HashSet::new(), Known::default());
    for value in values.iter().filter(|value| seen.insert(Rc::as_ptr(value))) {
        known.add(&value.spelled);
    }
    known
}

#[cfg(test)]
mod tests;
