//! Rows that a function converts, and a query whose row may be missing.

use super::{Row, Rows};
use crate::error::{Error, Result};

/// Converted rows; see [`Statement::query_map`](crate::Statement::query_map).
#[derive(Debug)]
pub struct MappedRows<'stmt, F> {
    pub(super) rows: Rows<'stmt>,
    pub(super) map: F,
}

impl<T, F: FnMut(&Row<'_>) -> Result<T>> Iterator for MappedRows<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        self.rows.next().transpose().map(|row| row.and_then(&mut self.map))
    }
}

/// Converted rows; see [`Statement::query_and_then`](crate::Statement::query_and_then).
#[derive(Debug)]
pub struct AndThenRows<'stmt, F> {
    pub(super) rows: Rows<'stmt>,
    pub(super) map: F,
}

impl<T, E: From<Error>, F: FnMut(&Row<'_>) -> Result<T, E>> Iterator for AndThenRows<'_, F> {
    type Item = Result<T, E>;

    fn next(&mut self) -> Option<Result<T, E>> {
        self.rows.next().transpose().map(|row| row.map_err(E::from).and_then(&mut self.map))
    }
}

/// A query that may return no row.
pub trait OptionalExtension<T> {
    /// `None` for [`Error::QueryReturnedNoRows`].
    ///
    /// # Errors
    ///
    /// All other errors.
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(Error::QueryReturnedNoRows) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
