//! Values in and out.

use crate::watch;
use sqlite_wasm_kit::{Arguments, Error, IntoOutput, Output, Result, Value};

pub fn echo(value: Value) -> Value {
    value
}

/// What the extension takes the value for.
pub fn class(value: Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Integer(_) => "integer",
        Value::Real(_) => "real",
        Value::Text(_) => "text",
        Value::Blob(_) => "blob",
    }
}

/// All arguments with commas between.
pub fn join(arguments: Arguments<'_>) -> Result<Output> {
    let texts = arguments.values().iter().map(show);
    texts.collect::<Vec<_>>().join(",").into_output()
}

/// A value as text, different for each class.
pub fn show(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(bytes) => format!("'{}'", String::from_utf8_lossy(bytes)),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("x'{digits}'")
        }
    }
}

/// N bytes: 0, 1, 2, … 250, 0, …
pub fn blob(count: i64) -> Vec<u8> {
    (0..count).map(|place| (place % 251) as u8).collect()
}

/// How many bytes, and a hash that depends on each byte and its position (FNV-1a).
pub fn digest(value: Value) -> String {
    let bytes = value.into_bytes();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{}:{hash:016x}", bytes.len())
}

/// The bytes of a text in the function's encoding.
pub fn bytes(value: Value) -> Vec<u8> {
    value.into_bytes()
}

/// The text, in the function's encoding, of these bytes.
pub fn text(value: Value) -> Value {
    Value::Text(value.into_bytes())
}

pub fn subtype(arguments: Arguments<'_>) -> Result<Output> {
    i64::from(arguments.subtype(0)).into_output()
}

pub fn with_subtype(value: Value, subtype: i64) -> Output {
    Output { value, subtype: subtype as u8 }
}

pub fn error(code: i64, message: String) -> Result<()> {
    Err(Error::new(code as i32, message))
}

/// The value; each call is noted.
pub fn counted(value: Value) -> Value {
    watch::note("stable");
    value
}
