//! Functions that translated SQL needs: casts, arrays and patterns.

use sqlite_wasm_kit::{Result, Value};

/// An array as JSON: Postgres' text `{a,"b c"}`, its vectors `1 2`, or JSON already.
pub fn array_json(array: String) -> Result<String> {
    let text = array.trim();
    if text.starts_with('[') {
        return Ok(array);
    }
    let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
        let words: Vec<_> = text.split_ascii_whitespace().map(json).collect();
        return Ok(format!("[{}]", words.join(",")));
    };
    let elements = elements(inner).ok_or("pg_array_json: malformed array literal")?;
    Ok(format!("[{}]", elements.join(",")))
}

fn elements(inner: &str) -> Option<Vec<String>> {
    let (mut found, mut rest) = (Vec::new(), inner.trim_start());
    while !rest.is_empty() {
        let tail;
        if let Some(quoted) = rest.strip_prefix('"') {
            let (mut element, mut characters) = (String::new(), quoted.char_indices());
            let end = loop {
                match characters.next()? {
                    (at, '"') => break at,
                    (_, '\\') => element.push(characters.next()?.1),
                    (_, other) => element.push(other),
                }
            };
            found.push(json_text(&element));
            tail = &quoted[end + 1..];
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            found.push(json(rest[..end].trim()));
            tail = &rest[end..];
        }
        rest = match tail.trim_start() {
            "" => "",
            tail => tail.strip_prefix(',')?.trim_start(),
        };
    }
    Some(found)
}

/// An integer, a real or NULL as it is, anything else as text.
fn json(element: &str) -> String {
    if element.eq_ignore_ascii_case("null") {
        return "null".to_owned();
    }
    match element.parse::<i64>() {
        Ok(number) => number.to_string(),
        Err(_) => json_text(element),
    }
}

fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out + "\""
}

pub fn array_upper(array: &str) -> Option<i64> {
    let json = array_json(array.to_owned()).ok()?;
    let count = if json == "[]" { 0 } else { elements(json.get(1..json.len() - 1)?)?.len() };
    (count > 0).then_some(count as i64 + array_lower(array) - 1)
}

/// Vectors begin at 0.
pub fn array_lower(array: &str) -> i64 {
    i64::from(array.trim_start().starts_with(['{', '[']))
}

/// The subscript at a position, which counts from 0.
pub fn subscript(array: String, place: i64) -> Option<i64> {
    let subscript = place.checked_add(array_lower(&array))?;
    (subscript <= array_upper(&array)?).then_some(subscript)
}

/// A bound of a series, or its step, which is not 0.
pub fn series_number(value: Value) -> Result<Option<i64>> {
    let number = match &value {
        Value::Null => return Ok(None),
        Value::Integer(number) => Some(*number),
        Value::Text(text) => str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()),
        _ => None,
    };
    let message = "generate_series of anything but integers is not supported";
    number.map(Some).ok_or_else(|| message.into())
}

pub fn series_step(value: Value) -> Result<Option<i64>> {
    match series_number(value)? {
        Some(0) => Err("step size cannot equal zero".into()),
        step => Ok(step),
    }
}

/// What is divided by, which is not 0.
pub fn divisor(value: Value) -> Result<Value> {
    let is_zero = match &value {
        Value::Integer(number) => *number == 0,
        Value::Real(number) => *number == 0.0,
        _ => false,
    };
    if is_zero { Err("division by zero".into()) } else { Ok(value) }
}

/// How long a series is.
pub fn series_count(start: Value, stop: Value, step: Value) -> Result<i64> {
    let (start, stop, step) = (series_number(start)?, series_number(stop)?, series_step(step)?);
    let (Some(start), Some(stop), Some(step)) = (start, stop, step) else { return Ok(0) };
    let (way, step) = (i128::from(stop) - i128::from(start), i128::from(step));
    if way != 0 && (way < 0) != (step < 0) {
        return Ok(0);
    }
    Ok(i64::try_from(way / step + 1).unwrap_or(i64::MAX))
}

/// For a setting that is not there.
pub fn no_setting(name: Option<String>, is_optional: Option<bool>) -> Result<Option<String>> {
    match name {
        Some(name) if is_optional == Some(false) => {
            Err(format!("unrecognized configuration parameter \"{name}\"").into())
        }
        _ => Ok(None),
    }
}

/// The value at a position of a series.
pub fn series_at(start: i64, stop: i64, step: i64, place: i64) -> Option<i64> {
    let number = step.checked_mul(place).and_then(|more| start.checked_add(more))?;
    let is_inside = if step < 0 { number >= stop } else { number <= stop };
    is_inside.then_some(number)
}

/// A pattern of LIKE as one of GLOB, which compares cases.
pub fn like_glob(pattern: String) -> Result<String> {
    escaped_like_glob(pattern, "\\".to_owned())
}

/// The same with a character that escapes, or none.
pub fn escaped_like_glob(pattern: String, escape: String) -> Result<String> {
    let escape = escape.chars().next();
    let mut out = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            c if Some(c) == escape => match characters.next() {
                Some(c) => push(c, &mut out),
                None => {
                    return Err("22025: LIKE pattern must not end with escape character".into());
                }
            },
            '%' => out.push('*'),
            '_' => out.push('?'),
            other => push(other, &mut out),
        }
    }
    Ok(out)
}

/// A length of a part of a text that does not fit a small integer.
pub fn length(length: i64) -> Result<i64> {
    match length {
        0.. => Ok(length),
        _ => Err("22011: negative substring length not allowed".into()),
    }
}

fn push(character: char, out: &mut String) {
    match character {
        '*' | '?' | '[' => out.extend(['[', character, ']']),
        other => out.push(other),
    }
}

/// A cast to an integer: reals are rounded, and text must be numeric.
pub fn integer(value: Value) -> Result<Option<i64>> {
    const RANGE: std::ops::Range<f64> = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
    match value {
        Value::Null => Ok(None),
        Value::Integer(number) => Ok(Some(number)),
        Value::Real(number) if RANGE.contains(&number.round()) => Ok(Some(number.round() as i64)),
        Value::Text(text) => {
            let text = String::from_utf8_lossy(&text);
            let wrong = || format!("invalid input syntax for type integer: \"{text}\"");
            text.trim().parse().map(Some).map_err(|_| wrong().into())
        }
        _ => Err("integer out of range".into()),
    }
}

/// A truth value: each word may be shortened until it could be another one.
fn boolean_of(text: &str) -> Option<bool> {
    let begins =
        |words: &[&str]| !text.is_empty() && words.iter().any(|word| word.starts_with(text));
    match text {
        "o" => None,
        "1" | "on" => Some(true),
        "0" | "of" | "off" => Some(false),
        _ if begins(&["true", "yes"]) => Some(true),
        _ if begins(&["false", "no"]) => Some(false),
        _ => None,
    }
}

pub fn boolean(value: Value) -> Result<Option<bool>> {
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Integer(number) => number != 0,
        Value::Real(number) => number != 0.0,
        Value::Text(text) => {
            let text = String::from_utf8_lossy(&text);
            boolean_of(&text.trim().to_lowercase()).ok_or_else(|| {
                format!("22P02: invalid input syntax for type boolean: \"{text}\"")
            })?
        }
        Value::Blob(_) => return Err("cannot cast type bytea to boolean".into()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_become_json() {
        let json = |array: &str| array_json(array.to_owned()).unwrap();
        assert_eq!(json("{1,NULL,\"a \\\"b\",c}"), "[1,null,\"a \\\"b\",\"c\"]");
        assert_eq!(
            (json("1 2"), json("{}"), json("[3]"), json("")),
            ("[1,2]".into(), "[]".into(), "[3]".into(), "[]".into())
        );
        assert!(array_json("{\"a}".into()).is_err());
        assert_eq!([array_upper("1 2"), array_upper("{1,2}")], [Some(1), Some(2)]);
        assert_eq!([0, 1, 2].map(|at| subscript("4 5".into(), at)), [Some(0), Some(1), None]);
        assert_eq!([0, 2, 3].map(|at| series_at(5, 1, -2, at)), [Some(5), Some(1), None]);
        assert_eq!((array_upper("{1,2}"), array_upper("{}")), (Some(2), None));
    }

    #[test]
    fn series_are_those_of_postgres() {
        let count = |bounds: [i64; 3]| {
            let [start, stop, step] = bounds.map(Value::Integer);
            series_count(start, stop, step)
        };
        for (bounds, expected) in [
            ([1, 3, 1], 3),
            ([2, 1, 2], 0),
            ([1, 0, 10], 0),
            ([1, 2, -1], 0),
            ([5, 1, -2], 3),
            ([4, 4, -9], 1),
            ([i64::MIN, i64::MAX, 1], i64::MAX),
        ] {
            assert_eq!(count(bounds).unwrap(), expected, "{bounds:?}");
        }
        assert!(count([1, 2, 0]).is_err() && series_number(Value::Real(1.5)).is_err());
        assert!(series_number(Value::text("2024-01-01")).is_err());
        assert_eq!(series_count(Value::Null, Value::Null, Value::Integer(1)).unwrap(), 0);
        assert!(no_setting(Some("x".into()), Some(false)).is_err());
        assert_eq!(no_setting(Some("x".into()), Some(true)).unwrap(), None);
    }

    #[test]
    fn casts_are_those_of_postgres() {
        assert_eq!(integer(Value::Real(2.5)).unwrap(), Some(3));
        assert_eq!(integer(Value::text(" 7 ")).unwrap(), Some(7));
        assert!(integer(Value::text("7x")).is_err() && integer(Value::Real(1e19)).is_err());
        assert_eq!(boolean(Value::text("No")).unwrap(), Some(false));
        assert!(boolean(Value::text("maybe")).is_err());
        assert_eq!(like_glob("a%\\%_*".into()).as_deref(), Ok("a*%?[*]"));
        assert!(like_glob("a\\".into()).is_err());
    }

    #[test]
    fn any_array_is_read() {
        arbtest::arbtest(|u| {
            let _ = array_json(u.arbitrary()?);
            array_upper(u.arbitrary()?);
            Ok(())
        });
    }
}
