//! WITH before INSERT, UPDATE and DELETE, which the parser takes for a query.

use sqlparser::ast::{self, Query, SetExpr, With};

use super::names::folded;
use crate::error::{Error, Result};

/// The statement that follows WITH, if it writes.
pub(crate) fn written(query: &Query) -> Option<&ast::Statement> {
    match &*query.body {
        SetExpr::Insert(statement) | SetExpr::Update(statement) | SetExpr::Delete(statement) => {
            Some(statement)
        }
        _ => None,
    }
}

/// Put the WITH of an INSERT before what it inserts, so that it is an INSERT like others: whether there was one.
///
/// # Errors
///
/// 0A000 where the inserted query has one of the same name.
pub fn move_with(tree: &mut ast::Statement) -> Result<bool> {
    match tree {
        ast::Statement::Explain { statement, .. } => move_with(statement),
        ast::Statement::Query(query) => {
            let SetExpr::Insert(ast::Statement::Insert(insert)) = &mut *query.body else {
                return Ok(false);
            };
            if let (Some(with), Some(source)) = (query.with.take(), &mut insert.source) {
                source.with = Some(joined(with, source.with.take())?);
            }
            *tree = ast::Statement::Insert(insert.clone());
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn joined(mut outer: With, inner: Option<With>) -> Result<With> {
    let Some(inner) = inner else { return Ok(outer) };
    for cte in inner.cte_tables {
        let name = folded(&cte.alias.name);
        if outer.cte_tables.iter().any(|other| folded(&other.alias.name) == name) {
            let what = format!("a second query \"{name}\" in WITH");
            return Err(Error::unsupported(what).hint("use another name"));
        }
        outer.cte_tables.push(cte);
    }
    outer.recursive |= inner.recursive;
    Ok(outer)
}
