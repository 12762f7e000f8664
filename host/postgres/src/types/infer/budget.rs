//! The work that the analysis of one statement may take. It happens before SQLite has limits, and a
//! short statement can need much: each operand is looked at for every operator around it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::error::{Error, Result, sqlstate};

/// Expressions and columns that are looked at for one statement at most: a few tenths of a second. Statements of
/// thousands of values need some ten thousand.
const MAX_STEPS: u32 = 2_000_000;

/// Steps between two looks at what may end the analysis: well below a millisecond.
const STEPS_BETWEEN: u32 = 1024;

/// Why the analysis must end now, if it must: its time is over, or nobody waits for it.
pub type Ends = Arc<dyn Fn() -> Option<Error> + Send + Sync>;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(MAX_STEPS) };
    static ENDS: RefCell<Option<Ends>> = const { RefCell::new(None) };
    static ENDED: RefCell<Option<Error>> = const { RefCell::new(None) };
    static LOOKS: Cell<u32> = const { Cell::new(0) };
}

/// Do work that ends when `ends` says so.
pub fn ending<T>(ends: Option<Ends>, work: impl FnOnce() -> T) -> T {
    let outer = ENDS.replace(ends);
    let done = work();
    ENDS.set(outer);
    done
}

/// What ends the work of this thread, for another one that does a part of it.
pub fn ends() -> Option<Ends> {
    ENDS.with_borrow(Clone::clone)
}

/// Analyse a statement.
///
/// # Errors
///
/// Those of `work`; 54001 where it needed more than a statement may, and that of [`ending`]: then nothing that it found
/// counts.
pub fn within<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    LEFT.set(MAX_STEPS);
    ENDED.set(None);
    let done = work();
    if LEFT.get() > 0 {
        return done;
    }
    if let Some(error) = ENDED.take() {
        return Err(error);
    }
    let error = Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "the statement is too complex");
    Err(error.hint("use fewer nested expressions and subqueries"))
}

/// Whether one more expression may be looked at.
pub fn step() -> bool {
    spend(1)
}

/// The same for this many columns.
pub fn spend(steps: usize) -> bool {
    let left = LEFT.get();
    let rest = left.saturating_sub(u32::try_from(steps).unwrap_or(u32::MAX));
    LEFT.set(rest);
    if left / STEPS_BETWEEN != rest / STEPS_BETWEEN
        && let Some(error) = ends().and_then(|ends| ends())
    {
        ENDED.set(Some(error));
        LEFT.set(0);
    }
    LEFT.get() > 0
}

/// A step of a translation, which has other bounds.
///
/// # Errors
///
/// That of [`ending`].
pub fn look() -> Result<()> {
    let looks = LOOKS.get().wrapping_add(1);
    LOOKS.set(looks);
    match looks % STEPS_BETWEEN {
        0 => ends().and_then(|ends| ends()).map_or(Ok(()), Err),
        _ => Ok(()),
    }
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

    #[test]
    fn work_ends_when_its_time_is_over() {
        let ends: Ends = Arc::new(|| Some(Error::new(sqlstate::QUERY_CANCELED, "it is over")));
        let done = ending(Some(ends), || within(|| Ok((0..=STEPS_BETWEEN).all(|_| step()))));
        assert_eq!(done.unwrap_err().code, sqlstate::QUERY_CANCELED);
        assert!(within(|| Ok((0..=STEPS_BETWEEN).all(|_| step()))).unwrap());
    }
}
