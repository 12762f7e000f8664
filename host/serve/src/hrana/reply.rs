//! What the server replies over a WebSocket, written as in `response.rs`.

use axum::body::Bytes;
use prost::{Message, Oneof};
use serde::{Serialize, Serializer};

use super::response::{Autocommit, Described, Done, Empty, Encoded, Failed, Response};
use crate::events::Told;
use crate::session::error::Failure;

/// A message of the server over a WebSocket.
#[derive(PartialEq, Serialize, Message)]
#[serde(transparent)]
pub struct SocketMessage {
    #[prost(oneof = "SocketContent", tags = "1, 2, 3, 4, 100")]
    content: Option<SocketContent>,
}

#[derive(PartialEq, Serialize, Oneof)]
#[serde(tag = "type", rename_all = "snake_case")]
enum SocketContent {
    #[prost(message, tag = "1")]
    HelloOk(Empty),
    #[prost(message, tag = "2")]
    HelloError(HelloError),
    #[prost(message, tag = "3")]
    ResponseOk(ResponseOk),
    #[prost(message, tag = "4")]
    ResponseError(ResponseError),
    #[prost(message, tag = "100")]
    Changes(Changes),
}

/// An event of the feed of changes, for a client that has subscribed to it: Hrana has none.
#[derive(PartialEq, Serialize, Message)]
struct Changes {
    #[prost(string, required, tag = "1")]
    event: String,
    #[prost(string, required, tag = "2")]
    id: String,
    #[prost(bytes = "bytes", required, tag = "3")]
    #[serde(serialize_with = "encoded")]
    data: Bytes,
}

#[derive(PartialEq, Serialize, Message)]
struct HelloError {
    #[prost(message, required, tag = "1")]
    error: Failed,
}

#[derive(PartialEq, Serialize, Message)]
struct ResponseOk {
    #[prost(int32, required, tag = "1")]
    request_id: i32,
    #[prost(oneof = "Reply", tags = "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 100, 101")]
    response: Option<Reply>,
}

#[derive(PartialEq, Serialize, Message)]
struct ResponseError {
    #[prost(int32, required, tag = "1")]
    request_id: i32,
    #[prost(message, required, tag = "2")]
    error: Failed,
}

impl SocketMessage {
    /// The reply to `hello`.
    pub fn hello(result: Result<(), Failure>) -> Self {
        let content = match result {
            Ok(()) => SocketContent::HelloOk(Empty {}),
            Err(failure) => SocketContent::HelloError(HelloError { error: failure.into() }),
        };
        Self { content: Some(content) }
    }

    /// An event of the feed of changes.
    pub fn changes(Told { kind, id, data }: Told) -> Self {
        let changes = Changes { event: kind.to_owned(), id, data: data.into() };
        Self { content: Some(SocketContent::Changes(changes)) }
    }

    /// The reply to a request.
    pub fn reply(request_id: i32, result: Result<Reply, Failure>) -> Self {
        let content = match result {
            Ok(reply) => {
                SocketContent::ResponseOk(ResponseOk { request_id, response: Some(reply) })
            }
            Err(failure) => {
                SocketContent::ResponseError(ResponseError { request_id, error: failure.into() })
            }
        };
        Self { content: Some(content) }
    }
}

/// The reply to a request over a WebSocket: the same as over HTTP in other fields, and its own.
#[derive(PartialEq, Serialize, Oneof)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    #[prost(message, tag = "2")]
    OpenStream(Empty),
    #[prost(message, tag = "3")]
    CloseStream(Empty),
    #[prost(message, tag = "4")]
    Execute(Done),
    #[prost(message, tag = "5")]
    Batch(Done),
    #[prost(message, tag = "6")]
    OpenCursor(Empty),
    #[prost(message, tag = "7")]
    CloseCursor(Empty),
    #[prost(message, tag = "8")]
    FetchCursor(Fetched),
    #[prost(message, tag = "9")]
    Sequence(Empty),
    #[prost(message, tag = "10")]
    Describe(Described),
    #[prost(message, tag = "11")]
    StoreSql(Empty),
    #[prost(message, tag = "12")]
    CloseSql(Empty),
    #[prost(message, tag = "13")]
    GetAutocommit(Autocommit),
    #[prost(message, tag = "100")]
    SubscribeChanges(Empty),
    #[prost(message, tag = "101")]
    UnsubscribeChanges(Empty),
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        match response {
            Response::Close(empty) => Self::CloseStream(empty),
            Response::Execute(done) => Self::Execute(done),
            Response::Batch(done) => Self::Batch(done),
            Response::Sequence(empty) => Self::Sequence(empty),
            Response::Describe(described) => Self::Describe(described),
            Response::StoreSql(empty) => Self::StoreSql(empty),
            Response::CloseSql(empty) => Self::CloseSql(empty),
            Response::GetAutocommit(autocommit) => Self::GetAutocommit(autocommit),
        }
    }
}

/// Entries of a cursor, and whether it has no more.
#[derive(PartialEq, Serialize, Message)]
pub struct Fetched {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    #[serde(serialize_with = "all_encoded")]
    pub entries: Vec<Bytes>,
    #[prost(bool, required, tag = "2")]
    pub done: bool,
}

fn encoded<S: Serializer>(json: &Bytes, to: S) -> Result<S::Ok, S::Error> {
    Encoded(json).serialize(to)
}

fn all_encoded<S: Serializer>(all: &[Bytes], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|json| Encoded(json)))
}
