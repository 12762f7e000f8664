//! The types of a result's columns, before there is a row.
//!
//! A column that SQLite knows has its declared type. Others are inferred from the statement:
//! from functions, operators, literals and casts. What remains is text.

pub mod budget;
mod calls;
mod columns;
mod factors;
mod from;
pub(super) mod given;
mod known;
mod names;
mod origin;
mod scope;

use sqlparser::ast::{
    self, Query, Select, SelectItem, SelectItemQualifiedWildcardKind as QualifiedKind, SetExpr,
};

pub(super) use super::resolve::family;
pub(super) use calls::branches;
pub(super) use columns::{Named, columns_of_query};
pub(super) use factors::{Call, is_open, subscript};
pub(super) use known::{compared, together, wider};
pub(crate) use known::{function_type, named_result};
pub(crate) use names::name;

/// Whether a function is known to be of one row.
pub(super) fn is_scalar(name: &str) -> bool {
    name != "count"
        && known::function_type(name).is_some_and(|_| {
            !matches!(
                name,
                "bool_and" | "bool_or" | "every" | "total" | "group_concat" | "string_agg"
            ) && !name.ends_with("_agg")
                && !name.starts_with("json_group")
        })
}

pub(crate) use scope::MAX_COLUMNS;
pub(super) use scope::MAX_WITH;
pub use scope::Scope;

use super::{Scalar, TEXT, Type, Typed};
use crate::error::Result;
use crate::translate::{Action, PlanFormat, Statement, Tree, table_name, written};

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What CREATE TABLE says of its type.
    pub declared: String,
    /// Whether it is a part of the primary key.
    pub is_key: bool,
    /// Its default, as SQLite has it.
    pub default: Option<String>,
    /// Whether its value is computed from others.
    pub is_generated: bool,
    /// Whether it is `GENERATED ALWAYS AS IDENTITY`.
    pub is_identity: bool,
    /// Its type, where a view computes it, or a comment says which one its key was declared with.
    pub computed: Option<Typed>,
}

impl Column {
    /// Its type, where that is known.
    pub fn typed(&self) -> Option<Typed> {
        self.computed.or_else(|| Typed::declared(&self.declared))
    }

    /// Whether SQLite may assign it: only a key of this type is the row id.
    pub fn is_numbered(&self) -> bool {
        self.is_key && self.declared.eq_ignore_ascii_case("integer")
    }
}

/// The tables of a database.
pub trait Schema {
    /// The columns of a table or view (`PRAGMA table_xinfo`); `None` if it does not exist.
    fn columns(&self, table: &str) -> Option<Vec<Column>>;
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name, as Postgres would have it.
    pub name: String,
    /// Its type.
    pub typed: Typed,
}

/// The columns of a result. `prepared` are the names and declared types that SQLite has for them.
///
/// # Errors
///
/// Those of [`budget`].
pub fn outputs(
    statement: &Statement,
    prepared: &[(&str, Option<&str>)],
    schema: &dyn Schema,
) -> Result<Vec<Output>> {
    if let Action::Explain(format) = statement.action {
        let ty = if format == PlanFormat::Json { Type::One(Scalar::Json) } else { TEXT };
        return Ok(vec![Output { name: "QUERY PLAN".into(), typed: Typed::plain(ty) }]);
    }
    let inferred = inferred(statement, prepared.len(), schema)?;
    let output = |(index, (name, declared)): (usize, &(&str, Option<&str>))| {
        let item = inferred.get(index).cloned().flatten();
        let resolved = statement.columns.get(index).copied().flatten();
        // SQLite has the type of one branch of a compound, and `INTEGER` for each key that it assigns.
        let of_item = resolved.or_else(|| item.as_ref().and_then(|item| item.typed));
        let typed = of_item.or_else(|| declared.and_then(Typed::declared));
        let named = item.and_then(|item| item.name);
        let name = named.unwrap_or_else(|| without_number(name, prepared).to_owned());
        Output { name, typed: typed.unwrap_or(Typed::plain(TEXT)) }
    };
    Ok(prepared.iter().enumerate().map(output).collect())
}

/// SQLite adds a counter to columns of inner queries that have the same name: `x:1`.
fn without_number<'a>(name: &'a str, all: &[(&str, Option<&str>)]) -> &'a str {
    match name.rsplit_once(':') {
        Some((base, number))
            if number.parse::<u32>().is_ok() && all.iter().any(|(other, _)| *other == base) =>
        {
            base
        }
        _ => name,
    }
}

/// What a statement says of a column.
#[derive(Clone)]
struct Item {
    name: Option<String>,
    typed: Option<Typed>,
}

/// By position; the columns of a wildcard are not known from the statement.
fn inferred(statement: &Statement, count: usize, schema: &dyn Schema) -> Result<Vec<Option<Item>>> {
    let read = |tree: &Tree| {
        tree.read(schema, |tree, schema| {
            Ok(given::declaring(&statement.given, || of_tree(tree, count, schema)))
        })
    };
    statement.parsed.as_ref().map(read).transpose().map(Option::unwrap_or_default)
}

fn of_tree(tree: &ast::Statement, count: usize, schema: &dyn Schema) -> Vec<Option<Item>> {
    let (with, tree) = match tree {
        ast::Statement::Query(query) => match written(query) {
            Some(tree) => (Scope::of_with(query, schema, &Scope::default()), tree),
            None => return of_query(query, count, schema),
        },
        tree => (Scope::default(), tree),
    };
    let (items, scope) = match tree {
        ast::Statement::Insert(ast::Insert { returning: Some(items), table, .. }) => {
            let ast::TableObject::TableName(name) = table else { return Vec::new() };
            (items, Scope::of_table(name, None, schema))
        }
        ast::Statement::Update(ast::Update { returning: Some(items), table, .. }) => {
            (items, Scope::of_from(std::slice::from_ref(table), schema, &with))
        }
        ast::Statement::Delete(ast::Delete { returning: Some(items), from, .. }) => {
            let (ast::FromTable::WithFromKeyword(tables) | ast::FromTable::WithoutKeyword(tables)) =
                from;
            (items, Scope::of_from(tables, schema, &with))
        }
        _ => return Vec::new(),
    };
    placed(items, &scope, count, (schema, &with))
}

fn of_query(query: &Query, count: usize, schema: &dyn Schema) -> Vec<Option<Item>> {
    let columns = columns_of_query(query, schema, &Scope::default());
    if columns.len() == count {
        return columns
            .into_iter()
            .map(|(name, typed, _)| Some(Item { name: Some(name), typed }))
            .collect();
    }
    let Some(Body::Select(select)) = first_select(&query.body) else { return Vec::new() };
    let with = Scope::of_with(query, schema, &Scope::default());
    let scope = Scope::of_select(select, schema, &with);
    placed(&select.projection, &scope, count, (schema, &with))
}

/// Whether an item is `*`, of all tables or of one.
pub(super) fn is_wildcard(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
}

/// The items by their columns: one wildcard takes what the others leave.
fn placed(
    items: &[SelectItem],
    scope: &Scope,
    count: usize,
    (schema, with): (&dyn Schema, &Scope),
) -> Vec<Option<Item>> {
    let wildcards = items.iter().filter(|item| is_wildcard(item)).count();
    let width = match wildcards {
        0 => 0,
        1 => (count + 1).saturating_sub(items.len()),
        _ => return Vec::new(),
    };
    let mut placed = Vec::new();
    for item in items {
        let (name, expr) = match item {
            SelectItem::UnnamedExpr(expr) => {
                (columns::name_of(expr, scope, schema, with, scope::MAX_DEPTH), expr)
            }
            SelectItem::ExprWithAlias { expr, alias } => (crate::translate::folded(alias), expr),
            wildcard => {
                let table = match wildcard {
                    SelectItem::QualifiedWildcard(QualifiedKind::ObjectName(table), _) => {
                        Some(table_name(table))
                    }
                    _ => None,
                };
                let table = table.as_deref();
                if scope.width(table) == width {
                    placed.extend(scope.all(table).map(|known| {
                        Some(Item { name: Some(known.name.clone()), typed: known.typed })
                    }));
                } else {
                    placed.extend(std::iter::repeat_n(None, width));
                }
                continue;
            }
        };
        let typed = scope.type_with_queries(expr, schema, with);
        placed.push(Some(Item { name: Some(name), typed }));
    }
    if placed.len() == count { placed } else { Vec::new() }
}

enum Body<'a> {
    Select(&'a Select),
    Values,
}

/// The first query of a compound names and types its columns.
fn first_select(body: &SetExpr) -> Option<Body<'_>> {
    match body {
        SetExpr::Select(select) => Some(Body::Select(select)),
        SetExpr::SetOperation { left, .. } => first_select(left),
        SetExpr::Query(query) => first_select(&query.body),
        SetExpr::Values(_) => Some(Body::Values),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
