//! What `jsonb` contains, and its order.

use std::cmp::Ordering;

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar};

use super::read::steps;
use super::tree::{Json, Node, jsonb};
use crate::numbers::Numeric;

macro_rules! function {
    ($name:literal, $function:expr) => {
        Scalar::new($name, 2, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_bool_jsonb_contains", |one: String, other: String| {
        Ok::<_, sqlite_wasm_kit::Error>(contains(&jsonb(&one)?, &jsonb(&other)?, true))
    }),
    function!("pg_bool_jsonb_exists", |text: String, key: String| {
        jsonb(&text).map(|node| exists(&node, &key))
    }),
    function!("pg_bool_jsonb_exists_any", |text: String, keys: String| {
        exist(&text, &keys).map(|mut all| all.any(|is_there| is_there))
    }),
    function!("pg_bool_jsonb_exists_all", |text: String, keys: String| {
        exist(&text, &keys).map(|mut all| all.all(|is_there| is_there))
    }),
];

fn exists(node: &Node<'_>, key: &str) -> bool {
    let is_key = |node: &Node<'_>| matches!(&node.value, Json::Text(text) if text == key);
    match &node.value {
        Json::Object(members) => members.iter().any(|(name, _)| name == key),
        Json::Array(elements) => elements.iter().any(is_key),
        _ => is_key(node),
    }
}

/// Which of the keys exist; NULL is not a key.
fn exist(text: &str, keys: &str) -> Result<impl Iterator<Item = bool>> {
    let (node, keys) = (jsonb(text)?, steps(keys)?);
    let found: Vec<_> = keys.into_iter().flatten().map(|key| exists(&node, &key)).collect();
    Ok(found.into_iter())
}

/// An array contains a scalar that is one of its elements, but only at the outermost level.
fn contains(one: &Node<'_>, other: &Node<'_>, is_outer: bool) -> bool {
    match (&one.value, &other.value) {
        (Json::Object(has), Json::Object(wants)) => wants.iter().all(|(key, want)| {
            has.iter()
                .find(|(name, _)| name == key)
                .is_some_and(|(_, own)| contains(own, want, false))
        }),
        (Json::Array(has), Json::Array(wants)) => {
            wants.iter().all(|want| has.iter().any(|own| contains(own, want, false)))
        }
        (Json::Array(has), Json::Object(_)) if is_outer && has.is_empty() => false,
        (Json::Array(has), Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_))
            if is_outer =>
        {
            has.iter().any(|own| contains(own, other, false))
        }
        (Json::Array(_) | Json::Object(_), _) | (_, Json::Array(_) | Json::Object(_)) => false,
        _ => compare(one, other) == Ordering::Equal,
    }
}

fn rank(node: &Node<'_>) -> u8 {
    match node.value {
        Json::Null => 0,
        Json::Text(_) => 1,
        Json::Number(_) => 2,
        Json::Bool(_) => 3,
        Json::Array(_) => 4,
        Json::Object(_) => 5,
    }
}

fn numbers(one: &str, other: &str) -> Ordering {
    match (Numeric::parse(one), Numeric::parse(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.cmp(other),
    }
}

/// The order of values, of which an empty array is below everything where it is not inside another value.
pub fn compare(one: &Node<'_>, other: &Node<'_>) -> Ordering {
    match (&one.value, &other.value) {
        (Json::Array(_), Json::Array(_)) => compare_inner(one, other),
        (Json::Array(one), _) if one.is_empty() => Ordering::Less,
        (_, Json::Array(other)) if other.is_empty() => Ordering::Greater,
        _ => compare_inner(one, other),
    }
}

fn compare_inner(one: &Node<'_>, other: &Node<'_>) -> Ordering {
    match (&one.value, &other.value) {
        (Json::Text(one), Json::Text(other)) => one.cmp(other),
        (Json::Number(one), Json::Number(other)) => numbers(one, other),
        (Json::Bool(one), Json::Bool(other)) => one.cmp(other),
        (Json::Array(one), Json::Array(other)) => one.len().cmp(&other.len()).then_with(|| {
            let mut pairs = one.iter().zip(other).map(|(one, other)| compare_inner(one, other));
            pairs.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }),
        // The shorter keys are met first, but two keys compare as texts.
        (Json::Object(one), Json::Object(other)) => one.len().cmp(&other.len()).then_with(|| {
            let pair =
                |((key, value), (key2, value2)): (&(String, Node<'_>), &(String, Node<'_>))| {
                    key.cmp(key2).then_with(|| compare_inner(value, value2))
                };
            one.iter().zip(other).map(pair).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }),
        _ => rank(one).cmp(&rank(other)),
    }
}

/// The order of texts of `jsonb`; other texts are ordered by their bytes.
pub fn compare_texts(one: &[u8], other: &[u8]) -> Ordering {
    if one == other {
        return Ordering::Equal;
    }
    let texts = (str::from_utf8(one), str::from_utf8(other));
    let (Ok(first), Ok(second)) = texts else { return one.cmp(other) };
    match (jsonb(first), jsonb(second)) {
        (Ok(first), Ok(second)) => compare(&first, &second),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => one.cmp(other),
    }
}
