//! `SELECT DISTINCT ON (a) …`: SQLite has it not. Of the rows with the same keys the first one in the order of the query is
//! that with the number 1, by a window function over a query with the columns, the keys and what it is ordered by.

mod same;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Distinct, Expr, Ident, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind as QualifiedKind, SetExpr, UnaryOperator, Value, VisitorMut,
    WildcardAdditionalOptions,
};

use same::{Known, Spelled, Tables};

use super::names::{folded, quoted_name};
use super::visit::flow;
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::{MAX_COLUMNS, Schema, Scope, budget, name};
use crate::walk::WalkMut;

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

/// The query that has the same rows, whose order has names in it then; none for a SELECT without keys or with `*`.
fn derived(select: &Select, order: &mut [OrderByExpr]) -> Result<Option<Query>> {
    let Some(keys) = keys(select) else { return Ok(None) };
    [select.projection.len(), keys.len(), order.len()].into_iter().try_for_each(check_count)?;
    budget::look()?;
    let tables = Tables::of(select);
    let Some(items) = Items::of(select, &tables).filter(|_| select.into.is_none()) else {
        return Ok(None);
    };
    let mut inner = Inner::of(&items);
    let keys = keys.iter().map(|key| items.meant(key, "DISTINCT ON", &tables));
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let terms = order.iter().map(|term| items.meant(&term.expr, "ORDER BY", &tables));
    let terms = terms.collect::<Result<Vec<_>>>()?;
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
    let shown = items.0.iter().zip(&inner.names);
    let shown = shown
        .map(|(item, column)| format!("{} AS {}", quoted_name(column), quoted_name(&item.name)));
    let shown = list(shown);
    let mut rows = select.clone();
    rows.distinct = None;
    rows.projection = inner.projection();
    let sql = format!(
        "SELECT {shown} FROM (SELECT *, row_number() OVER (PARTITION BY {partition}{ordered}) AS \"pg_row\" \
         FROM ({rows}) AS \"pg_rows\") AS \"pg_distinct\" WHERE \"pg_row\" = 1"
    );
    match super::parse(&sql)? {
        Some(ast::Statement::Query(query)) => Ok(Some(*query)),
        _ => Err(Error::unsupported("this DISTINCT ON")),
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// A column of the query.
struct Item {
    name: String,
    /// The name that the query gives it, which GROUP BY may have.
    alias: Option<String>,
    expr: Expr,
    spelled: Spelled,
}

struct Items(Vec<Item>);

impl Items {
    fn of(select: &Select, tables: &Tables) -> Option<Self> {
        let items = select.projection.iter().map(|item| {
            let (expr, alias) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(folded(alias))),
                _ => return None,
            };
            let name = alias.clone().unwrap_or_else(|| name(expr));
            Some(Item { name, alias, expr: expr.clone(), spelled: tables.spelled(expr) })
        });
        items.collect::<Option<_>>().map(Self)
    }

    /// What an expression of a clause means: a column of the result by its position or its name, or itself.
    fn meant(&self, expr: &Expr, clause: &str, tables: &Tables) -> Result<Meant> {
        let itself = Meant { expr: expr.clone(), spelled: tables.spelled(expr) };
        let of_item =
            |item: &Item| Meant { expr: item.expr.clone(), spelled: item.spelled.clone() };
        // Parentheses change nothing in PostgreSQL: `(e)` is a name, too.
        match &itself.spelled.full {
            Expr::Value(value) => match &value.value {
                Value::Placeholder(_) => Ok(itself),
                Value::Number(text, _) => self.at(text, clause).map(of_item),
                _ => Err(non_integer(clause)),
            },
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: number } if is_number(number) => {
                self.at(&format!("-{number}"), clause).map(of_item)
            }
            Expr::Identifier(wanted) if !is_qualified(expr) => {
                let wanted = folded(wanted);
                let named: Vec<_> = self.0.iter().filter(|item| item.name == wanted).collect();
                let Some(first) = named.first() else { return Ok(itself) };
                let known = Known::of([&first.spelled]);
                if named.iter().all(|item| known.has(&item.spelled)) {
                    return Ok(of_item(first));
                }
                let message = format!("{clause} \"{wanted}\" is ambiguous");
                Err(Error::new(sqlstate::AMBIGUOUS_COLUMN, message))
            }
            _ => Ok(itself),
        }
    }

    fn at(&self, position: &str, clause: &str) -> Result<&Item> {
        let position: i64 = position.parse().map_err(|_| non_integer(clause))?;
        let at = position.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.0.get(at)).ok_or_else(|| {
            let message = format!("{clause} position {position} is not in select list");
            Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message)
        })
    }
}

fn is_qualified(mut expr: &Expr) -> bool {
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    matches!(expr, Expr::CompoundIdentifier(_))
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::Number(..)))
}

fn non_integer(clause: &str) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, format!("non-integer constant in {clause}"))
}

/// What an expression of a clause means.
struct Meant {
    expr: Expr,
    spelled: Spelled,
}

/// The columns of the inner query: those that are shown, then other keys and what it is ordered by.
struct Inner {
    names: Vec<String>,
    exprs: Vec<Expr>,
    places: HashMap<Expr, usize>,
}

impl Inner {
    fn of(items: &Items) -> Self {
        let mut names = HashSet::new();
        let lower = |item: &Item| item.name.to_lowercase();
        let repeated: HashSet<_> =
            items.0.iter().map(lower).filter(|name| !names.insert(name.clone())).collect();
        let mut inner = Self { names: Vec::new(), exprs: Vec::new(), places: HashMap::new() };
        for item in &items.0 {
            let is_own = |alias: &String| {
                !repeated.contains(&alias.to_lowercase()) && !alias.starts_with("pg_")
            };
            inner.add(item.alias.clone().filter(is_own), &item.expr, &item.spelled);
        }
        inner
    }

    fn add(&mut self, name: Option<String>, expr: &Expr, spelled: &Spelled) {
        let at = self.names.len();
        self.names.push(name.unwrap_or_else(|| format!("pg_column{at}")));
        self.exprs.push(expr.clone());
        self.places.entry(spelled.full.clone()).or_insert(at);
    }

    /// The name of the column with this value.
    fn column(&mut self, meant: &Meant) -> String {
        if !self.places.contains_key(&meant.spelled.full) {
            self.add(None, &meant.expr, &meant.spelled);
        }
        self.names[self.places[&meant.spelled.full]].clone()
    }

    fn projection(&self) -> Vec<SelectItem> {
        let columns = self.names.iter().zip(&self.exprs);
        let item = |(name, expr): (&String, &Expr)| SelectItem::ExprWithAlias {
            expr: expr.clone(),
            alias: Ident::with_quote('"', name),
        };
        columns.map(item).collect()
    }
}

/// ORDER BY begins with the keys, in an order of its own, and has all of them before anything else.
fn check_order(keys: &[Meant], order: &[Meant]) -> Result<()> {
    let known = Known::of(keys.iter().map(|key| &key.spelled));
    let first = order.iter().take_while(|term| known.has(&term.spelled)).count();
    let begin = Known::of(order[..first].iter().map(|term| &term.spelled));
    if first == order.len() || keys.iter().all(|key| begin.has(&key.spelled)) {
        return Ok(());
    }
    let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
    Err(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message))
}

#[cfg(test)]
mod tests;
