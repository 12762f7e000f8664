//! Functions whose result is an array, or an element.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{ANY_NUMBER, Arguments, Error, IntoOutput, Output, Result, Scalar, Value};

use super::elements::{MAX_ELEMENTS, compare, elements, json, literal, too_many, typed};
use crate::texts::{MAX_BYTES, too_long};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_array_of", 2, of_text),
    Scalar::new("pg_array_made", ANY_NUMBER, Stable, Innocuous, made),
    function!("pg_array_append", 3, |array: Option<String>, element: Value, kind: String| {
        added(array, element, &kind, false)
    }),
    function!("pg_array_prepend", 3, |element: Value, array: Option<String>, kind: String| {
        added(array, element, &kind, true)
    }),
    function!("pg_array_cat", 3, concatenated),
    function!("pg_array_remove", 3, |array: String, element: Value, kind: String| {
        let kind = of_element(&kind);
        let kept = elements(&array)?
            .into_iter()
            .filter(|own| compare(own, &element, kind).is_ne())
            .collect::<Vec<_>>();
        Ok::<_, Error>(json(&kept))
    }),
    function!("pg_array_replace", 4, replaced),
    function!("pg_array_slice", 4, slice),
    function!("pg_array_get", 3, get),
    function!("pg_array_trim", 3, trimmed),
    function!("pg_array_fill", 3, filled),
    function!("pg_array_split", 3, |text: Value, between: Value, _: String| {
        split(&text, &between, &Value::Null)
    }),
    function!("pg_array_split", 4, |text: Value, between: Value, none: Value, _: String| {
        split(&text, &between, &none)
    }),
    Scalar::new("pg_array_zip", ANY_NUMBER, Stable, Innocuous, zipped),
    function!("pg_text_options", 1, options),
];

fn of_element(kind: &str) -> &str {
    kind.strip_prefix('_').unwrap_or(kind)
}

/// The name of the type behind the other arguments.
fn kind(arguments: &Arguments<'_>) -> String {
    let last = arguments.values().last().cloned().unwrap_or_default();
    String::from_utf8_lossy(&last.into_bytes()).into_owned()
}

fn of_text(text: Value, kind: String) -> Result<Option<String>> {
    if text.is_null() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&text.into_bytes()).into_owned();
    let all: Vec<Value> = if text.trim_start().starts_with('[') && !text.contains("]=") {
        elements(&text)?.into_iter().map(|one| rounded(one, &kind)).collect::<Result<_>>()?
    } else {
        literal(&text)?.into_iter().map(|one| one.map_or(Value::Null, Value::text)).collect()
    };
    let all: Result<Vec<_>> = all.into_iter().map(|one| typed(one, of_element(&kind))).collect();
    Ok(Some(json(&all?)))
}

/// A `numeric`, where it becomes an integer.
fn rounded(one: Value, kind: &str) -> Result<Value> {
    let function = match (&one, kind) {
        (Value::Text(_), "_int2") => "pg_int2_of_numeric",
        (Value::Text(_), "_int4") => "pg_int4_of_numeric",
        (Value::Text(_), "_int8") => "pg_int8_of_numeric",
        _ => return Ok(one),
    };
    match crate::functions::SCALARS.iter().find(|known| known.fits(function, 1)) {
        Some(function) => function.call(vec![one]),
        None => Ok(one),
    }
}

fn made(arguments: Arguments<'_>) -> Result<Output> {
    let kind = kind(&arguments);
    let count = arguments.len().saturating_sub(1);
    let elements = arguments.values().iter().take(count).cloned();
    let all: Result<Vec<_>> = elements.map(|one| typed(one, of_element(&kind))).collect();
    json(&all?).into_output()
}

/// NULL as the array is an array without elements.
fn added(array: Option<String>, element: Value, kind: &str, is_before: bool) -> Result<String> {
    let mut all = elements(array.as_deref().unwrap_or("[]"))?;
    let element = typed(element, of_element(kind))?;
    all.insert(if is_before { 0 } else { all.len() }, element);
    Ok(json(&all))
}

fn concatenated(one: Option<String>, other: Option<String>, _: String) -> Result<Option<String>> {
    Ok(match (one, other) {
        (Some(one), Some(other)) => {
            let mut all = elements(&one)?;
            all.extend(elements(&other)?);
            Some(json(&all))
        }
        (one, other) => one.or(other),
    })
}

fn replaced(array: String, from: Value, to: Value, kind: String) -> Result<String> {
    let kind = of_element(&kind);
    let all = elements(&array)?
        .into_iter()
        .map(|own| if compare(&own, &from, kind).is_eq() { to.clone() } else { own });
    Ok(json(&all.collect::<Vec<_>>()))
}

/// A bound that is not given is that of the array; NULL makes NULL.
fn slice(array: String, low: Value, high: Value, _: String) -> Result<Option<String>> {
    let all = elements(&array)?;
    let bound = |value: Value, missing: i64| match value {
        Value::Null => None,
        Value::Text(_) => Some(missing),
        other => Some(other.to_integer()),
    };
    let (Some(low), Some(high)) = (bound(low, 1), bound(high, all.len() as i64)) else {
        return Ok(None);
    };
    let first = low.max(1) as usize - 1;
    let end = usize::try_from(high).unwrap_or(0).min(all.len());
    Ok(Some(json(all.get(first..end).unwrap_or_default())))
}

fn get(array: String, at: i64, _: String) -> Result<Option<Value>> {
    let place = usize::try_from(at).ok().and_then(|at| at.checked_sub(1));
    let mut all = elements(&array)?;
    Ok(place.filter(|place| *place < all.len()).map(|place| all.swap_remove(place)))
}

fn trimmed(array: String, count: i64, _: String) -> Result<String> {
    let all = elements(&array)?;
    match usize::try_from(count).ok().and_then(|count| all.len().checked_sub(count)) {
        Some(left) => Ok(json(&all[..left])),
        None => {
            Err(format!("2202E: number of elements to trim must be between 0 and {}", all.len())
                .into())
        }
    }
}

fn filled(element: Value, lengths: String, kind: String) -> Result<String> {
    let lengths = elements(&lengths)?;
    let [length] = &lengths[..] else {
        return Err("0A000: arrays of more than one dimension are not supported".into());
    };
    let count = usize::try_from(length.to_integer()).ok().filter(|count| *count <= MAX_ELEMENTS);
    let count = count.ok_or("54000: array size exceeds the maximum allowed")?;
    let element = typed(element, of_element(&kind))?;
    let bytes = element.clone().into_bytes().len().saturating_mul(count);
    if bytes > MAX_BYTES {
        return Err(too_long());
    }
    Ok(json(&vec![element; count]))
}

/// `string_to_array`: without a separator the characters.
fn split(text: &Value, between: &Value, none: &Value) -> Result<Option<String>> {
    if text.is_null() {
        return Ok(None);
    }
    let shown = |value: &Value| String::from_utf8_lossy(&value.clone().into_bytes()).into_owned();
    let whole = shown(text);
    if whole.len() > MAX_BYTES {
        return Err(too_long());
    }
    // One more than there may be.
    let most = MAX_ELEMENTS + 1;
    let parts: Vec<String> = if whole.is_empty() {
        Vec::new()
    } else if between.is_null() {
        whole.chars().take(most).map(String::from).collect()
    } else if shown(between).is_empty() {
        vec![whole]
    } else {
        whole.split(&shown(between)).take(most).map(str::to_owned).collect()
    };
    if parts.len() > MAX_ELEMENTS {
        return Err(too_many());
    }
    let element = |part: String| {
        if none.is_null() || part != shown(none) { Value::text(part) } else { Value::Null }
    };
    Ok(Some(json(&parts.into_iter().map(element).collect::<Vec<_>>())))
}

/// The rows of several arrays, each as a list; a shorter one is NULL at its end.
fn zipped(arguments: Arguments<'_>) -> Result<Output> {
    let all: Result<Vec<_>> = arguments
        .values()
        .iter()
        .map(|array| match array {
            Value::Null => Ok(Vec::new()),
            other => elements(&String::from_utf8_lossy(&other.clone().into_bytes())),
        })
        .collect();
    let all = all?;
    let count = all.iter().map(Vec::len).max().unwrap_or(0);
    let row = |at: usize| {
        let row: Vec<_> =
            all.iter().map(|array| array.get(at).cloned().unwrap_or_default()).collect();
        json(&row)
    };
    format!("[{}]", (0..count).map(row).collect::<Vec<_>>().join(",")).into_output()
}

/// Options (`name=value`), each as a list of its name and its value.
fn options(array: String) -> Result<String> {
    let option = |option: Value| {
        let option = String::from_utf8_lossy(&option.into_bytes()).into_owned();
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Value::text(value)),
            None => (option.as_str(), Value::Null),
        };
        json(&[Value::text(name), value])
    };
    let all: Vec<_> = elements(&array)?.into_iter().map(option).collect();
    Ok(format!("[{}]", all.join(",")))
}
