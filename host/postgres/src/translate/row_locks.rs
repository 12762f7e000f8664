//! `SELECT … FOR UPDATE`.

use std::ops::ControlFlow;

use sqlparser::ast::{self, LockClause, LockType, NonBlock, Query, Visit, Visitor};

use super::written;

/// What `FOR UPDATE` does with rows that another transaction has locked. A row has no lock of its own in SQLite: the
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

/// How a query locks rows; none for what locks none, and for what writes, which locks the database itself.
pub fn of(statement: &ast::Statement) -> Option<Locks> {
    let ast::Statement::Query(outer) = statement else { return None };
    if written::written(outer).is_some() {
        return None;
    }
    let mut found = Found(None);
    let _ = statement.visit(&mut found);
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
