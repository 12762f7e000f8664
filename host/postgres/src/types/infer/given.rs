//! The types that a client has declared for the parameters of the statement that is analysed.
//!
//! A parameter may stand in any query of a statement, as in `SELECT x + 1 FROM (VALUES ($1)) v(x)`, and
//! [`Scope`](super::Scope) has only the tables of each. So the types belong to the analysis, as its
//! [budget](super::budget) does.

use std::cell::RefCell;

use super::super::Type;

thread_local! {
    static GIVEN: RefCell<Vec<Option<Type>>> = const { RefCell::new(Vec::new()) };
}

/// Analyse a statement whose parameters have these OIDs, 0 for one without a type.
pub fn declaring<T>(oids: &[u32], work: impl FnOnce() -> T) -> T {
    let outer = GIVEN.replace(oids.iter().map(|oid| Type::of_oid(*oid)).collect());
    let done = work();
    GIVEN.set(outer);
    done
}

/// The declared type of a parameter, which is counted from 0.
pub fn declared(index: usize) -> Option<Type> {
    GIVEN.with_borrow(|all| all.get(index).copied().flatten())
}

/// The same by its name, as `$1`.
pub fn declared_as(name: &str) -> Option<Type> {
    declared(name.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)?)
}
