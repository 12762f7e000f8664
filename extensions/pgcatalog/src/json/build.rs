//! JSON of values. SQLite's values have no types of PostgreSQL's, so that the translation says them.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{ANY_NUMBER, Arguments, Error, IntoOutput, Output, Result, Scalar, Value};

use super::tree::{Json, Mode, Node, jsonb, parse};

pub const SCALARS: &[Scalar] = &[
    Scalar::new("pg_json_value", 2, Stable, Innocuous, |a| {
        a.apply(|one: Value, name: String| known(one, name))
    }),
    Scalar::new("pg_jsonb_value", 2, Stable, Innocuous, |a| {
        a.apply(|one: Value, name: String| known(one, name)?.map(canonical).transpose())
    }),
    Scalar::new("pg_text_json_key", 2, Stable, Innocuous, |a| {
        a.apply(|one: Value, name: String| key(one, name))
    }),
    Scalar::new("pg_json_object", ANY_NUMBER, Stable, Innocuous, |a| made(a, object)),
    Scalar::new("pg_jsonb_object", ANY_NUMBER, Stable, Innocuous, |a| {
        made(a, |values| canonical(object(values)?))
    }),
    Scalar::new("pg_json_array", ANY_NUMBER, Stable, Innocuous, |a| made(a, array)),
    Scalar::new("pg_jsonb_array", ANY_NUMBER, Stable, Innocuous, |a| {
        made(a, |values| canonical(array(values)?))
    }),
    Scalar::new("pg_json_row", ANY_NUMBER, Stable, Innocuous, |a| made(a, row)),
];

fn made(
    arguments: Arguments<'_>,
    function: impl FnOnce(&[Value]) -> Result<String>,
) -> Result<Output> {
    function(arguments.values())?.into_output()
}

fn canonical(text: String) -> Result<String> {
    jsonb(&text).map(|node| node.text())
}

/// A string of JSON, with PostgreSQL's escapes.
pub fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

pub fn string(text: &str) -> String {
    let mut out = String::new();
    quoted(text, &mut out);
    out
}

/// `to_json` of a value of a type: of NULL it is NULL, which those that take it write as null.
fn known(one: Value, name: String) -> Result<Option<String>> {
    if one.is_null() { Ok(None) } else { value(one, name).map(Some) }
}

/// The same inside an array.
pub fn value(value: Value, name: String) -> Result<String> {
    if value.is_null() {
        return Ok("null".to_owned());
    }
    let text = || String::from_utf8_lossy(&value.clone().into_bytes()).into_owned();
    if let Some(element) = name.strip_prefix('_') {
        let text = text();
        let Json::Array(elements) = parse(&text, Mode::Json)?.value else {
            return Err("22P02: malformed array".into());
        };
        let all = elements.iter().map(|node| self::value(element_of(node), element.to_owned()));
        return Ok(format!("[{}]", all.collect::<Result<Vec<_>>>()?.join(",")));
    }
    Ok(match name.as_str() {
        "int2" | "int4" | "int8" | "numeric" | "float4" | "float8" => number(&value, &name)?,
        "bool" => match text().as_str() {
            "1" | "true" | "t" => "true".to_owned(),
            _ => "false".to_owned(),
        },
        "json" => parse(&text(), Mode::Json)?.raw.to_owned(),
        "jsonb" => canonical(text())?,
        "timestamp" => string(&text().replacen(' ', "T", 1)),
        "timestamptz" => string(&format!("{}+00:00", text().replacen(' ', "T", 1))),
        "bytea" => string(&crate::numbers::bytes_text(&value).unwrap_or_default()),
        _ => string(&text()),
    })
}

/// A moment as the key of an object, without quotes.
fn key(one: Value, name: String) -> Result<Option<String>> {
    Ok(known(one, name)?.map(|text| text.trim_matches('"').to_owned()))
}

fn number(value: &Value, name: &str) -> Result<String> {
    let text = match (value, name) {
        (Value::Integer(number), _) => number.to_string(),
        (Value::Real(number), "float4") => crate::numbers::single_text(*number),
        (Value::Real(number), "float8") => crate::numbers::float_text(*number),
        (other, "float8") => match other.to_real() {
            number if number.is_finite() => crate::numbers::float_text(number),
            _ => String::from_utf8_lossy(&other.clone().into_bytes()).into_owned(),
        },
        (other, _) => match crate::numbers::Numeric::of(other)? {
            Some(number) => number.to_string(),
            None => "null".to_owned(),
        },
    };
    let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit());
    Ok(if is_number { text } else { string(&text) })
}

/// An element of an array as SQLite's value.
pub fn element_of(node: &Node<'_>) -> Value {
    match &node.value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Integer((*value).into()),
        Json::Number(number) => match (number.parse::<i64>(), number.parse::<f64>()) {
            (Ok(number), _) => Value::Integer(number),
            (_, Ok(number)) => Value::Real(number),
            _ => Value::text(*number),
        },
        Json::Text(text) => Value::text(text.clone()),
        _ => Value::text(node.raw),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        other => String::from_utf8_lossy(&other.clone().into_bytes()).into_owned(),
    }
}

/// Keys as texts, and values that are JSON.
fn object(values: &[Value]) -> Result<String> {
    if values.len() % 2 == 1 {
        return Err("22023: argument list must have even number of elements".into());
    }
    let mut members = Vec::new();
    for (index, pair) in values.as_chunks::<2>().0.iter().enumerate() {
        let [key, value] = pair;
        if key.is_null() {
            return Err(null_key(index * 2 + 1));
        }
        members.push(format!("{} : {}", string(&shown(key)), shown(value)));
    }
    Ok(format!("{{{}}}", members.join(", ")))
}

fn null_key(place: usize) -> Error {
    format!("22023: argument {place} cannot be null").into()
}

/// The same as a row has it.
fn row(values: &[Value]) -> Result<String> {
    let member = |[key, value]: &[Value; 2]| format!("{}:{}", string(&shown(key)), shown(value));
    let members: Vec<_> = values.as_chunks::<2>().0.iter().map(member).collect();
    Ok(format!("{{{}}}", members.join(",")))
}

fn array(values: &[Value]) -> Result<String> {
    Ok(format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", ")))
}
