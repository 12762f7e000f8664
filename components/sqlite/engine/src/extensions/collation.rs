//! Collations.

use std::cmp::Ordering;

use crate::host::dispatch;
use crate::sqlite::function;

/// A collation that an extension registered.
pub struct Collation {
    pub extension: u32,
    pub index: u32,
}

impl function::Collation for Collation {
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        dispatch::collation_compare(self.extension, self.index, left, right).cmp(&0)
    }
}
