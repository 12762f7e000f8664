//! Values that cross in registers, as the bindings have them; see `types.inline-value`.

use crate::bindings::scalar::exports::sqlite_wasm::extension::unary;
use crate::{Output, Value};

pub use unary::InlineValue;

/// The value of an argument.
pub fn value(inline: &InlineValue) -> Value {
    let (a, b, c, d, e, f, g, h) = inline.words;
    let inline = wire::InlineValue { head: inline.head, words: [a, b, c, d, e, f, g, h] };
    inline.value().map_or(Value::Null, Value::from)
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
    use super::{of, value};
    use crate::{Output, Value};

    #[test]
    fn short_values_stay_as_they_are() {
        for argument in [
            Value::Null,
            Value::Integer(-1),
            Value::Real(0.5),
            Value::text("twelve bytes"),
            Value::Blob((0..64).collect()),
        ] {
            let output = Output { value: argument.clone(), subtype: 74 };
            let inline = of(&output).expect("it is short");
            assert_eq!((inline.head >> 16, value(&inline)), (74, argument));
        }
    }

    #[test]
    fn longer_ones_have_no_short_form() {
        assert!(of(&Output { value: Value::Blob(vec![0; 65]), subtype: 0 }).is_none());
    }
}
