//! The elements of arrays: as JSON, as PostgreSQL's text, and compared.

use std::cmp::Ordering;

use sqlite_wasm_kit::{Error, Result, Value};

use crate::json::{Json, Mode, element_of, parse, string};
use crate::numbers::{Numeric, float_text, single_text};

/// Elements of an array at most, as where clients send them.
pub const MAX_ELEMENTS: usize = 1 << 18;

fn malformed(text: &str) -> Error {
    let shown: String = text.chars().take(100).collect();
    format!("22P02: malformed array literal: \"{shown}\"").into()
}

fn dimensions() -> Error {
    "0A000: arrays of more than one dimension are not supported".into()
}

/// The elements of an array: JSON, or PostgreSQL's own text.
pub fn elements(text: &str) -> Result<Vec<Value>> {
    if !text.trim_start().starts_with('[') {
        let all = literal(text)?;
        return Ok(all.into_iter().map(|one| one.map_or(Value::Null, Value::text)).collect());
    }
    let Json::Array(nodes) = parse(text, Mode::Json)?.value else { return Err(malformed(text)) };
    if nodes.len() > MAX_ELEMENTS {
        return Err(too_many());
    }
    if nodes.iter().any(|node| matches!(node.value, Json::Array(_))) {
        return Err(dimensions());
    }
    Ok(nodes.iter().map(element_of).collect())
}

pub fn too_many() -> Error {
    format!("54000: an array has more than {MAX_ELEMENTS} elements").into()
}

/// The elements of `{a,"b c",NULL}`.
pub fn literal(text: &str) -> Result<Vec<Option<String>>> {
    let trimmed = text.trim();
    if trimmed.starts_with('[') && trimmed.contains("]=") {
        return Err("0A000: arrays with bounds are not supported".into());
    }
    let inner = trimmed.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let mut rest = inner.ok_or_else(|| malformed(text))?.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        if found.len() == MAX_ELEMENTS {
            return Err(too_many());
        }
        if rest.starts_with('{') {
            return Err(dimensions());
        }
        let (element, tail) = match rest.strip_prefix('"') {
            Some(rest) => quoted(rest).map(|(element, tail)| (Some(element), tail)),
            None => plain(rest),
        }
        .ok_or_else(|| malformed(text))?;
        found.push(element);
        rest = match tail.trim_start() {
            "" => "",
            tail => match tail.strip_prefix(',').map(str::trim_start) {
                None | Some("") => return Err(malformed(text)),
                Some(tail) => tail,
            },
        };
    }
    Ok(found)
}

fn quoted(text: &str) -> Option<(String, &str)> {
    let (mut element, mut characters) = (String::new(), text.char_indices());
    loop {
        match characters.next()? {
            (at, '"') => return Some((element, &text[at + 1..])),
            (_, '\\') => element.push(characters.next()?.1),
            (_, other) => element.push(other),
        }
    }
}

fn plain(text: &str) -> Option<(Option<String>, &str)> {
    let (mut element, mut characters) = (String::new(), text.char_indices());
    let mut end = text.len();
    let mut has_escape = false;
    while let Some((at, character)) = characters.next() {
        match character {
            ',' => {
                end = at;
                break;
            }
            '{' | '}' | '"' => return None,
            '\\' => {
                has_escape = true;
                element.push(characters.next()?.1);
            }
            other => element.push(other),
        }
    }
    let element = element.trim_end().to_owned();
    if element.is_empty() {
        return None;
    }
    let is_null = !has_escape && element.eq_ignore_ascii_case("null");
    Some(((!is_null).then_some(element), &text[end..]))
}

/// An element as its type has it.
pub fn typed(value: Value, kind: &str) -> Result<Value> {
    if value.is_null() {
        return Ok(value);
    }
    let call = |name: &str| {
        let function = crate::functions::SCALARS.iter().find(|function| function.fits(name, 1));
        match function {
            Some(function) => function.call(vec![value.clone()]),
            None => Ok(value.clone()),
        }
    };
    match kind {
        "bool" => call("pg_boolean"),
        "int2" => call("pg_int2_of"),
        "int4" => call("pg_int4_of"),
        "int8" => call("pg_int8_of"),
        "numeric" => call("pg_numeric_of"),
        "float8" => call("pg_float8_of"),
        "float4" => call("pg_float4_of"),
        "date" => call("pg_date_of"),
        "time" => call("pg_time_of"),
        "timestamp" => call("pg_timestamp_of"),
        "timestamptz" => call("pg_timestamptz_of"),
        "interval" => call("pg_interval_of"),
        "json" => call("pg_json_of"),
        "jsonb" => call("pg_jsonb_of"),
        "uuid" => call("pg_uuid_of"),
        "bytea" => Err("0A000: arrays of bytea are not supported".into()),
        _ => match value {
            Value::Blob(_) => Err("0A000: arrays of bytea are not supported".into()),
            Value::Text(_) => Ok(value),
            other => Ok(Value::Text(other.into_bytes())),
        },
    }
}

/// The array as JSON.
pub fn json(elements: &[Value]) -> String {
    let mut out = String::from("[");
    for (index, element) in elements.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        match element {
            Value::Null => out.push_str("null"),
            Value::Integer(number) => out.push_str(&number.to_string()),
            Value::Real(number) if number.is_finite() => out.push_str(&format!("{number:?}")),
            Value::Real(number) => out.push_str(&string(&float_text(*number))),
            other => out.push_str(&string(&String::from_utf8_lossy(&other.clone().into_bytes()))),
        }
    }
    out + "]"
}

/// The text of an element.
pub fn shown(value: &Value, kind: &str) -> Option<String> {
    Some(match (value, kind) {
        (Value::Null, _) => return None,
        (Value::Integer(number), "bool") => if *number == 0 { "f" } else { "t" }.to_owned(),
        (Value::Real(number), "float4") => single_text(*number),
        (Value::Real(number), _) => float_text(*number),
        (Value::Integer(number), _) => number.to_string(),
        (other, kind) => {
            let text = String::from_utf8_lossy(&other.clone().into_bytes()).into_owned();
            if kind == "timestamptz" { text + "+00" } else { text }
        }
    })
}

/// PostgreSQL's text of an array.
pub fn text(elements: &[Value], kind: &str) -> String {
    let element = |value: &Value| match shown(value, kind) {
        None => "NULL".to_owned(),
        Some(text) if is_plain(&text) => text,
        Some(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    };
    format!("{{{}}}", elements.iter().map(element).collect::<Vec<_>>().join(","))
}

fn is_plain(text: &str) -> bool {
    let is_special = |c: char| {
        matches!(c, '{' | '}' | ',' | '"' | '\\') || c.is_ascii_whitespace() || c == '\u{b}'
    };
    !text.is_empty() && !text.contains(is_special) && !text.eq_ignore_ascii_case("null")
}

/// The order of two elements; NULL is the last, and equal to itself.
pub fn compare(one: &Value, other: &Value, kind: &str) -> Ordering {
    match (one.is_null(), other.is_null()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        _ => {}
    }
    let bytes = || one.clone().into_bytes().cmp(&other.clone().into_bytes());
    match kind {
        "bool" | "int2" | "int4" | "int8" | "numeric" | "float4" | "float8" => {
            match (Numeric::of(one), Numeric::of(other)) {
                (Ok(Some(one)), Ok(Some(other))) => one.cmp(&other),
                _ => bytes(),
            }
        }
        "jsonb" => {
            crate::json::compare_texts(&one.clone().into_bytes(), &other.clone().into_bytes())
        }
        "interval" => crate::times::compare_intervals(
            &String::from_utf8_lossy(&one.clone().into_bytes()),
            &String::from_utf8_lossy(&other.clone().into_bytes()),
        ),
        _ => bytes(),
    }
}

/// Whether two elements that are no NULL are equal.
pub fn is_equal(one: &Value, other: &Value, kind: &str) -> bool {
    !one.is_null() && !other.is_null() && compare(one, other, kind).is_eq()
}
