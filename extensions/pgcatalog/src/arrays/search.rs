//! What arrays contain, their texts and their order.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Error, Result, Scalar, Value};

use crate::patterns::matches;

use super::elements::{compare, elements, is_equal, json, shown, text};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_int4_array_position", 3, |array: String, element: Value, kind: String| {
        position(&array, &element, 1, &kind)
    }),
    function!(
        "pg_int4_array_position",
        4,
        |array: String, element: Value, start: i64, kind: String| {
            position(&array, &element, start, &kind)
        }
    ),
    function!("pg__int4_positions", 3, |array: String, element: Value, kind: String| {
        let all = elements(&array)?;
        let places =
            all.iter().enumerate().filter(|(_, own)| compare(own, &element, &kind).is_eq());
        Ok::<_, Error>(json(
            &places.map(|(at, _)| Value::Integer(at as i64 + 1)).collect::<Vec<_>>(),
        ))
    }),
    function!("pg_bool_array_contains", 3, |one: String, other: String, kind: String| {
        let (has, wants) = (elements(&one)?, elements(&other)?);
        Ok::<_, Error>(wants.iter().all(|want| has.iter().any(|own| is_equal(own, want, &kind))))
    }),
    function!("pg_bool_array_overlaps", 3, |one: String, other: String, kind: String| {
        let (has, wants) = (elements(&one)?, elements(&other)?);
        Ok::<_, Error>(wants.iter().any(|want| has.iter().any(|own| is_equal(own, want, &kind))))
    }),
    function!("pg_int4_array_compare", 3, compared),
    function!("pg_bool_array_any", 4, |one: Value, op: String, array: String, kind: String| {
        quantified(&one, &op, &array, &kind, true)
    }),
    function!("pg_bool_array_all", 4, |one: Value, op: String, array: String, kind: String| {
        quantified(&one, &op, &array, &kind, false)
    }),
    function!("pg_text_of_array", 2, |array: String, kind: String| {
        elements(&array).map(|all| text(&all, &kind))
    }),
    function!("pg_text_array_join", 3, |array: String, between: String, kind: String| {
        join(&array, &between, None, &kind)
    }),
    function!("pg_text_array_join", 4, |array: String,
                                        between: String,
                                        none: Option<String>,
                                        kind: String| {
        join(&array, &between, none.as_deref(), &kind)
    }),
    function!("pg_int4_array_length", 2, |array: String, dimension: i64| {
        let count = elements(&array)?.len() as i64;
        Ok::<_, Error>((dimension == 1 && count > 0).then_some(count))
    }),
    function!("pg_int4_array_lower", 2, |array: String, dimension: i64| {
        Ok::<_, Error>((dimension == 1 && !elements(&array)?.is_empty()).then_some(1i64))
    }),
    function!("pg_int4_array_ndims", 1, |array: String| {
        Ok::<_, Error>((!elements(&array)?.is_empty()).then_some(1i64))
    }),
    function!("pg_int4_cardinality", 1, |array: String| {
        elements(&array).map(|all| all.len() as i64)
    }),
    function!("pg_text_array_dims", 1, |array: String| {
        let count = elements(&array)?.len();
        Ok::<_, Error>((count > 0).then(|| format!("[1:{count}]")))
    }),
];

fn position(array: &str, element: &Value, start: i64, kind: &str) -> Result<Option<i64>> {
    let all = elements(array)?;
    let first = usize::try_from(start.max(1)).unwrap_or(usize::MAX) - 1;
    let found = all.iter().enumerate().skip(first);
    let mut found = found.filter(|(_, own)| compare(own, element, kind).is_eq());
    Ok(found.next().map(|(at, _)| at as i64 + 1))
}

fn compared(one: String, other: String, kind: String) -> Result<i64> {
    let (one, other) = (elements(&one)?, elements(&other)?);
    let mut pairs = one.iter().zip(&other).map(|(one, other)| compare(one, other, &kind));
    let order = pairs.find(|order| order.is_ne()).unwrap_or_else(|| one.len().cmp(&other.len()));
    Ok(order as i64)
}

/// `one op ANY (array)`: NULL where only an element that is NULL might make it true.
fn quantified(
    one: &Value,
    op: &str,
    array: &str,
    kind: &str,
    is_any: bool,
) -> Result<Option<bool>> {
    let all = elements(array)?;
    if all.is_empty() {
        return Ok(Some(!is_any));
    }
    if one.is_null() {
        return Ok(None);
    }
    let texts = one.clone().into_bytes();
    let text = String::from_utf8_lossy(&texts);
    let holds = |own: &Value| {
        if op.contains('~') {
            let pattern = own.clone().into_bytes();
            return matches(&text, op, &String::from_utf8_lossy(&pattern));
        }
        let order = compare(one, own, kind);
        Ok(match op {
            "=" => order.is_eq(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            _ => order.is_ne(),
        })
    };
    let mut has_null = false;
    for own in &all {
        if own.is_null() {
            has_null = true;
        } else if holds(own)? == is_any {
            return Ok(Some(is_any));
        }
    }
    Ok((!has_null).then_some(!is_any))
}

fn join(array: &str, between: &str, none: Option<&str>, kind: &str) -> Result<String> {
    let all = elements(array)?;
    let texts: Vec<_> =
        all.iter().filter_map(|own| shown(own, kind).or_else(|| none.map(str::to_owned))).collect();
    Ok(texts.join(between))
}
