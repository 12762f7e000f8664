//! The arguments of a scan, and the rows that it writes.

use super::batch::Cell;
use crate::{FromValue, IntoOutput, Value};

/// An argument of a scan: the right side of a constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// One value.
    One(Value),
    /// All values of an IN.
    Every(Vec<Value>),
}

/// A scan to begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// The plan's `idxNum`.
    pub number: i32,
    /// The text of the plan.
    pub text: Option<Vec<u8>>,
    /// The right sides of the constraints that the plan uses, in its order.
    pub arguments: Vec<Argument>,
}

impl Scan {
    /// Whether an argument is NULL: comparisons with NULL are never true.
    pub fn has_null(&self) -> bool {
        let null = |argument: &Argument| matches!(argument, Argument::One(Value::Null));
        self.arguments.iter().any(null)
    }

    /// Take an argument with one value; NULL if it is missing or has several values.
    pub fn take(&mut self, place: usize) -> Value {
        match self.arguments.get_mut(place) {
            Some(Argument::One(value)) => std::mem::take(value),
            _ => Value::Null,
        }
    }

    /// Take an argument as a Rust type; `None` for NULL and for values that the type cannot
    /// represent.
    pub fn get<T: FromValue>(&mut self, place: usize) -> Option<T> {
        match self.take(place) {
            Value::Null => None,
            value => T::from_value(value).ok(),
        }
    }
}

/// The used columns: the position of each in a row.
#[derive(Debug, Default)]
pub struct Columns {
    /// By column; `u32::MAX` for unused ones.
    places: Vec<u32>,
    width: usize,
}

impl Columns {
    pub fn new(columns: Vec<u32>) -> Self {
        let count = columns.iter().max().map_or(0, |last| *last as usize + 1);
        let mut places = vec![u32::MAX; count];
        for (place, column) in columns.iter().enumerate() {
            places[*column as usize] = place as u32;
        }
        Self { places, width: columns.len() }
    }

    pub fn width(&self) -> usize {
        self.width
    }
}

/// A row to be written. Columns that are not written are NULL.
pub struct Row<'a> {
    /// As in [`Columns`].
    places: &'a [u32],
    cells: &'a mut [Cell],
    /// The length of the written texts and blobs.
    pub(super) bytes: usize,
}

impl<'a> Row<'a> {
    /// A row in `cells`, one cell for each used column, which are NULL.
    #[inline]
    pub(crate) fn new(columns: &'a Columns, cells: &'a mut [Cell]) -> Self {
        Self { places: &columns.places, cells, bytes: 0 }
    }

    /// Whether a column is used.
    #[inline]
    pub fn wants(&self, column: u32) -> bool {
        let place = self.places.get(column as usize);
        place.is_some_and(|place| *place != u32::MAX)
    }

    /// Write a column if it is used. A value that is an error is NULL.
    #[inline]
    pub fn set(&mut self, column: u32, value: impl IntoOutput) {
        let Some(place) = self.places.get(column as usize) else {
            return;
        };
        if let Some(cell) = self.cells.get_mut(*place as usize) {
            // The column may have been written before.
            if self.bytes > 0 {
                cell.release();
            }
            cell.put(value.into_output().unwrap_or_default().value);
            self.bytes += cell.byte_count();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::Batch;
    use super::{Columns, Row};
    use crate::Value;

    #[test]
    fn only_the_columns_in_use_are_kept_in_their_order() {
        let columns = Columns::new(vec![2, 0]);
        let mut batch = Batch::default();
        batch.begin(1, columns.width());
        let mut row = Row::new(&columns, batch.next());
        assert!(row.wants(0) && !row.wants(1) && row.wants(2) && !row.wants(3));
        for column in 0..4 {
            row.set(column, i64::from(column));
        }
        let values: Vec<Value> = batch.next().iter_mut().map(|cell| cell.take()).collect();
        assert_eq!(values, [Value::Integer(2), Value::Integer(0)]);
    }

    #[test]
    fn a_column_that_is_written_again_is_what_was_written_last() {
        let columns = Columns::new(vec![0, 1]);
        let mut batch = Batch::default();
        batch.begin(1, columns.width());
        let mut row = Row::new(&columns, batch.next());
        for text in ["", "text", "another"] {
            row.set(1, text.to_owned());
            row.set(0, 1);
            row.set(0, text.to_owned());
        }
        row.set(1, 2);
        let values: Vec<Value> = batch.next().iter_mut().map(|cell| cell.take()).collect();
        assert_eq!(values, [Value::text("another"), Value::Integer(2)]);
    }
}
