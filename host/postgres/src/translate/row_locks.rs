//! `SELECT … FOR UPDATE`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Distinct, Expr, GroupByExpr, JoinOperator, LockClause, LockType, NonBlock, Query, Select,
    SetExpr, TableFactor, TableWithJoins, Visitor,
};

use super::names::{folded, last, parts};
use super::{is_set_name, written};
use crate::error::{Error, Result, sqlstate};
use crate::types::is_aggregate_name;
use crate::walk::Walk;

/// What `FOR UPDATE` does with rows that another transaction has locked. SQLite does not lock single rows: the
/// transaction locks the database, as if it had written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locks {
    /// It waits for them.
    Wait,
    /// It fails: `NOWAIT`.
    Refuse,
    /// It leaves them out: `SKIP LOCKED`.
    Skip,
}

/// How a query locks rows; `None` if it locks none, or if it writes, which locks the database itself.
pub fn of(statement: &ast::Statement) -> Option<Locks> {
    let ast::Statement::Query(outer) = statement else { return None };
    if written::written(outer).is_some() {
        return None;
    }
    let mut found = Found(None);
    let _ = statement.walk(&mut found);
    let is_outer = outer.locks.iter().any(|lock| of_clause(lock).is_some());
    match found.0 {
        // Without its rows an inner query would be another value: it may be counted, or be one itself.
        Some(Locks::Skip) if !is_outer => Some(Locks::Wait),
        found => found,
    }
}

struct Found(Option<Locks>);

impl Visitor for Found {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.0 = query.locks.iter().find_map(of_clause).or(self.0);
        ControlFlow::Continue(())
    }
}

fn of_clause(lock: &LockClause) -> Option<Locks> {
    match (&lock.lock_type, &lock.nonblock) {
        (LockType::Share, _) => None,
        (LockType::Update, None) => Some(Locks::Wait),
        (LockType::Update, Some(NonBlock::Nowait)) => Some(Locks::Refuse),
        (LockType::Update, Some(NonBlock::SkipLocked)) => Some(Locks::Skip),
    }
}

/// Check that there are rows that each clause can lock.
///
/// # Errors
///
/// PostgreSQL's: 0A000, 42P01, 42601.
pub fn check(statement: &ast::Statement) -> Result<()> {
    match statement.walk(&mut Checker) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Checker;

impl Visitor for Checker {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Error> {
        match query.locks.iter().try_for_each(|lock| checked(query, lock)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

fn checked(query: &Query, lock: &LockClause) -> Result<()> {
    let clause = format!("FOR {}", lock.lock_type);
    let refused =
        |why: &str| Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("{clause} {why}")));
    let select = match &*query.body {
        SetExpr::Select(select) => select,
        SetExpr::SetOperation { .. } => {
            return refused("is not allowed with UNION/INTERSECT/EXCEPT");
        }
        SetExpr::Values(_) => return refused("cannot be applied to VALUES"),
        _ => return Ok(()),
    };
    if let Some(what) = without_rows(select) {
        return refused(&format!("is not allowed with {what}"));
    }
    let wanted = match lock.of.as_ref().map(|name| (parts(name).len(), last(name))) {
        Some((1, name)) => Some(name),
        Some(_) => {
            let message = format!("{clause} must specify unqualified relation names");
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        None => None,
    };
    let mut all = Vec::new();
    select.from.iter().for_each(|tables| relations(tables, &mut all));
    let is_wanted = |name: &Option<String>| wanted.is_none() || *name == wanted;
    let mut found = all.iter().filter(|(factor, _)| is_wanted(&own_name(factor))).peekable();
    if let (Some(name), None) = (&wanted, found.peek()) {
        let message = format!("relation \"{name}\" in {clause} clause not found in FROM clause");
        return Err(Error::new(sqlstate::UNDEFINED_TABLE, message));
    }
    for (factor, is_nullable) in found {
        let what = unlocked(factor, query);
        match what {
            Some(what) if wanted.is_some() => {
                return refused(&format!("cannot be applied to {what}"));
            }
            None if *is_nullable => {
                return refused("cannot be applied to the nullable side of an outer join");
            }
            _ => {}
        }
    }
    Ok(())
}

/// What in a SELECT makes other rows of those of its tables.
pub fn without_rows(select: &Select) -> Option<&'static str> {
    let is_grouped = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(all, _) => !all.is_empty(),
    };
    let mut calls = Calls::default();
    let _ = select.projection.walk(&mut calls);
    Some(match () {
        () if !matches!(select.distinct, None | Some(Distinct::All)) => "DISTINCT clause",
        () if is_grouped => "GROUP BY clause",
        () if select.having.is_some() => "HAVING clause",
        () if calls.has_aggregate => "aggregate functions",
        () if calls.has_window => "window functions",
        () if calls.has_set => "set-returning functions in the target list",
        () => return None,
    })
}

/// What the columns of a SELECT call themselves.
#[derive(Default)]
struct Calls {
    has_aggregate: bool,
    has_window: bool,
    has_set: bool,
    /// Queries around.
    depth: usize,
}

impl Visitor for Calls {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let (Expr::Function(function), 0) = (expr, self.depth) {
            let name = last(&function.name);
            let is_window = function.over.is_some();
            self.has_window |= is_window;
            self.has_aggregate |= !is_window && is_aggregate_name(&name);
            self.has_set |= is_set_name(&name);
        }
        ControlFlow::Continue(())
    }
}

/// The relations of FROM, and whether an outer join may have no row of them.
fn relations<'a>(tables: &'a TableWithJoins, all: &mut Vec<(&'a TableFactor, bool)>) {
    use JoinOperator as J;
    let begin = all.len();
    add(&tables.relation, all);
    for join in &tables.joins {
        let before = all.len();
        add(&join.relation, all);
        let operator = &join.join_operator;
        let is_right = matches!(operator, J::Right(_) | J::RightOuter(_) | J::FullOuter(_));
        let is_left = matches!(operator, J::Left(_) | J::LeftOuter(_) | J::FullOuter(_));
        all[begin..before].iter_mut().for_each(|(_, is_nullable)| *is_nullable |= is_right);
        all[before..].iter_mut().for_each(|(_, is_nullable)| *is_nullable |= is_left);
    }
}

fn add<'a>(factor: &'a TableFactor, all: &mut Vec<(&'a TableFactor, bool)>) {
    match factor {
        TableFactor::NestedJoin { table_with_joins, .. } => relations(table_with_joins, all),
        factor => all.push((factor, false)),
    }
}

fn own_name(factor: &TableFactor) -> Option<String> {
    match factor {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. } => Some(folded(&alias.name)),
        TableFactor::Table { name, .. } => Some(last(name)),
        _ => None,
    }
}

/// What has no rows to lock.
fn unlocked(factor: &TableFactor, query: &Query) -> Option<&'static str> {
    match factor {
        TableFactor::Table { args: Some(_), .. } => Some("a function"),
        TableFactor::Table { name, .. } => {
            let with = query.with.iter().flat_map(|with| &with.cte_tables);
            let mut names = with.map(|one| folded(&one.alias.name));
            names.any(|one| one == last(name)).then_some("a WITH query")
        }
        TableFactor::Derived { .. } => None,
        _ => Some("this"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::parse;

    #[test]
    fn an_inner_query_is_waited_for() {
        for (sql, locks) in [
            ("SELECT a FROM t", None),
            ("SELECT a FROM t FOR SHARE", None),
            ("SELECT a FROM t FOR UPDATE", Some(Locks::Wait)),
            ("SELECT a FROM t FOR NO KEY UPDATE OF t NOWAIT", Some(Locks::Refuse)),
            ("SELECT a FROM t LIMIT 1 FOR UPDATE SKIP LOCKED", Some(Locks::Skip)),
            ("SELECT count(*) FROM (SELECT a FROM t FOR UPDATE SKIP LOCKED) q", Some(Locks::Wait)),
            ("SELECT (SELECT a FROM t FOR UPDATE NOWAIT)", Some(Locks::Refuse)),
            ("UPDATE t SET a = 1 WHERE a = (SELECT a FROM t FOR UPDATE)", None),
        ] {
            assert_eq!(of(&parse(sql).unwrap().unwrap()), locks, "{sql}");
        }
    }
}
