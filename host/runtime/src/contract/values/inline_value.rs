//! A value that crosses in registers; see `types.inline-value`.

use wasmtime::{Result, bail};
use wire::{Head, code};

use super::value::{Output, Value};
use crate::contract::types::{SqlError, generated};

/// A value of at most 64 bytes; see `types.inline-value`.
#[derive(Debug, Clone, Copy)]
pub struct InlineValue(pub(super) wire::InlineValue);

impl From<wire::InlineValue> for InlineValue {
    fn from(value: wire::InlineValue) -> Self {
        Self(value)
    }
}

impl InlineValue {
    /// The inline form of a result, if it is short enough.
    pub fn of(output: &Output) -> Option<Self> {
        wire::InlineValue::new(output.value.0.borrowed(), output.subtype).map(Self)
    }

    /// The result as an [`Output`].
    pub fn output(&self) -> Output {
        let value = Value(self.0.value().unwrap_or(wire::Value::Null));
        Output { value, subtype: self.0.head().subtype }
    }

    pub(super) fn generated(self) -> generated::InlineValue {
        let wire::InlineValue { head, words: [a, b, c, d, e, f, g, h] } = self.0;
        generated::InlineValue { head, words: (a, b, c, d, e, f, g, h) }
    }
}

/// Refuse an invalid head.
#[inline]
pub(super) fn check(head: Head) -> Result<()> {
    if head.is_valid() {
        Ok(())
    } else {
        bail!("an inline value of class {} with {} bytes is not valid", head.tag, head.length)
    }
}

impl From<generated::InlineValue> for InlineValue {
    fn from(generated::InlineValue { head, words }: generated::InlineValue) -> Self {
        let (a, b, c, d, e, f, g, h) = words;
        Self(wire::InlineValue { head, words: [a, b, c, d, e, f, g, h] })
    }
}

/// Refuse invalid arguments: the calling component may be malicious.
#[inline]
pub fn check_arguments(arguments: &generated::InlineArguments) -> Result<(), SqlError> {
    let generated::InlineArguments { heads, words: (a, b, c, d, e, f, g, h) } = *arguments;
    let arguments = wire::InlineArguments { heads, words: [a, b, c, d, e, f, g, h] };
    if !arguments.is_valid() {
        let message = format!("inline arguments with the heads {heads:#x} are not valid");
        return Err(SqlError { code: code::MISUSE, message });
    }
    Ok(())
}
