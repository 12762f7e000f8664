//! The names and types of columns.

use runtime::database::wire::{Operations, Value};

use super::Statement;
use crate::error::{Error, Result};
use crate::rows::MAX_COLUMNS;

impl Statement<'_> {
    /// The name of a column, counted from 0.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidColumnIndex`].
    pub fn column_name(&self, index: usize) -> Result<&str> {
        self.names().get(index).map(String::as_str).ok_or(Error::InvalidColumnIndex(index))
    }

    /// The index, from 0, of the first column with this name, whatever its case.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidColumnName`].
    pub fn column_index(&self, name: &str) -> Result<usize> {
        let found = self.names().iter().position(|other| other.eq_ignore_ascii_case(name));
        found.ok_or_else(|| Error::InvalidColumnName(name.to_owned()))
    }

    /// The declared types of its columns; `None` for an expression.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn column_decltypes(&self) -> Result<Vec<Option<String>>> {
        let Some(handle) = self.raw()?.handle else { return Ok(Vec::new()) };
        self.db.client.request(&Operations::default().describe(handle), |reply| {
            reply.bool()?; // whether it explains
            let count = reply.u32()?.min(MAX_COLUMNS);
            let declared = (0..count).map(|_| match reply.value()? {
                Value::Text(text) => Ok(Some(String::from_utf8_lossy(text).into_owned())),
                _ => Ok(None),
            });
            declared.collect()
        })
    }
}
