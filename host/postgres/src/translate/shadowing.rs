//! Queries of WITH that have the name of a table that they, or those before them, read. PostgreSQL's are seen by what
//! follows only; SQLite's by all of WITH, so that such a one gets another name, and what reads it an alias.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    self, FromTable, Ident, ObjectName, Query, SetExpr, TableAlias, TableFactor, TableWithJoins,
    Visitor, VisitorMut,
};

use super::names::{folded, last, parts};
use super::queries::has_letters;
use crate::error::{Error, Result};
use crate::walk::{Walk, WalkMut};

/// Queries of WITH that get another name at most: all of a statement is looked through for each.
const MAX_RENAMED: usize = 16;

/// Give such queries of WITH other names, in the tree of a text: whether there was one.
///
/// # Errors
///
/// 0A000 for too many: SQLite would read a query of WITH where PostgreSQL reads the table.
pub fn rename(tree: &mut ast::Statement, text: &str) -> Result<bool> {
    // Without the word nothing has to be looked through.
    if !has_letters(text, "with") {
        return Ok(false);
    }
    let mut names = Names::default();
    let _ = tree.walk(&mut names);
    if !names.has_with {
        return Ok(false);
    }
    let mut queries = Queries { names, left: MAX_RENAMED };
    if tree.walk_mut(&mut queries).is_break() {
        let what = format!("more than {MAX_RENAMED} queries of WITH with names of tables");
        return Err(Error::unsupported(what).hint("give them other names"));
    }
    Ok(queries.left < MAX_RENAMED)
}

/// The names of tables in a part of a statement.
#[derive(Default)]
struct Names {
    found: HashSet<String>,
    /// Those with a schema, which are no queries of WITH.
    qualified: HashSet<String>,
    has_with: bool,
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if let Some(with) = &query.with {
            self.has_with = true;
            self.found.extend(with.cte_tables.iter().map(|cte| folded(&cte.alias.name)));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        if name.0.len() > 1 {
            self.qualified.insert(last(name));
        }
        self.found.insert(last(name));
        ControlFlow::Continue(())
    }
}

impl Names {
    /// A name that none has yet.
    fn new_name(&mut self, like: &str) -> String {
        let mut number = 1_usize;
        loop {
            let name = format!("{like}_{number}");
            if self.found.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }
}

/// Looks for the queries that have WITH, from the outside in.
struct Queries {
    names: Names,
    left: usize,
}

impl VisitorMut for Queries {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let Some(with) = query.with.as_ref().filter(|with| !with.recursive) else {
            return ControlFlow::Continue(());
        };
        let mut before = Names::default();
        let mut shadowing = Vec::new();
        for (at, cte) in with.cte_tables.iter().enumerate() {
            let _ = cte.query.walk(&mut before);
            let name = folded(&cte.alias.name);
            if before.found.contains(&name) || self.names.qualified.contains(&name) {
                shadowing.push((at, name));
            }
        }
        for (at, name) in shadowing {
            let Some(left) = self.left.checked_sub(1) else { return ControlFlow::Break(()) };
            self.left = left;
            let new = self.names.new_name(&name);
            renamed(query, at, &name, &new);
        }
        ControlFlow::Continue(())
    }
}

/// Give the query of WITH at this position another name, also where the rest reads it.
fn renamed(query: &mut Query, at: usize, name: &str, new: &str) {
    let Some(with) = &mut query.with else { return };
    let mut readers = Readers { name, new, hidden: 0 };
    for cte in with.cte_tables.iter_mut().skip(at + 1) {
        let _ = cte.query.walk_mut(&mut readers);
    }
    with.cte_tables[at].alias.name = Ident::with_quote('"', new);
    // It sees none of WITH while it is visited.
    let with = query.with.take();
    let target = target_of(&mut query.body).map(|target| std::mem::replace(target, nowhere()));
    let _ = query.walk_mut(&mut readers);
    if let (Some(place), Some(target)) = (target_of(&mut query.body), target) {
        *place = target;
    }
    query.with = with;
}

/// The table that a statement changes, which is not a query of WITH.
fn target_of(body: &mut SetExpr) -> Option<&mut TableFactor> {
    let table = match body {
        SetExpr::Update(ast::Statement::Update(update)) => Some(&mut update.table),
        SetExpr::Delete(ast::Statement::Delete(delete)) => {
            let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) =
                &mut delete.from;
            tables.first_mut()
        }
        _ => None,
    };
    table.map(|table: &mut TableWithJoins| &mut table.relation)
}

/// What stands for a target meanwhile.
fn nowhere() -> TableFactor {
    TableFactor::TableFunction { expr: super::names::raw("nowhere"), alias: None }
}

/// What reads a query of WITH.
struct Readers<'a> {
    name: &'a str,
    new: &'a str,
    /// Queries around that have the name in their own WITH.
    hidden: usize,
}

impl Readers<'_> {
    /// The position of the name in a query's own WITH.
    fn place(&self, query: &Query) -> Option<usize> {
        let own = query.with.as_ref()?.cte_tables.iter();
        own.map(|cte| folded(&cte.alias.name)).position(|name| name == self.name)
    }
}

impl VisitorMut for Readers<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let Some(place) = self.place(query) else { return ControlFlow::Continue(()) };
        if let Some(with) = query.with.as_mut().filter(|with| !with.recursive) {
            // Up to that one the name is still the one around.
            for cte in with.cte_tables.iter_mut().take(place + 1) {
                cte.query.walk_mut(self)?;
            }
        }
        self.hidden += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.hidden -= usize::from(self.place(query).is_some());
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let TableFactor::Table { name, alias, args: None, .. } = factor else {
            return ControlFlow::Continue(());
        };
        if let ([own], 0) = (&parts(name)[..], self.hidden)
            && folded(own) == self.name
        {
            let own = (*own).clone();
            *name = ObjectName::from(Ident::with_quote('"', self.new));
            alias.get_or_insert_with(|| TableAlias {
                explicit: true,
                name: own,
                columns: Vec::new(),
                at: None,
            });
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Context, translate};
    use super::MAX_RENAMED;

    #[test]
    fn a_query_of_with_is_seen_by_what_follows() {
        let sql = |sql: &str| translate(sql, &Context::default()).unwrap().remove(0).sql;
        for (before, after) in [
            (
                "WITH u AS (SELECT * FROM u) SELECT u.a FROM u JOIN u AS k ON true",
                "WITH `u_1` AS (SELECT * FROM u) SELECT u.a FROM `u_1` AS u JOIN `u_1` AS k ON true",
            ),
            (
                "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM b",
                "WITH a AS (SELECT * FROM b), `b_1` AS (SELECT * FROM a) SELECT * FROM `b_1` AS b",
            ),
            (
                "WITH u AS (SELECT * FROM u) SELECT * FROM (WITH u AS (SELECT * FROM u) SELECT * FROM u) x",
                "WITH `u_1` AS (SELECT * FROM u) \
                 SELECT * FROM (WITH u AS (SELECT * FROM `u_1` AS u) SELECT * FROM u) x",
            ),
            (
                "WITH u AS (SELECT * FROM u) UPDATE u SET b = 1 FROM u AS k WHERE k.a = u.a",
                "WITH `u_1` AS (SELECT * FROM u) UPDATE u SET b = 1 FROM `u_1` AS k WHERE k.a = u.a",
            ),
            ("WITH u AS (SELECT 1) SELECT * FROM u", "WITH u AS (SELECT 1) SELECT * FROM u"),
        ] {
            let unlabelled = sql(before).replace(" AS `?column?`", "");
            assert_eq!(unlabelled, after, "{before}");
        }
    }

    #[test]
    fn more_than_are_renamed_are_refused() {
        let with = |count: usize| {
            let parts: Vec<_> =
                (0..count).map(|at| format!("t{at} AS (SELECT * FROM t{at})")).collect();
            let sql = format!("WITH {} SELECT 1", parts.join(", "));
            translate(&sql, &Context::default()).map(drop)
        };
        assert!(with(MAX_RENAMED).is_ok());
        assert_eq!(with(MAX_RENAMED + 1).unwrap_err().code, "0A000");
    }
}
