//! The rows of DECLARE CURSOR, and where FETCH is among them.

use std::time::Instant;

use sqlite_sandbox::types::Value;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Declared, Direction};
use sqlite_wasm_postgres::types::infer::Output;
use sqlite_wasm_postgres::{Error, Result};

use super::store::bytes_of;

/// The rows of DECLARE CURSOR.
#[derive(Debug)]
pub struct Cursor {
    /// What the client sent.
    pub text: String,
    pub declared: Declared,
    /// When it was declared.
    pub begun: Instant,
    /// The query, as SQLite has it.
    pub sql: String,
    pub columns: Vec<Output>,
    pub rows: Vec<Vec<Value>>,
    /// How many rows are before or at the cursor: 0 before the first one.
    position: usize,
    /// What the rows take, in bytes.
    bytes: usize,
    pub scope: CursorScope,
}

/// How long a cursor lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorScope {
    /// Whether its transaction has been committed.
    pub is_kept: bool,
    /// How many savepoints the transaction had when it was declared.
    pub savepoints: usize,
}

impl Cursor {
    /// A cursor before its first row; `text` is the whole statement, and `sql` its query.
    pub fn new(
        (text, declared, begun): (String, Declared, Instant),
        sql: String,
        columns: Vec<Output>,
        rows: Vec<Vec<Value>>,
        scope: CursorScope,
    ) -> Self {
        let bytes = rows.iter().map(|row| bytes_of(row)).sum();
        Self { text, declared, begun, sql, columns, rows, position: 0, bytes, scope }
    }

    /// What the rows take, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Check that it can go there.
    ///
    /// # Errors
    ///
    /// 55000.
    pub fn check(&self, direction: Direction, is_move: bool) -> Result<()> {
        if self.declared.is_scrollable || !self.returns(direction, is_move) {
            Ok(())
        } else {
            Err(only_forward())
        }
    }

    /// Whether it must go backward for that.
    fn returns(&self, direction: Direction, is_move: bool) -> bool {
        match direction {
            Direction::Forward(_) => false,
            Direction::Backward(_) => true,
            Direction::Absolute(0) => self.position > 0,
            Direction::Absolute(place) => {
                place < 0 || absolute(place, self.rows.len()) <= self.position
            }
            // The row is read again.
            Direction::Relative(0) => !is_move && (1..=self.rows.len()).contains(&self.position),
            Direction::Relative(distance) => distance < 0,
        }
    }

    /// Move the cursor: the rows that it passes, by index, in their order.
    pub fn go(&mut self, direction: Direction) -> Vec<usize> {
        let last = self.rows.len();
        let bounded = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        match direction {
            Direction::Forward(count) => {
                let end = self.position.saturating_add(bounded(count)).min(last);
                let passed = (self.position.min(last)..end).collect();
                self.position =
                    if bounded(count) > end - self.position.min(last) { last + 1 } else { end };
                passed
            }
            Direction::Backward(count) => {
                let before = self.position.saturating_sub(1);
                let start = before.saturating_sub(bounded(count));
                let passed = (start..before).rev().collect();
                self.position = if bounded(count) > before - start { 0 } else { start + 1 };
                passed
            }
            Direction::Absolute(place) => self.at(absolute(place, last)),
            Direction::Relative(distance) => {
                let place = (self.position as i64).saturating_add(distance);
                self.at(usize::try_from(place).unwrap_or(0).min(last + 1))
            }
        }
    }

    fn at(&mut self, place: usize) -> Vec<usize> {
        self.position = place;
        match place {
            0 => Vec::new(),
            place if place > self.rows.len() => Vec::new(),
            place => vec![place - 1],
        }
    }
}

/// What no cursor does that only goes forward.
pub fn only_forward() -> Error {
    let error = Error::new(sqlstate::OBJECT_NOT_READY, "cursor can only scan forward");
    error.hint("Declare it with SCROLL option to enable backward scan.")
}

/// The absolute position of a row, which is counted from the end if it is negative.
fn absolute(place: i64, last: usize) -> usize {
    let distance = usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX);
    if place < 0 { (last + 1).saturating_sub(distance) } else { distance.min(last + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_go_forward_and_back() {
        let rows = (0..5).map(|row| vec![Value::Integer(row)]).collect();
        let scope = CursorScope { is_kept: false, savepoints: 0 };
        let declared = Declared { is_held: false, is_binary: false, is_scrollable: true };
        let of = (String::new(), declared, Instant::now());
        let mut cursor = Cursor::new(of, String::new(), Vec::new(), rows, scope);
        assert!(!cursor.returns(Direction::Relative(0), false));
        assert!(!cursor.returns(Direction::Absolute(1), false));
        assert_eq!(cursor.go(Direction::Forward(2)), [0, 1]);
        for (direction, returns) in [
            (Direction::Forward(9), false),
            (Direction::Backward(1), true),
            (Direction::Absolute(2), true),
            (Direction::Absolute(3), false),
            (Direction::Absolute(0), true),
            (Direction::Absolute(-1), true),
            (Direction::Relative(0), true),
            (Direction::Relative(1), false),
            (Direction::Relative(-1), true),
        ] {
            assert_eq!(cursor.returns(direction, false), returns, "{direction:?}");
        }
        assert!(!cursor.returns(Direction::Relative(0), true));
        assert_eq!(cursor.go(Direction::Backward(1)), [0]);
        assert_eq!(cursor.go(Direction::Forward(u64::MAX)), [1, 2, 3, 4]);
        assert_eq!(cursor.go(Direction::Forward(1)), [0; 0]);
        assert_eq!(cursor.go(Direction::Backward(2)), [4, 3]);
        assert_eq!(cursor.go(Direction::Absolute(-1)), [4]);
        assert_eq!(cursor.go(Direction::Relative(-2)), [2]);
        assert_eq!(cursor.go(Direction::Relative(0)), [2]);
        assert_eq!(cursor.go(Direction::Backward(u64::MAX)), [1, 0]);
        assert_eq!(cursor.go(Direction::Absolute(9)), [0; 0]);
        assert_eq!(cursor.go(Direction::Absolute(i64::MIN)), [0; 0]);
    }
}
