//! The rows of DECLARE CURSOR, and where FETCH is among them.

use sqlite_sandbox::types::Value;
use sqlite_wasm_postgres::translate::Direction;
use sqlite_wasm_postgres::types::infer::Output;

use super::store::bytes_of;

/// The rows of DECLARE CURSOR.
#[derive(Debug)]
pub struct Cursor {
    /// The query, as SQLite has it.
    pub sql: String,
    pub columns: Vec<Output>,
    pub rows: Vec<Vec<Value>>,
    /// How many rows are before or at the cursor: 0 before the first one.
    position: usize,
    /// What the rows take, in bytes.
    bytes: usize,
    pub life: Life,
}

/// How long a cursor lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// Whether it stays after a COMMIT of its transaction.
    pub is_held: bool,
    /// Whether it only goes forward.
    pub is_forward: bool,
    /// Whether its transaction has been committed.
    pub is_kept: bool,
    /// How many savepoints the transaction had when it was declared.
    pub savepoints: usize,
}

impl Cursor {
    pub fn new(sql: String, columns: Vec<Output>, rows: Vec<Vec<Value>>, life: Life) -> Self {
        let bytes = rows.iter().map(|row| bytes_of(row)).sum();
        Self { sql, columns, rows, position: 0, bytes, life }
    }

    /// What the rows take, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a cursor that only goes forward would have to go back, or to a row again.
    pub fn goes_back(&self, direction: Direction) -> bool {
        let is_back = match direction {
            Direction::Forward(_) => false,
            Direction::Backward(_) => true,
            Direction::Absolute(place) => {
                place < 0 || (place as usize) <= self.position && self.position > 0
            }
            Direction::Relative(distance) => distance <= 0,
        };
        self.life.is_forward && is_back
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

/// The place of row `place`; from the end where that is negative.
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
        let life = Life { is_held: false, is_forward: false, is_kept: false, savepoints: 0 };
        let mut cursor = Cursor::new(String::new(), Vec::new(), rows, life);
        assert_eq!(cursor.go(Direction::Forward(2)), [0, 1]);
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
