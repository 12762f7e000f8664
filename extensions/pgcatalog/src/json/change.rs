//! Functions that change JSON.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar, Value};

use super::build::quoted;
use super::read::{place, steps};
use super::tree::{Json, Mode, Node, jsonb, parse};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_jsonb_concat", 2, concatenated),
    function!("pg_jsonb_delete", 2, delete),
    function!("pg_jsonb_delete_keys", 2, delete_keys),
    function!("pg_jsonb_delete_path", 2, |text: String, path: String| {
        changed(&text, &path, &mut |_| None, Change::Delete)
    }),
    function!("pg_jsonb_set", 3, |text: String, path: String, new: String| {
        set(&text, &path, &new, true)
    }),
    function!("pg_jsonb_set", 4, |text: String, path: String, new: String, create: bool| {
        set(&text, &path, &new, create)
    }),
    function!("pg_jsonb_insert", 3, |text: String, path: String, new: String| {
        insert(&text, &path, &new, false)
    }),
    function!("pg_jsonb_insert", 4, |text: String, path: String, new: String, after: bool| {
        insert(&text, &path, &new, after)
    }),
    function!("pg_jsonb_strip_nulls", 1, |text: String| {
        jsonb(&text).map(|node| stripped(node).text())
    }),
    function!("pg_json_strip_nulls", 1, |text: String| {
        parse(&text, Mode::Json).map(|node| compact(&stripped(node)))
    }),
    function!("pg_text_jsonb_pretty", 1, |text: String| {
        let node = jsonb(&text)?;
        let mut out = String::new();
        pretty(&node, 0, &mut out);
        Ok::<_, sqlite_wasm_kit::Error>(out)
    }),
];

fn concatenated(one: String, other: String) -> Result<String> {
    let (one, other) = (jsonb(&one)?, jsonb(&other)?);
    let made = match (one.value, other.value) {
        (Json::Object(mut one), Json::Object(other)) => {
            one.extend(other);
            Json::Object(one)
        }
        (one, other) => {
            let elements = |value| match value {
                Json::Array(elements) => elements,
                other => vec![Node::made(other)],
            };
            let mut all = elements(one);
            all.extend(elements(other));
            Json::Array(all)
        }
    };
    Ok(Node::made(made).canonical().text())
}

fn delete(text: String, key: Value) -> Result<Option<String>> {
    if key.is_null() {
        return Ok(None);
    }
    let mut node = jsonb(&text)?;
    match (&mut node.value, &key) {
        (Json::Object(_), Value::Integer(_)) => {
            return Err("22023: cannot delete from object using integer index".into());
        }
        (Json::Array(elements), Value::Integer(at)) => {
            if let Some(at) = place(elements.len(), *at) {
                elements.remove(at);
            }
        }
        (_, Value::Integer(_)) => return Err("22023: cannot delete from scalar".into()),
        (_, key) => {
            remove(&mut node, &[String::from_utf8_lossy(&key.clone().into_bytes()).into_owned()])?;
        }
    }
    Ok(Some(node.text()))
}

fn delete_keys(text: String, keys: String) -> Result<String> {
    let mut node = jsonb(&text)?;
    remove(&mut node, &steps(&keys)?.into_iter().flatten().collect::<Vec<_>>())?;
    Ok(node.text())
}

/// Without the members with these names, and the elements that are these texts.
fn remove(node: &mut Node<'_>, keys: &[String]) -> Result<()> {
    match &mut node.value {
        Json::Object(members) => members.retain(|(name, _)| !keys.contains(name)),
        Json::Array(elements) => elements
            .retain(|element| !matches!(&element.value, Json::Text(text) if keys.contains(text))),
        _ => return Err("22023: cannot delete from scalar".into()),
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Change {
    Delete,
    /// Replace; create what is not there, if so.
    Set(bool),
    /// Insert; behind the element, if so.
    Insert(bool),
}

fn set(text: &str, path: &str, new: &str, create: bool) -> Result<Option<String>> {
    let new = jsonb(new)?;
    changed(text, path, &mut |_| Some(new.clone()), Change::Set(create))
}

fn insert(text: &str, path: &str, new: &str, after: bool) -> Result<Option<String>> {
    let new = jsonb(new)?;
    changed(text, path, &mut |_| Some(new.clone()), Change::Insert(after))
}

fn changed<'a>(
    text: &'a str,
    path: &str,
    new: &mut dyn FnMut(()) -> Option<Node<'a>>,
    change: Change,
) -> Result<Option<String>> {
    let mut node = jsonb(text)?;
    if !matches!(node.value, Json::Array(_) | Json::Object(_)) {
        let what = if change == Change::Delete { "delete path" } else { "set path" };
        return Err(format!("22023: cannot {what} in scalar").into());
    }
    let path = steps(path)?;
    if !path.is_empty() {
        at_step(&mut node, &path, 1, new, change)?;
    }
    Ok(Some(node.canonical().text()))
}

fn at_step<'a>(
    node: &mut Node<'a>,
    path: &[Option<String>],
    position: usize,
    new: &mut dyn FnMut(()) -> Option<Node<'a>>,
    change: Change,
) -> Result<()> {
    let Some((step, rest)) = path.split_first() else { return Ok(()) };
    let Some(step) = step else {
        return Err(format!("22004: path element at position {position} is null").into());
    };
    match &mut node.value {
        Json::Object(members) => {
            let at = members.iter().position(|(name, _)| name == step);
            match (rest.is_empty(), at, change) {
                (false, Some(at), _) => {
                    at_step(&mut members[at].1, rest, position + 1, new, change)?
                }
                (true, Some(at), Change::Delete) => {
                    members.remove(at);
                }
                (true, Some(at), Change::Set(_)) => {
                    members[at].1 = new(()).unwrap_or(Node::made(Json::Null))
                }
                (true, Some(_), Change::Insert(_)) => {
                    return Err("22023: cannot replace existing key".into());
                }
                (true, None, Change::Set(true) | Change::Insert(_)) => {
                    members.extend(new(()).map(|value| (step.clone(), value)));
                }
                _ => {}
            }
        }
        Json::Array(elements) => {
            let Ok(number) = step.trim_start().parse::<i64>() else {
                let message = format!(
                    "22P02: path element at position {position} is not an integer: \"{step}\""
                );
                return Err(message.into());
            };
            let at = place(elements.len(), number);
            match (rest.is_empty(), at, change) {
                (false, Some(at), _) => {
                    at_step(&mut elements[at], rest, position + 1, new, change)?
                }
                (true, Some(at), Change::Delete) => {
                    elements.remove(at);
                }
                (true, Some(at), Change::Set(_)) => {
                    elements[at] = new(()).unwrap_or(Node::made(Json::Null))
                }
                (true, Some(at), Change::Insert(after)) => {
                    elements.splice(at + usize::from(after)..at + usize::from(after), new(()));
                }
                (true, None, Change::Set(true) | Change::Insert(_)) => {
                    let end = if number < 0 { 0 } else { elements.len() };
                    elements.splice(end..end, new(()));
                }
                _ => {}
            }
        }
        _ => {}
    }
    Ok(())
}

/// Without the members that are null.
fn stripped(node: Node<'_>) -> Node<'_> {
    let value = match node.value {
        Json::Object(members) => Json::Object(
            members
                .into_iter()
                .filter(|(_, value)| !matches!(value.value, Json::Null))
                .map(|(key, value)| (key, stripped(value)))
                .collect(),
        ),
        Json::Array(elements) => Json::Array(elements.into_iter().map(stripped).collect()),
        other => other,
    };
    Node { value, ..node }
}

/// Without spaces, and with digits as they were given.
fn compact(node: &Node<'_>) -> String {
    match &node.value {
        Json::Array(elements) => {
            format!("[{}]", elements.iter().map(compact).collect::<Vec<_>>().join(","))
        }
        Json::Object(members) => {
            let member = |(key, value): &(String, Node<'_>)| {
                let mut out = String::new();
                quoted(key, &mut out);
                out + ":" + &compact(value)
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        Json::Number(number) => (*number).to_owned(),
        _ => node.text(),
    }
}

fn pretty(node: &Node<'_>, level: usize, out: &mut String) {
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', level * 4));
    };
    match &node.value {
        Json::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                line(out, level + 1);
                pretty(element, level + 1, out);
            }
            line(out, level);
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                line(out, level + 1);
                quoted(key, out);
                out.push_str(": ");
                pretty(value, level + 1, out);
            }
            line(out, level);
            out.push('}');
        }
        _ => node.write(out),
    }
}
