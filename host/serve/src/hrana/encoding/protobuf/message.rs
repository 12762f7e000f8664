//! What clients send over a WebSocket, in Protocol Buffers.

use prost::{Message, Oneof};

use super::requests::{self, Batch, Id, Result, Stmt, StoreSql};
use crate::hrana::message::{self, OnStream, Place, SocketRequest};

/// A message of a WebSocket.
#[derive(Message)]
pub struct ClientMessage {
    #[prost(oneof = "Content", tags = "1, 2")]
    content: Option<Content>,
}

#[derive(Oneof)]
enum Content {
    #[prost(message, tag = "1")]
    Hello(Hello),
    #[prost(message, tag = "2")]
    Request(Numbered),
}

#[derive(Message)]
struct Hello {
    #[prost(string, optional, tag = "1")]
    jwt: Option<String>,
}

#[derive(Message)]
struct Numbered {
    #[prost(int32, tag = "1")]
    request_id: i32,
    #[prost(oneof = "SocketWork", tags = "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 100, 101")]
    work: Option<SocketWork>,
}

#[derive(Oneof)]
enum SocketWork {
    #[prost(message, tag = "2")]
    OpenStream(Id),
    #[prost(message, tag = "3")]
    CloseStream(Id),
    #[prost(message, tag = "4")]
    Execute(ExecuteOn),
    #[prost(message, tag = "5")]
    Batch(BatchOn),
    #[prost(message, tag = "6")]
    OpenCursor(OpenCursor),
    #[prost(message, tag = "7")]
    CloseCursor(Id),
    #[prost(message, tag = "8")]
    FetchCursor(FetchCursor),
    #[prost(message, tag = "9")]
    Sequence(OnStream),
    #[prost(message, tag = "10")]
    Describe(OnStream),
    #[prost(message, tag = "11")]
    StoreSql(StoreSql),
    #[prost(message, tag = "12")]
    CloseSql(Id),
    #[prost(message, tag = "13")]
    GetAutocommit(Id),
    #[prost(message, tag = "100")]
    SubscribeChanges(Place),
    #[prost(message, tag = "101")]
    UnsubscribeChanges(Nothing),
}

#[derive(Message)]
struct Nothing {}

#[derive(Message)]
struct ExecuteOn {
    #[prost(int32, tag = "1")]
    stream_id: i32,
    #[prost(message, optional, boxed, tag = "2")]
    stmt: Option<Box<Stmt>>,
}

#[derive(Message)]
struct BatchOn {
    #[prost(int32, tag = "1")]
    stream_id: i32,
    #[prost(message, optional, tag = "2")]
    batch: Option<Batch>,
}

#[derive(Message)]
struct OpenCursor {
    #[prost(int32, tag = "1")]
    stream_id: i32,
    #[prost(int32, tag = "2")]
    cursor_id: i32,
    #[prost(message, optional, tag = "3")]
    batch: Option<Batch>,
}

#[derive(Message)]
struct FetchCursor {
    #[prost(int32, tag = "1")]
    cursor_id: i32,
    #[prost(uint32, tag = "2")]
    max_count: u32,
}

impl TryFrom<ClientMessage> for message::Message {
    type Error = &'static str;

    fn try_from(ClientMessage { content }: ClientMessage) -> Result<Self> {
        Ok(match content.ok_or("the message has no content")? {
            Content::Hello(Hello { jwt }) => Self::Hello { jwt },
            Content::Request(Numbered { request_id, work }) => {
                let request = work.ok_or("the message has no request")?.try_into()?;
                Self::Request { request_id, request }
            }
        })
    }
}

impl TryFrom<SocketWork> for SocketRequest {
    type Error = &'static str;

    fn try_from(work: SocketWork) -> Result<Self> {
        Ok(match work {
            SocketWork::OpenStream(Id { id }) => Self::OpenStream { stream_id: id },
            SocketWork::CloseStream(Id { id }) => Self::CloseStream { stream_id: id },
            SocketWork::Execute(ExecuteOn { stream_id, stmt }) => {
                Self::Execute { stream_id, stmt: requests::statement(stmt)? }
            }
            SocketWork::Batch(BatchOn { stream_id, batch }) => {
                Self::Batch { stream_id, batch: requests::batch(batch)? }
            }
            SocketWork::OpenCursor(OpenCursor { stream_id, cursor_id, batch }) => {
                Self::OpenCursor { stream_id, cursor_id, batch: requests::batch(batch)? }
            }
            SocketWork::CloseCursor(Id { id }) => Self::CloseCursor { cursor_id: id },
            SocketWork::FetchCursor(FetchCursor { cursor_id, max_count }) => {
                Self::FetchCursor { cursor_id, max_count }
            }
            SocketWork::Sequence(on) => Self::Sequence(on),
            SocketWork::Describe(on) => Self::Describe(on),
            SocketWork::StoreSql(StoreSql { sql_id, sql }) => Self::StoreSql { sql_id, sql },
            SocketWork::CloseSql(Id { id }) => Self::CloseSql { sql_id: id },
            SocketWork::GetAutocommit(Id { id }) => Self::GetAutocommit { stream_id: id },
            SocketWork::SubscribeChanges(place) => Self::SubscribeChanges(place),
            SocketWork::UnsubscribeChanges(Nothing {}) => Self::UnsubscribeChanges {},
        })
    }
}
