//! Tokens that no text has.

use crate::wire::sqlite_wasm::extension::types::Value;
use crate::{actions, text};

/// Three words, and bytes behind them.
fn token(words: [u32; 3], bytes: &[u8]) -> Vec<u8> {
    [words.map(u32::to_le_bytes).as_flattened(), bytes].concat()
}

/// The tokens that the first word behind the name demands.
pub fn tokens(arguments: &[Value]) -> Value {
    let Some(Value::Text(bytes)) = arguments.first() else { return Value::Null };
    let length = bytes.len() as u32;
    let first = token([0, 1, 1], b"a");
    Value::Blob(match text(arguments.get(3)).as_str() {
        "outside" => token([0, length + 1, 1], b"a"),
        "inverted" => token([1, 0, 1], b"a"),
        "backwards" => [token([1, 1, 1], b"a"), first].concat(),
        "negative" => token([u32::MAX, u32::MAX, 1], b"a"),
        "long" => token([0, 1, 2], b"a"),
        "endless" => token([0, 1, (1 << 31) - 1], b"a"),
        "cut" => first[..11].to_vec(),
        "text" => return Value::Text(first),
        "null" => return Value::Null,
        "many" => first.repeat(1_000_000),
        "wide" => token([0, 1, 10_000_000], &vec![b'a'; 10_000_000]),
        action => actions::perform(action).into_bytes(),
    })
}
