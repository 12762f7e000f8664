//! A value that crosses in registers; see `types.inline-value`.

use wasmtime::{Result, bail};
use wire::Head;

use super::value::{Output, Value};
use crate::contract::types::generated;

/// A value of at most 64 bytes; see `types.inline-value`.
#[derive(Debug, Clone, Copy)]
pub struct InlineValue(pub(super) wire::InlineValue);

impl From<wire::InlineValue> for InlineValue {
    fn from(value: wire::InlineValue) -> Self {
        Self(value)
    }
}

impl InlineValue {
    /// The same in its longer form.
    pub fn output(&self) -> Output {
        let value = self.0.value().map_or(Value::Null, Value::from);
        Output { value, subtype: self.0.head().subtype }
    }

    pub(super) fn generated(self) -> generated::InlineValue {
        let wire::InlineValue { head, words: [a, b, c, d, e, f, g, h] } = self.0;
        generated::InlineValue { head, words: (a, b, c, d, e, f, g, h) }
    }
}

/// Refuse a head that no value has.
#[inline]
pub(super) fn check(head: Head) -> Result<()> {
    match head.is_valid() {
        true => Ok(()),
        false => {
            bail!("an inline value of class {} with {} bytes is not valid", head.tag, head.length)
        }
    }
}

impl From<generated::InlineValue> for InlineValue {
    fn from(generated::InlineValue { head, words }: generated::InlineValue) -> Self {
        let (a, b, c, d, e, f, g, h) = words;
        Self(wire::InlineValue { head, words: [a, b, c, d, e, f, g, h] })
    }
}
