//! Values that cross in registers, as the bindings have them; see `types.inline-value`.

use crate::bindings::scalar::exports::sqlite_wasm::extension::inline;
use crate::{Output, Value};

pub use inline::{InlineArguments, InlineValue};

/// The most arguments that cross in registers.
pub const MAX_COUNT: usize = wire::InlineArguments::MAX_COUNT;

/// Put arguments into `values`: how many there are.
#[inline]
pub fn take(arguments: &InlineArguments, values: &mut [Value; MAX_COUNT]) -> usize {
    let (a, b, c, d, e, f, g, h) = arguments.words;
    let words = [a, b, c, d, e, f, g, h];
    let arguments = wire::InlineArguments { heads: arguments.heads, words };
    let mut count = 0;
    for (place, value) in values.iter_mut().zip(arguments.values()) {
        *place = value.into();
        count += 1;
    }
    count
}

/// A result, if it is short.
pub fn of(output: &Output) -> Option<InlineValue> {
    let wire::InlineValue { head, words } =
        wire::InlineValue::new(output.value.borrowed(), output.subtype)?;
    let [a, b, c, d, e, f, g, h] = words;
    Some(InlineValue { head, words: (a, b, c, d, e, f, g, h) })
}

#[cfg(test)]
mod tests {
    use super::{InlineArguments, MAX_COUNT, of, take};
    use crate::{Output, Value};

    #[test]
    fn arguments_are_values() {
        let arguments = [Value::text("twelve bytes"), Value::Null, Value::Real(0.5)];
        let inline = wire::InlineArguments::new(arguments.iter().map(Value::borrowed));
        let wire::InlineArguments { heads, words } = inline.expect("they are short");
        let [a, b, c, d, e, f, g, h] = words;
        let words = (a, b, c, d, e, f, g, h);
        let mut values = [const { Value::Null }; MAX_COUNT];
        let count = take(&InlineArguments { heads, words }, &mut values);
        assert_eq!(values[..count], arguments);
        assert_eq!(take(&InlineArguments { heads: 0x4103, words }, &mut values), 0);
    }

    #[test]
    fn results_have_a_subtype_and_a_length() {
        let output = |length| Output { value: Value::Blob(vec![1; length]), subtype: 74 };
        assert_eq!(of(&output(64)).map(|inline| inline.head), Some(74 << 16 | 64 << 8 | 4));
        assert!(of(&output(65)).is_none());
    }
}
