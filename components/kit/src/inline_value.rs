//! Values that cross in registers, as the bindings have them; see `types.inline-value`.

use crate::bindings::scalar::exports::sqlite_wasm::extension::inline;
use crate::{Output, Value};

pub use inline::{InlineArguments, InlineValue};

/// Room for arguments, and how many there are.
pub fn values(arguments: &InlineArguments) -> ([Value; wire::InlineArguments::MAX_COUNT], usize) {
    let (a, b, c, d, e, f, g, h) = arguments.words;
    let words = [a, b, c, d, e, f, g, h];
    let arguments = wire::InlineArguments { heads: arguments.heads, words };
    let (mut values, mut count) = ([const { Value::Null }; _], 0);
    for (place, value) in values.iter_mut().zip(arguments.values()) {
        *place = value.into();
        count += 1;
    }
    (values, count)
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
    use super::{InlineArguments, of, values};
    use crate::{Output, Value};

    #[test]
    fn arguments_are_values() {
        let arguments = [Value::text("twelve bytes"), Value::Null, Value::Real(0.5)];
        let inline = wire::InlineArguments::new(arguments.iter().map(Value::borrowed));
        let wire::InlineArguments { heads, words } = inline.expect("they are short");
        let [a, b, c, d, e, f, g, h] = words;
        let words = (a, b, c, d, e, f, g, h);
        let (all, count) = values(&InlineArguments { heads, words });
        assert_eq!(all[..count], arguments);
        let (_, count) = values(&InlineArguments { heads: 0x4103, words });
        assert_eq!(count, 0);
    }

    #[test]
    fn results_have_a_subtype_and_a_length() {
        let output = |length| Output { value: Value::Blob(vec![1; length]), subtype: 74 };
        assert_eq!(of(&output(64)).map(|inline| inline.head), Some(74 << 16 | 64 << 8 | 4));
        assert!(of(&output(65)).is_none());
    }
}
