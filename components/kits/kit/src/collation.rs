//! Collations.

use std::cmp::Ordering;

use crate::provider::Provider;
use crate::{TextEncoding, bindings};

/// A collation of the extension's table.
#[derive(Clone, Copy, Debug)]
pub struct Collation {
    name: &'static str,
    encoding: TextEncoding,
    compare: fn(&[u8], &[u8]) -> Ordering,
}

impl Collation {
    /// A collation over UTF-8. It must order every two texts, also those that are not UTF-8, and
    /// always in the same way: indexes depend on it.
    pub const fn new(name: &'static str, compare: fn(&[u8], &[u8]) -> Ordering) -> Self {
        Self { name, encoding: TextEncoding::Utf8, compare }
    }

    /// Receive text in another encoding than UTF-8.
    pub const fn encoding(mut self, encoding: TextEncoding) -> Self {
        self.encoding = encoding;
        self
    }

    pub(crate) fn order(&self, left: &[u8], right: &[u8]) -> Ordering {
        (self.compare)(left, right)
    }

    pub(crate) fn declare(&self) -> bindings::types::Collation {
        bindings::types::Collation { name: self.name.into(), encoding: self.encoding.into() }
    }
}

impl<T: Provider> bindings::collation::exports::sqlite_wasm::extension::collation::Guest for T {
    fn compare(collation: u32, left: Vec<u8>, right: Vec<u8>) -> i32 {
        <T as Provider>::compare(collation, &left, &right) as i32
    }
}
