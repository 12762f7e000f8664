//! Parts of JSON, and its casts.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar, Value};

use super::build::quoted;
use super::tree::{Json, Mode, Node, jsonb, parse};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_json_of", 1, |text: String| parse(&text, Mode::Json).map(|_| text.clone())),
    function!("pg_jsonb_of", 1, |text: String| jsonb(&text).map(|node| node.text())),
    function!("pg_json_get", 2, |text: String, key: Value| {
        get(&text, &key, Mode::Json, |node| Some(node.raw.to_owned()))
    }),
    function!("pg_jsonb_get", 2, |text: String, key: Value| {
        get(&text, &key, Mode::Jsonb, |node| Some(node.text()))
    }),
    function!("pg_text_json_get", 2, |text: String, key: Value| {
        get(&text, &key, Mode::Json, |node| shown(node, Mode::Json))
    }),
    function!("pg_text_jsonb_get", 2, |text: String, key: Value| {
        get(&text, &key, Mode::Jsonb, |node| shown(node, Mode::Jsonb))
    }),
    function!("pg_json_path", 2, |text: String, path: String| {
        at_path(&text, &path, Mode::Json, |node| Some(node.raw.to_owned()))
    }),
    function!("pg_jsonb_path", 2, |text: String, path: String| {
        at_path(&text, &path, Mode::Jsonb, |node| Some(node.text()))
    }),
    function!("pg_text_json_path", 2, |text: String, path: String| {
        at_path(&text, &path, Mode::Json, |node| shown(node, Mode::Json))
    }),
    function!("pg_text_jsonb_path", 2, |text: String, path: String| {
        at_path(&text, &path, Mode::Jsonb, |node| shown(node, Mode::Jsonb))
    }),
    function!("pg_text_json_typeof", 1, |text: String| {
        parse(&text, Mode::Json).map(|node| node.kind().to_owned())
    }),
    function!("pg_int4_json_length", 1, length),
    function!("pg_json_elements", 1, |text: String| elements(&text, Mode::Json, false)),
    function!("pg_jsonb_elements", 1, |text: String| elements(&text, Mode::Jsonb, false)),
    function!("pg_json_elements_text", 1, |text: String| elements(&text, Mode::Json, true)),
    function!("pg_jsonb_elements_text", 1, |text: String| elements(&text, Mode::Jsonb, true)),
    function!("pg_json_keys", 1, |text: String| keys(&text, Mode::Json)),
    function!("pg_jsonb_keys", 1, |text: String| keys(&text, Mode::Jsonb)),
    function!("pg_json_pairs", 1, |text: String| pairs(&text, Mode::Json, false)),
    function!("pg_jsonb_pairs", 1, |text: String| pairs(&text, Mode::Jsonb, false)),
    function!("pg_json_pairs_text", 1, |text: String| pairs(&text, Mode::Json, true)),
    function!("pg_jsonb_pairs_text", 1, |text: String| pairs(&text, Mode::Jsonb, true)),
    function!("pg_numeric_of_jsonb", 2, |text: String, name: String| number(&text, &name)),
    function!("pg_bool_of_jsonb", 1, |text: String| match jsonb(&text)? {
        Node { value: Json::Bool(value), .. } => Ok(value),
        node => Err(no_cast(&node, "boolean")),
    }),
];

fn no_cast(node: &Node<'_>, name: &str) -> sqlite_wasm_kit::Error {
    let kind = if node.kind() == "number" { "numeric" } else { node.kind() };
    format!("22023: cannot cast jsonb {kind} to type {name}").into()
}

fn number(text: &str, name: &str) -> Result<String> {
    let node = jsonb(text)?;
    match node.value {
        Json::Number(number) => Ok(super::tree::digits(number)),
        _ => Err(no_cast(&node, name)),
    }
}

fn read(text: &str, mode: Mode) -> Result<Node<'_>> {
    match mode {
        // `json` keeps the escape, and fails where its text is wanted.
        Mode::Json if has_zero(text) => {
            parse(text, mode)?;
            Err("22P05: unsupported Unicode escape sequence".into())
        }
        Mode::Json => parse(text, mode),
        Mode::Jsonb => jsonb(text),
    }
}

/// Whether a text has the escape of the character that PostgreSQL's texts cannot have.
fn has_zero(text: &str) -> bool {
    text.match_indices("\\u0000").any(|(at, _)| {
        let before = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        before.is_multiple_of(2)
    })
}

/// The text of a value; `None` for null.
fn shown(node: &Node<'_>, mode: Mode) -> Option<String> {
    match (&node.value, mode) {
        (Json::Null, _) => None,
        (Json::Text(text), _) => Some(text.clone()),
        (_, Mode::Json) => Some(node.raw.to_owned()),
        (_, Mode::Jsonb) => Some(node.text()),
    }
}

/// The element at an index; an index below 0 counts from the end.
pub fn place(count: usize, at: i64) -> Option<usize> {
    let place = if at < 0 { at + count as i64 } else { at };
    usize::try_from(place).ok().filter(|place| *place < count)
}

fn member<'a, 'b>(node: &'b Node<'a>, key: &str) -> Option<&'b Node<'a>> {
    match &node.value {
        Json::Object(members) => {
            members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
        }
        _ => None,
    }
}

fn get(
    text: &str,
    key: &Value,
    mode: Mode,
    show: impl FnOnce(&Node<'_>) -> Option<String>,
) -> Result<Option<String>> {
    let node = read(text, mode)?;
    let found = match (key, &node.value) {
        (Value::Null, _) => None,
        (Value::Integer(at), Json::Array(elements)) => {
            place(elements.len(), *at).and_then(|at| elements.get(at))
        }
        (Value::Integer(_), Json::Object(_)) => None,
        // PostgreSQL keeps a scalar of `jsonb` as the only element of an array.
        (Value::Integer(at), _) => place(1, *at).filter(|_| mode == Mode::Jsonb).map(|_| &node),
        (key, _) => member(&node, &String::from_utf8_lossy(&key.clone().into_bytes())),
    };
    Ok(found.and_then(show))
}

/// The steps of a path, which is an array of texts.
pub fn steps(path: &str) -> Result<Vec<Option<String>>> {
    let Json::Array(steps) = parse(path, Mode::Json)?.value else {
        return Err("22P02: malformed array".into());
    };
    let step = |step: Node<'_>| match step.value {
        Json::Null => None,
        Json::Text(text) => Some(text),
        _ => Some(step.raw.to_owned()),
    };
    Ok(steps.into_iter().map(step).collect())
}

fn at_path(
    text: &str,
    path: &str,
    mode: Mode,
    show: impl FnOnce(&Node<'_>) -> Option<String>,
) -> Result<Option<String>> {
    let node = read(text, mode)?;
    let mut at = Some(&node);
    for step in steps(path)? {
        let (Some(here), Some(step)) = (at, step) else { return Ok(None) };
        at = match &here.value {
            Json::Array(elements) => step
                .trim_start()
                .parse::<i64>()
                .ok()
                .and_then(|step| place(elements.len(), step))
                .and_then(|step| elements.get(step)),
            _ => member(here, &step),
        };
    }
    Ok(at.and_then(show))
}

fn length(text: String) -> Result<i64> {
    match parse(&text, Mode::Json)?.value {
        Json::Array(elements) => Ok(elements.len() as i64),
        Json::Object(_) => Err("22023: cannot get array length of a non-array".into()),
        _ => Err("22023: cannot get array length of a scalar".into()),
    }
}

/// A list of texts, which SQLite's `json_each` steps through.
fn list(texts: impl Iterator<Item = Option<String>>) -> String {
    let mut out = String::from("[");
    for (index, text) in texts.enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        match text {
            Some(text) => quoted(&text, &mut out),
            None => out.push_str("null"),
        }
    }
    out + "]"
}

fn part(node: &Node<'_>, mode: Mode, as_text: bool) -> Option<String> {
    match (as_text, mode) {
        (true, _) => shown(node, mode),
        (false, Mode::Json) => Some(node.raw.to_owned()),
        (false, Mode::Jsonb) => Some(node.text()),
    }
}

fn elements(text: &str, mode: Mode, as_text: bool) -> Result<String> {
    match read(text, mode)?.value {
        Json::Array(elements) => {
            Ok(list(elements.iter().map(|element| part(element, mode, as_text))))
        }
        Json::Object(_) => Err("22023: cannot extract elements from an object".into()),
        _ => Err("22023: cannot extract elements from a scalar".into()),
    }
}

fn keys(text: &str, mode: Mode) -> Result<String> {
    match read(text, mode)?.value {
        Json::Object(members) => Ok(list(members.into_iter().map(|(key, _)| Some(key)))),
        Json::Array(_) => Err("22023: cannot call json_object_keys on an array".into()),
        _ => Err("22023: cannot call json_object_keys on a scalar".into()),
    }
}

/// A list of lists, of a key and a value each.
fn pairs(text: &str, mode: Mode, as_text: bool) -> Result<String> {
    let Json::Object(members) = read(text, mode)?.value else {
        return Err("22023: cannot deconstruct a value that is no object".into());
    };
    let pair = |(key, value): (String, Node<'_>)| {
        list([Some(key), part(&value, mode, as_text)].into_iter())
    };
    Ok(format!("[{}]", members.into_iter().map(pair).collect::<Vec<_>>().join(",")))
}
