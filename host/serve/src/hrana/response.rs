//! What the server replies over HTTP: each message as JSON (`serde`) and as Protocol Buffers (`prost`).
//!
//! The results of statements and batches are bytes, encoded while their rows arrive. Protocol Buffers have
//! nested messages as bytes anyway; JSON has them as they are, by the formatter in `encoding::json`. A field
//! that is written even if it is zero is `required`.

use prost::{Message, Oneof};
use serde::{Serialize, Serializer};

use crate::session::connection::Changes;
use crate::session::error::Failure;

/// A message without fields.
#[derive(Clone, Copy, PartialEq, Serialize, Message)]
pub struct Empty {}

/// A failed request, as clients see it.
#[derive(Clone, PartialEq, Serialize, Message)]
pub struct Failed {
    #[prost(string, required, tag = "1")]
    message: String,
    #[prost(string, required, tag = "2")]
    code: String,
}

impl From<Failure> for Failed {
    fn from(Failure { message, code }: Failure) -> Self {
        Self { message, code: code.to_owned() }
    }
}

/// A column of a result.
#[derive(PartialEq, Serialize, Message)]
pub struct Column {
    #[prost(string, required, tag = "1")]
    pub name: String,
    /// The type that it was declared with; `None` for an expression.
    #[prost(string, optional, tag = "2")]
    pub decltype: Option<String>,
}

/// What happened to a statement of a batch: nothing where its condition was false, or its encoded result.
pub type StepResult = Option<Result<Vec<u8>, Failure>>;

/// A parameter of a statement.
#[derive(PartialEq, Serialize, Message)]
pub struct Parameter {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
}

/// What is known about a statement.
#[derive(PartialEq, Serialize, Message)]
pub struct Description {
    #[prost(message, repeated, tag = "1")]
    pub params: Vec<Parameter>,
    #[prost(message, repeated, tag = "2")]
    pub cols: Vec<Column>,
    #[prost(bool, required, tag = "3")]
    pub is_explain: bool,
    #[prost(bool, required, tag = "4")]
    pub is_readonly: bool,
}

/// The encoded result of a statement or a batch.
#[derive(PartialEq, Serialize, Message)]
pub struct Done {
    #[prost(bytes = "vec", required, tag = "1")]
    #[serde(serialize_with = "encoded")]
    pub result: Vec<u8>,
}

#[derive(PartialEq, Serialize, Message)]
pub struct Described {
    #[prost(message, required, tag = "1")]
    pub result: Description,
}

#[derive(PartialEq, Serialize, Message)]
pub struct Autocommit {
    #[prost(bool, required, tag = "1")]
    pub is_autocommit: bool,
}

/// The reply to a request on a stream, with its field over HTTP.
#[derive(PartialEq, Serialize, Oneof)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Response {
    #[prost(message, tag = "1")]
    Close(Empty),
    #[prost(message, tag = "2")]
    Execute(Done),
    #[prost(message, tag = "3")]
    Batch(Done),
    #[prost(message, tag = "4")]
    Sequence(Empty),
    #[prost(message, tag = "5")]
    Describe(Described),
    #[prost(message, tag = "6")]
    StoreSql(Empty),
    #[prost(message, tag = "7")]
    CloseSql(Empty),
    #[prost(message, tag = "8")]
    GetAutocommit(Autocommit),
}

/// The reply to a pipeline.
#[derive(PartialEq, Serialize, Message)]
pub struct Pipeline {
    #[prost(string, optional, tag = "1")]
    pub baton: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub base_url: Option<String>,
    #[prost(message, repeated, tag = "3")]
    pub results: Vec<StreamResult>,
}

/// The beginning of a cursor's reply.
#[derive(PartialEq, Serialize, Message)]
pub struct Cursor {
    #[prost(string, optional, tag = "1")]
    pub baton: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub base_url: Option<String>,
}

/// What became of a request of a pipeline.
#[derive(PartialEq, Serialize, Message)]
#[serde(transparent)]
pub struct StreamResult {
    #[prost(oneof = "Outcome", tags = "1, 2")]
    outcome: Option<Outcome>,
}

#[derive(PartialEq, Serialize, Oneof)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Outcome {
    #[prost(message, tag = "1")]
    Ok(Success),
    #[prost(message, tag = "2")]
    #[serde(serialize_with = "as_error")]
    Error(Failed),
}

#[derive(PartialEq, Serialize, Message)]
struct Success {
    #[prost(oneof = "Response", tags = "1, 2, 3, 4, 5, 6, 7, 8")]
    response: Option<Response>,
}

impl From<Result<Response, Failure>> for StreamResult {
    fn from(result: Result<Response, Failure>) -> Self {
        let outcome = match result {
            Ok(response) => Outcome::Ok(Success { response: Some(response) }),
            Err(failure) => Outcome::Error(failure.into()),
        };
        Self { outcome: Some(outcome) }
    }
}

/// A part of a cursor's reply.
#[derive(PartialEq, Serialize, Message)]
#[serde(transparent)]
pub struct CursorEntry {
    #[prost(oneof = "Entry", tags = "1, 2, 3, 5")]
    entry: Option<Entry>,
}

/// The parts of a cursor's reply. A row, which has tag 4, is encoded where it arrives.
#[derive(PartialEq, Serialize, Oneof)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    #[prost(message, tag = "1")]
    StepBegin(StepBegin),
    #[prost(message, tag = "2")]
    StepEnd(StepEnd),
    #[prost(message, tag = "3")]
    StepError(StepError),
    /// The batch failed.
    #[prost(message, tag = "5")]
    #[serde(serialize_with = "as_error")]
    Error(Failed),
}

impl From<Entry> for CursorEntry {
    fn from(entry: Entry) -> Self {
        Self { entry: Some(entry) }
    }
}

#[derive(PartialEq, Serialize, Message)]
pub struct StepBegin {
    #[prost(uint32, required, tag = "1")]
    pub step: u32,
    #[prost(message, repeated, tag = "2")]
    pub cols: Vec<Column>,
}

#[derive(PartialEq, Serialize, Message)]
pub struct StepEnd {
    #[prost(uint64, required, tag = "1")]
    affected_row_count: u64,
    #[prost(sint64, required, tag = "2")]
    #[serde(serialize_with = "as_text")]
    last_insert_rowid: i64,
}

impl From<Changes> for StepEnd {
    fn from(Changes { rows, last_insert_rowid }: Changes) -> Self {
        Self { affected_row_count: rows, last_insert_rowid }
    }
}

#[derive(PartialEq, Serialize, Message)]
pub struct StepError {
    #[prost(uint32, required, tag = "1")]
    pub step: u32,
    #[prost(message, required, tag = "2")]
    pub error: Failed,
}

/// JSON that is encoded already; the formatter writes bytes as they are.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Encoded<'a>(#[serde(serialize_with = "encoded")] pub &'a [u8]);

fn encoded<S: Serializer>(json: &impl AsRef<[u8]>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bytes(json.as_ref())
}

/// A 64-bit integer, which JavaScript's `number` cannot represent.
fn as_text<S: Serializer>(number: &i64, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

/// In JSON a failure is a field; in Protocol Buffers it is the message itself.
fn as_error<S: Serializer>(error: &Failed, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Failing<'a> {
        error: &'a Failed,
    }
    Failing { error }.serialize(to)
}
