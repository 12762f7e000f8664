//! What clients send.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A body of a pipeline.
#[derive(Debug, Deserialize)]
pub struct Pipeline {
    pub baton: Option<String>,
    pub requests: Vec<Request>,
}

/// A body of a cursor.
#[derive(Debug, Deserialize)]
pub struct Cursor {
    pub baton: Option<String>,
    pub batch: Batch,
}

/// A request on a stream.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    Close {},
    Execute { stmt: Box<Stmt> },
    Batch { batch: Batch },
    Sequence(Text),
    Describe(Text),
    StoreSql { sql_id: i32, sql: String },
    CloseSql { sql_id: i32 },
    GetAutocommit {},
}

/// SQL, or the number of a stored one.
#[derive(Debug, Default, Deserialize)]
pub struct Text {
    #[serde(default)]
    pub sql: Option<String>,
    #[serde(default)]
    pub sql_id: Option<i32>,
}

/// A statement with its arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Stmt {
    pub sql: Option<String>,
    pub sql_id: Option<i32>,
    pub args: Vec<Value>,
    pub named_args: Vec<NamedArg>,
    pub want_rows: Option<bool>,
}

/// An argument with the name of its parameter.
#[derive(Debug, Deserialize)]
pub struct NamedArg {
    pub name: String,
    pub value: Value,
}

/// Statements, each with a condition.
#[derive(Debug, Deserialize)]
pub struct Batch {
    pub steps: Vec<Step>,
}

/// A statement of a batch.
#[derive(Debug, Deserialize)]
pub struct Step {
    #[serde(default)]
    pub condition: Option<Condition>,
    pub stmt: Stmt,
}

/// When a statement of a batch runs.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Condition {
    Ok { step: u32 },
    Error { step: u32 },
    Not { cond: Box<Condition> },
    And { conds: Vec<Condition> },
    Or { conds: Vec<Condition> },
    IsAutocommit {},
}

/// A value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Value {
    Null {},
    Integer {
        #[serde(deserialize_with = "integer")]
        value: i64,
    },
    Float {
        value: f64,
    },
    Text {
        value: String,
    },
    Blob {
        #[serde(rename = "base64", deserialize_with = "bytes")]
        value: Vec<u8>,
    },
}

fn integer<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| D::Error::custom("an integer is a text of a 64-bit number"))
}

/// Clients send base64 with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    BASE64.decode(text).map_err(|_| D::Error::custom("a blob is not base64"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Option<Value> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn values_have_five_types() {
        assert_eq!(value(r#"{"type":"null"}"#), Some(Value::Null {}));
        let integer = r#"{"type":"integer","value":"-9223372036854775808"}"#;
        assert_eq!(value(integer), Some(Value::Integer { value: i64::MIN }));
        assert_eq!(value(r#"{"type":"float","value":1}"#), Some(Value::Float { value: 1.0 }));
        let blob = Some(Value::Blob { value: b"a".to_vec() });
        assert_eq!(value(r#"{"type":"blob","base64":"YQ=="}"#), blob);
        assert_eq!(value(r#"{"type":"blob","base64":"YQ"}"#), blob);
        for wrong in [
            r#"{"type":"integer","value":1}"#,
            r#"{"type":"integer","value":"9223372036854775808"}"#,
            r#"{"type":"blob","base64":"Y"}"#,
            r#"{"type":"date","value":"x"}"#,
            r#"{"value":"x"}"#,
        ] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = 200;
        let open = r#"{"type":"not","cond":"#.repeat(deep);
        let json = format!("{open}{}{}", r#"{"type":"is_autocommit"}"#, "}".repeat(deep));
        assert!(serde_json::from_str::<Condition>(&json).is_err());
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let json = r#"{"baton":null,"x":1,"requests":[{"type":"execute","y":2,
            "stmt":{"sql":"SELECT 1","z":3}},{"type":"close"}]}"#;
        let pipeline: Pipeline = serde_json::from_str(json).unwrap();
        assert!(matches!(pipeline.requests[1], Request::Close {}));
    }
}
