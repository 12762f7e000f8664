//! The columns of tables that a query returns as they are.

use sqlparser::ast::{
    self, Expr, Query, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableFactor,
    TableWithJoins,
};

use super::infer::Schema;
use crate::error::Result;
use crate::translate::{Statement, Tree, folded, table_name};

/// A table, and the position of its column, from 1.
pub type Origin = (String, i16);

/// A table in FROM: its name or alias, the table, and its columns; `None` for anything else.
struct Source {
    name: String,
    table: Option<(String, Vec<String>)>,
}

/// Where each of `count` columns is from; `None` for what is computed, or not known.
///
/// # Errors
///
/// Those of [`budget`](super::infer::budget).
pub fn origins(
    statement: &Statement,
    count: usize,
    schema: &dyn Schema,
) -> Result<Vec<Option<Origin>>> {
    let read = |tree: &Tree| tree.read(schema, |tree, schema| Ok(of_tree(tree, schema)));
    let found = statement.parsed.as_ref().map(read).transpose()?.flatten();
    // Where a wildcard is not known, neither are the positions of the others.
    Ok(found.filter(|origins| origins.len() == count).unwrap_or_else(|| vec![None; count]))
}

fn of_tree(tree: &ast::Statement, schema: &dyn Schema) -> Option<Vec<Option<Origin>>> {
    match tree {
        ast::Statement::Query(query) => of_query(query, schema),
        ast::Statement::Insert(ast::Insert {
            returning: Some(items),
            table: ast::TableObject::TableName(name),
            ..
        }) => of_items(items, &[source(table_name(name), table_name(name), schema)]),
        ast::Statement::Update(ast::Update {
            returning: Some(items), table, from: None, ..
        }) => of_items(items, &sources(std::slice::from_ref(table), &[], schema)),
        ast::Statement::Delete(ast::Delete {
            returning: Some(items), from, using: None, ..
        }) => {
            let (ast::FromTable::WithFromKeyword(tables) | ast::FromTable::WithoutKeyword(tables)) =
                from;
            of_items(items, &sources(tables, &[], schema))
        }
        _ => None,
    }
}

fn of_query(query: &Query, schema: &dyn Schema) -> Option<Vec<Option<Origin>>> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let with = query.with.iter().flat_map(|with| &with.cte_tables);
    let with: Vec<_> = with.map(|cte| folded(&cte.alias.name)).collect();
    of_items(&select.projection, &sources(&select.from, &with, schema))
}

fn source(name: String, table: String, schema: &dyn Schema) -> Source {
    let columns = schema.columns(&table);
    let names = columns.map(|columns| columns.into_iter().map(|column| column.name).collect());
    Source { name, table: names.map(|names| (table, names)) }
}

fn sources(from: &[TableWithJoins], with: &[String], schema: &dyn Schema) -> Vec<Source> {
    let factors = from.iter().flat_map(|table| {
        std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation))
    });
    factors.map(|factor| of_factor(factor, with, schema)).collect()
}

fn of_factor(factor: &TableFactor, with: &[String], schema: &dyn Schema) -> Source {
    match factor {
        TableFactor::Table { name, alias, args: None, .. } => {
            let table = table_name(name);
            let own = alias.as_ref().map_or_else(|| table.clone(), |alias| folded(&alias.name));
            if with.contains(&table) {
                Source { name: own, table: None }
            } else {
                source(own, table, schema)
            }
        }
        TableFactor::Derived { alias: Some(alias), .. } => {
            Source { name: folded(&alias.name), table: None }
        }
        _ => Source { name: String::new(), table: None },
    }
}

/// `None` if a wildcard has columns that are not known.
fn of_items(items: &[SelectItem], sources: &[Source]) -> Option<Vec<Option<Origin>>> {
    let mut found = Vec::new();
    for item in items {
        match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                found.push(of_expr(expr, sources));
            }
            SelectItem::Wildcard(_) => {
                for source in sources {
                    found.extend(all(source)?);
                }
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let name = table_name(name);
                found.extend(all(sources.iter().find(|source| source.name == name)?)?);
            }
            _ => return None,
        }
    }
    Some(found)
}

fn all(source: &Source) -> Option<impl Iterator<Item = Option<Origin>>> {
    let (table, columns) = source.table.as_ref()?;
    Some((1..).take(columns.len()).map(|number| Some((table.clone(), number))))
}

fn of_expr(expr: &Expr, sources: &[Source]) -> Option<Origin> {
    let (qualifier, column) = match expr {
        Expr::Identifier(name) => (None, folded(name)),
        Expr::CompoundIdentifier(parts) => match &parts[..] {
            [.., table, column] => (Some(folded(table)), folded(column)),
            _ => return None,
        },
        _ => return None,
    };
    let mut places = Vec::new();
    for source in sources.iter().filter(|one| qualifier.as_ref().is_none_or(|q| *q == one.name)) {
        // What is not known may have the column, too.
        let (table, columns) = source.table.as_ref()?;
        let at = columns.iter().position(|name| name.eq_ignore_ascii_case(&column));
        places.extend(at.map(|at| (table.clone(), at + 1)));
    }
    let (table, number) = places.into_iter().next()?;
    Some((table, i16::try_from(number).ok()?))
}
