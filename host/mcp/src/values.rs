//! Values between JSON and SQLite: what JSON cannot say exactly is an object.

use std::fmt::Write;

use serde_json::{Map, Number, Value as Json, json};
use sqlite_sandbox::Statement;
use sqlite_sandbox::types::{Value, ValueRef};

/// The largest integer that each reader of JSON keeps exactly.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// Parameters of a statement: by position, or by name.
#[derive(Debug, Default, PartialEq)]
pub enum Parameters {
    #[default]
    None,
    Positions(Vec<Value>),
    Names(Vec<(String, Value)>),
}

impl Parameters {
    /// Those of an argument: an array, or an object.
    ///
    /// # Errors
    ///
    /// With what is expected.
    pub fn of(json: Option<&Json>) -> Result<Self, String> {
        match json {
            None | Some(Json::Null) => Ok(Self::None),
            Some(Json::Array(values)) => {
                values.iter().map(value).collect::<Result<_, _>>().map(Self::Positions)
            }
            Some(Json::Object(values)) => {
                let pairs = values.iter().map(|(name, json)| Ok((name.clone(), value(json)?)));
                pairs.collect::<Result<_, String>>().map(Self::Names)
            }
            Some(_) => {
                Err("`parameters` is an array, or an object with the names of the parameters"
                    .to_owned())
            }
        }
    }

    /// Bind each parameter of a statement.
    ///
    /// # Errors
    ///
    /// Where one has no value, or a value no parameter.
    pub fn bind(&self, statement: &mut Statement<'_>) -> Result<(), String> {
        let needed = statement.parameter_count();
        match self {
            Self::None if needed == 0 => Ok(()),
            Self::None => {
                Err(format!("the statement has {needed} parameters: `parameters` is missing"))
            }
            Self::Positions(values) if values.len() != needed => Err(format!(
                "the statement has {needed} parameters, and `parameters` has {} values",
                values.len()
            )),
            Self::Positions(values) => {
                (1..).zip(values).try_for_each(|(index, value)| bind(statement, index, value))
            }
            Self::Names(pairs) => {
                for index in 1..=needed {
                    let name = statement.parameter_name(index).unwrap_or_default();
                    let bare = name.trim_start_matches([':', '@', '$', '?']);
                    let value = pairs.iter().find(|(own, _)| *own == name || own == bare);
                    let (_, value) =
                        value.ok_or_else(|| format!("`parameters` has no value for `{name}`"))?;
                    bind(statement, index, value)?;
                }
                let names: Vec<String> =
                    (1..=needed).filter_map(|index| statement.parameter_name(index)).collect();
                let unused = pairs
                    .iter()
                    .find(|(own, _)| !names.iter().any(|name| name == own || name[1..] == **own));
                unused.map_or(Ok(()), |(own, _)| {
                    Err(format!("the statement has no parameter `{own}`"))
                })
            }
        }
    }
}

fn bind(statement: &mut Statement<'_>, index: usize, value: &Value) -> Result<(), String> {
    statement.raw_bind_parameter(index, value).map_err(|error| error.to_string())
}

fn value(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(is_true) => Value::Integer((*is_true).into()),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Real(number.as_f64().ok_or("a number is out of range")?),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Object(object) => {
            special(object).ok_or("an object is {\"integer\": \"…\"} or {\"hex\": \"…\"}")?
        }
        // A vector, for functions that take one as JSON.
        Json::Array(_) => Value::Text(json.to_string()),
    })
}

fn special(object: &Map<String, Json>) -> Option<Value> {
    let text = |name: &str| object.get(name).filter(|_| object.len() == 1)?.as_str();
    match text("integer") {
        Some(digits) => digits.parse().ok().map(Value::Integer),
        None => bytes(text("hex")?).map(Value::Blob),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| {
        let is_hex = pair.iter().all(u8::is_ascii_hexdigit);
        is_hex.then(|| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).flatten()
    };
    pairs.iter().map(byte).collect::<Option<_>>().filter(|_| rest.is_empty())
}

/// A value as JSON.
pub fn encoded(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(integer) if integer.unsigned_abs() <= MAX_EXACT => integer.into(),
        ValueRef::Integer(integer) => json!({ "integer": integer.to_string() }),
        // The infinities.
        ValueRef::Real(real) => {
            Number::from_f64(real).map_or_else(|| json!({ "real": real.to_string() }), Json::Number)
        }
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(blob) => {
            let mut hex = String::with_capacity(2 * blob.len());
            for byte in blob {
                // A string takes all that is written.
                let _ = write!(hex, "{byte:02x}");
            }
            json!({ "hex": hex })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_were() {
        for sent in [
            Value::Null,
            Value::Integer(i64::MIN),
            Value::Integer(1 << 53),
            Value::Integer(-7),
            Value::Real(1.5),
            Value::Real(3.0),
            Value::Text("é\u{0}\"".to_owned()),
            Value::Blob(vec![0, 255, 16]),
        ] {
            let json: Json = serde_json::from_str(&encoded((&sent).into()).to_string()).unwrap();
            assert_eq!(value(&json).unwrap(), sent);
        }
        assert_eq!(encoded(ValueRef::Real(f64::INFINITY)), json!({"real": "inf"}));
    }

    #[test]
    fn wrong_values_are_refused() {
        for wrong in [
            json!({"hex": "1"}),
            json!({"hex": "+1"}),
            json!({"integer": 1}),
            json!({}),
            json!({"a": "b"}),
        ] {
            assert!(value(&wrong).is_err(), "{wrong}");
        }
        assert!(Parameters::of(Some(&json!("text"))).is_err());
        assert_eq!(Parameters::of(None), Ok(Parameters::None));
    }
}
