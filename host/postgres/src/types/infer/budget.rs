//! The work that the analysis of one statement may take. It happens before SQLite has limits, and a
//! short statement can need much: each operand is looked at for every operator around it.

use std::cell::Cell;

use crate::error::{Error, Result, sqlstate};

/// Expressions that are looked at for one statement at most: a few tenths of a second. Statements of
/// thousands of values need some ten thousand.
const MAX_STEPS: u32 = 2_000_000;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(MAX_STEPS) };
}

/// Analyse a statement.
///
/// # Errors
///
/// Those of `work`; 54001 where it needed more than a statement may: then nothing that it found counts.
pub fn within<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    LEFT.set(MAX_STEPS);
    let done = work();
    if LEFT.get() > 0 {
        return done;
    }
    let error = Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "the statement is too complex");
    Err(error.hint("use fewer nested expressions and subqueries"))
}

/// Whether one more expression may be looked at.
pub fn step() -> bool {
    let left = LEFT.get();
    LEFT.set(left.saturating_sub(1));
    left > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_work_is_an_error_and_the_next_statement_begins_anew() {
        assert!(within(|| Ok((0..MAX_STEPS - 1).all(|_| step()))).unwrap());
        let error = within(|| Ok((0..MAX_STEPS).all(|_| step()))).unwrap_err();
        assert_eq!(error.code, sqlstate::STATEMENT_TOO_COMPLEX);
        assert!(within(|| Ok(step())).unwrap());
    }
}
