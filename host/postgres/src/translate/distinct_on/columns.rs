//! The columns of a query with DISTINCT ON, and what its clauses mean by them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use sqlparser::ast::{Expr, Ident, Select, SelectItem, UnaryOperator, Value as Constant};

use super::super::names::folded;
use super::same::{Spelled, Tables};
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::name;

/// A column of the query.
pub struct Item {
    pub name: String,
    /// The name that the query gives it, which GROUP BY may have.
    alias: Option<String>,
    value: Rc<Value>,
}

/// An expression, which several clauses may mean.
pub struct Value {
    expr: Expr,
    pub spelled: Spelled,
}

impl Value {
    fn of(expr: &Expr, tables: &Tables) -> Rc<Self> {
        Rc::new(Self { expr: expr.clone(), spelled: tables.spelled(expr) })
    }
}

pub struct Items {
    pub all: Vec<Item>,
    /// By their names; `None` if a name has different values.
    named: HashMap<String, Option<Rc<Value>>>,
}

impl Items {
    pub fn of(select: &Select, tables: &Tables) -> Option<Self> {
        let mut items = Self { all: Vec::new(), named: HashMap::new() };
        for item in &select.projection {
            let (expr, alias) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(folded(alias))),
                _ => return None,
            };
            let name = alias.clone().unwrap_or_else(|| name(expr));
            let value = Value::of(expr, tables);
            match items.named.entry(name.clone()) {
                Entry::Vacant(entry) => {
                    entry.insert(Some(value.clone()));
                }
                Entry::Occupied(mut entry) => {
                    let is_same = |known: &Rc<Value>| known.spelled.is_same(&value.spelled);
                    if !entry.get().as_ref().is_some_and(is_same) {
                        entry.insert(None);
                    }
                }
            }
            items.all.push(Item { name, alias, value });
        }
        Some(items)
    }

    /// What an expression of a clause means: a column of the result by its position or its name, or itself.
    pub fn meant(&self, expr: &Expr, clause: &str, tables: &Tables) -> Result<Rc<Value>> {
        // Parentheses change nothing in PostgreSQL: `(e)` is a name, too.
        let mut bare = expr;
        while let Expr::Nested(inner) = bare {
            bare = inner;
        }
        match bare {
            Expr::Value(value) => match &value.value {
                Constant::Placeholder(_) => {}
                Constant::Number(text, _) => return self.at(text, clause),
                _ => return Err(non_integer(clause)),
            },
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: number } if is_number(number) => {
                return self.at(&format!("-{number}"), clause);
            }
            Expr::Identifier(wanted) => match self.named.get(&folded(wanted)) {
                Some(Some(value)) => return Ok(value.clone()),
                Some(None) => {
                    let message = format!("{clause} \"{}\" is ambiguous", folded(wanted));
                    return Err(Error::new(sqlstate::AMBIGUOUS_COLUMN, message));
                }
                None => {}
            },
            _ => {}
        }
        Ok(Value::of(bare, tables))
    }

    fn at(&self, position: &str, clause: &str) -> Result<Rc<Value>> {
        let position: i32 = position.parse().map_err(|_| non_integer(clause))?;
        let at = position.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        let found = at.and_then(|at| self.all.get(at)).map(|item| item.value.clone());
        found.ok_or_else(|| {
            let message = format!("{clause} position {position} is not in select list");
            Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message)
        })
    }
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Constant::Number(..)))
}

fn non_integer(clause: &str) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, format!("non-integer constant in {clause}"))
}

/// The columns of the inner query: those that are shown, then other keys and what it is ordered by.
#[derive(Default)]
pub struct Inner {
    pub names: Vec<String>,
    values: Vec<Rc<Value>>,
    /// By their expressions.
    places: HashMap<Expr, usize>,
    /// By their addresses, since a clause often means an item.
    known: HashMap<*const Value, usize>,
}

impl Inner {
    pub fn of(items: &Items) -> Self {
        let mut names = HashSet::new();
        // SQLite ignores the case of names.
        let lower = |item: &Item| item.name.to_lowercase();
        let repeated: HashSet<_> =
            items.all.iter().map(lower).filter(|name| !names.insert(name.clone())).collect();
        let mut inner = Self::default();
        for item in &items.all {
            let is_own = |alias: &String| {
                let lower = alias.to_lowercase();
                !repeated.contains(&lower) && !lower.starts_with("pg_")
            };
            inner.add(item.alias.clone().filter(is_own), &item.value);
        }
        inner
    }

    fn add(&mut self, name: Option<String>, value: &Rc<Value>) -> usize {
        let at = self.names.len();
        self.names.push(name.unwrap_or_else(|| format!("pg_column{at}")));
        self.values.push(value.clone());
        self.places.entry(value.spelled.full.clone()).or_insert(at);
        self.known.insert(Rc::as_ptr(value), at);
        at
    }

    /// The name of the column with this value.
    pub fn column(&mut self, value: &Rc<Value>) -> String {
        let at = match self.known.get(&Rc::as_ptr(value)) {
            Some(at) => *at,
            None => match self.places.get(&value.spelled.full) {
                Some(at) => *at,
                None => self.add(None, value),
            },
        };
        self.names[at].clone()
    }

    pub fn projection(&self) -> Vec<SelectItem> {
        let columns = self.names.iter().zip(&self.values);
        let item = |(name, value): (&String, &Rc<Value>)| SelectItem::ExprWithAlias {
            expr: value.expr.clone(),
            alias: Ident::with_quote('"', name),
        };
        columns.map(item).collect()
    }
}
