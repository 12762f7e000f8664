//! What clients send.

use std::fmt;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use prost::{Message, Oneof};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use super::response::Empty;

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
#[serde(try_from = "Fields")]
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

/// The fields of all requests. For an enum with a tag, serde would copy them into a tree before it
/// knows what they are: half of the time of decoding.
#[derive(Deserialize)]
struct Fields {
    #[serde(rename = "type")]
    kind: Kind,
    stmt: Option<Box<Stmt>>,
    batch: Option<Batch>,
    sql: Option<String>,
    sql_id: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Close,
    Execute,
    Batch,
    Sequence,
    Describe,
    StoreSql,
    CloseSql,
    GetAutocommit,
}

impl TryFrom<Fields> for Request {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { kind, stmt, batch, sql, sql_id } = fields;
        let number = sql_id.ok_or("the request has no `sql_id`");
        Ok(match kind {
            Kind::Close => Self::Close {},
            Kind::Execute => Self::Execute { stmt: stmt.ok_or("the request has no `stmt`")? },
            Kind::Batch => Self::Batch { batch: batch.ok_or("the request has no `batch`")? },
            Kind::Sequence => Self::Sequence(Text { sql, sql_id }),
            Kind::Describe => Self::Describe(Text { sql, sql_id }),
            Kind::StoreSql => {
                Self::StoreSql { sql_id: number?, sql: sql.ok_or("the request has no `sql`")? }
            }
            Kind::CloseSql => Self::CloseSql { sql_id: number? },
            Kind::GetAutocommit => Self::GetAutocommit {},
        })
    }
}

/// SQL, or the id of a stored text.
#[derive(Message)]
pub struct Text {
    #[prost(string, optional, tag = "1")]
    pub sql: Option<String>,
    #[prost(int32, optional, tag = "2")]
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

/// A value. In Protocol Buffers those of rows are the same.
#[derive(PartialEq, Deserialize, Oneof)]
#[serde(try_from = "ValueFields")]
pub enum Value {
    #[prost(message, tag = "1")]
    Null(Empty),
    #[prost(sint64, tag = "2")]
    Integer(i64),
    #[prost(double, tag = "3")]
    Float(f64),
    #[prost(string, tag = "4")]
    Text(String),
    #[prost(bytes = "vec", tag = "5")]
    Blob(Vec<u8>),
}

/// The fields of all values, for the same reason as [`Fields`].
#[derive(Deserialize)]
struct ValueFields {
    #[serde(rename = "type")]
    kind: ValueKind,
    value: Option<Scalar>,
    base64: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ValueKind {
    Null,
    Integer,
    Float,
    Text,
    Blob,
}

impl TryFrom<ValueFields> for Value {
    type Error = &'static str;

    fn try_from(fields: ValueFields) -> Result<Self, Self::Error> {
        let not_integer = "an integer is a text of a 64-bit number";
        Ok(match (fields.kind, fields.value) {
            (ValueKind::Null, _) => Self::Null(Empty {}),
            (ValueKind::Integer, Some(Scalar::Text(text))) => {
                Self::Integer(text.parse().map_err(|_| not_integer)?)
            }
            (ValueKind::Integer, _) => return Err(not_integer),
            (ValueKind::Float, Some(Scalar::Number(value))) => Self::Float(value),
            (ValueKind::Float, _) => return Err("a float is a number"),
            (ValueKind::Text, Some(Scalar::Text(value))) => Self::Text(value),
            (ValueKind::Text, _) => return Err("a text is a string"),
            (ValueKind::Blob, _) => {
                let text = fields.base64.ok_or("a blob has no `base64`")?;
                Self::Blob(BASE64.decode(text).map_err(|_| "a blob is not base64")?)
            }
        })
    }
}

/// What a field `value` has.
enum Scalar {
    Text(String),
    Number(f64),
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;

        impl Visitor<'_> for Any {
            type Value = Scalar;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a string or a number")
            }

            fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Scalar, E> {
                Ok(Scalar::Text(text))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
                Ok(Scalar::Number(number))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar::Number(number as f64))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
                Ok(Scalar::Number(number as f64))
            }
        }

        from.deserialize_any(Any)
    }
}

/// Clients send base64 with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Option<Value> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn values_have_five_types() {
        assert_eq!(value(r#"{"type":"null"}"#), Some(Value::Null(Empty {})));
        let integer = r#"{"type":"integer","value":"-9223372036854775808"}"#;
        assert_eq!(value(integer), Some(Value::Integer(i64::MIN)));
        assert_eq!(value(r#"{"type":"float","value":1}"#), Some(Value::Float(1.0)));
        let blob = Some(Value::Blob(b"a".to_vec()));
        assert_eq!(value(r#"{"type":"blob","base64":"YQ=="}"#), blob);
        assert_eq!(value(r#"{"type":"blob","base64":"YQ"}"#), blob);
        for wrong in [
            r#"{"type":"integer","value":1}"#,
            r#"{"type":"integer","value":"9223372036854775808"}"#,
            r#"{"type":"blob","base64":"Y"}"#,
            r#"{"type":"blob","value":"YQ=="}"#,
            r#"{"type":"text","value":1}"#,
            r#"{"type":"text","value":null}"#,
            r#"{"type":"text"}"#,
            r#"{"type":"float","value":"1"}"#,
            r#"{"type":"float","value":true}"#,
            r#"{"type":"date","value":"x"}"#,
            r#"{"value":"x"}"#,
        ] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn requests_have_what_they_need() {
        let request = |json: &str| serde_json::from_str::<Request>(json).map_err(|e| e.to_string());
        for (json, missing) in [
            (r#"{"type":"execute"}"#, "no `stmt`"),
            (r#"{"type":"batch","stmt":{}}"#, "no `batch`"),
            (r#"{"type":"store_sql","sql_id":1}"#, "no `sql`"),
            (r#"{"type":"store_sql","sql":"x"}"#, "no `sql_id`"),
            (r#"{"type":"close_sql"}"#, "no `sql_id`"),
            (r#"{"type":"other"}"#, "unknown variant"),
            (r#"{"stmt":{}}"#, "missing field `type`"),
            (r#"{"type":"close","type":"close"}"#, "duplicate field"),
        ] {
            let error = request(json).unwrap_err();
            assert!(error.contains(missing), "{json}: {error}");
        }
        // The tag may come last.
        let sequence = request(r#"{"sql":"x","type":"sequence"}"#).unwrap();
        assert!(matches!(sequence, Request::Sequence(Text { sql: Some(_), sql_id: None })));
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
