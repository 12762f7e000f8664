//! What clients send over a WebSocket.

use serde::Deserialize;

use crate::hrana::request::{Batch, Request, Stmt, Text};

/// A message.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    Hello { jwt: Option<String> },
    Request { request_id: i32, request: SocketRequest },
}

/// A request; those with a `stream_id` are performed in order for each stream.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SocketRequest {
    OpenStream { stream_id: i32 },
    CloseStream { stream_id: i32 },
    Execute { stream_id: i32, stmt: Box<Stmt> },
    Batch { stream_id: i32, batch: Batch },
    OpenCursor { stream_id: i32, cursor_id: i32, batch: Batch },
    CloseCursor { cursor_id: i32 },
    FetchCursor { cursor_id: i32, max_count: u32 },
    Sequence(OnStream),
    Describe(OnStream),
    StoreSql { sql_id: i32, sql: String },
    CloseSql { sql_id: i32 },
    GetAutocommit { stream_id: i32 },
    SubscribeChanges(Place),
    UnsubscribeChanges {},
}

/// From which position of the feed of changes on.
#[derive(Deserialize, prost::Message)]
#[serde(default)]
pub struct Place {
    /// The id of the last event that the client has seen.
    #[prost(string, optional, tag = "1")]
    pub last_event_id: Option<String>,
}

/// SQL, or the id of a stored text, on a stream.
#[derive(Deserialize, prost::Message)]
#[serde(default)]
pub struct OnStream {
    #[prost(int32, tag = "1")]
    pub stream_id: i32,
    #[prost(string, optional, tag = "2")]
    pub sql: Option<String>,
    #[prost(int32, optional, tag = "3")]
    pub sql_id: Option<i32>,
}

/// What a stream does.
#[derive(Debug)]
pub enum Work {
    Perform(Request),
    OpenCursor(i32, Batch),
    FetchCursor(i32, u32),
    CloseCursor(i32),
    /// Close the stream.
    Close,
}

/// Whom a request is for.
#[derive(Debug)]
pub enum Target {
    /// Open or close a stream.
    Open(i32),
    Close(i32),
    /// A stream.
    Stream(i32, Work),
    /// The stream of a cursor.
    Cursor(i32, Work),
    /// The texts of the connection.
    StoreSql(i32, String),
    CloseSql(i32),
    /// The feed of changes.
    Subscribe(Place),
    Unsubscribe,
}

impl OnStream {
    fn text(self) -> Text {
        Text { sql: self.sql, sql_id: self.sql_id }
    }
}

impl SocketRequest {
    pub fn target(self) -> Target {
        use Target::Stream;
        use Work::{CloseCursor, FetchCursor, OpenCursor, Perform};
        match self {
            Self::OpenStream { stream_id } => Target::Open(stream_id),
            Self::CloseStream { stream_id } => Target::Close(stream_id),
            Self::Execute { stream_id, stmt } => {
                Stream(stream_id, Perform(Request::Execute { stmt }))
            }
            Self::Batch { stream_id, batch } => {
                Stream(stream_id, Perform(Request::Batch { batch }))
            }
            Self::Sequence(on) => Stream(on.stream_id, Perform(Request::Sequence(on.text()))),
            Self::Describe(on) => Stream(on.stream_id, Perform(Request::Describe(on.text()))),
            Self::GetAutocommit { stream_id } => {
                Stream(stream_id, Perform(Request::GetAutocommit {}))
            }
            Self::OpenCursor { stream_id, cursor_id, batch } => {
                Stream(stream_id, OpenCursor(cursor_id, batch))
            }
            Self::FetchCursor { cursor_id, max_count } => {
                Target::Cursor(cursor_id, FetchCursor(cursor_id, max_count))
            }
            Self::CloseCursor { cursor_id } => Target::Cursor(cursor_id, CloseCursor(cursor_id)),
            Self::StoreSql { sql_id, sql } => Target::StoreSql(sql_id, sql),
            Self::CloseSql { sql_id } => Target::CloseSql(sql_id),
            Self::SubscribeChanges(place) => Target::Subscribe(place),
            Self::UnsubscribeChanges {} => Target::Unsubscribe,
        }
    }
}
