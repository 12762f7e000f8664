//! How replies are written.

mod json;
mod protobuf;

use axum::extract::ws::Message as Frame;
use sqlite_wasm::Row;
use sqlite_wasm::types::ValueRef;

use super::message::Message;
use super::request::{Cursor, Pipeline};
use super::response::{Reply, Response, StmtResult};
use crate::session::error::Failure;

/// The encodings of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Json,
    Protobuf,
}

/// The values of a row.
fn values<'a>(row: &'a Row<'_>) -> impl Iterator<Item = ValueRef<'a>> {
    (0..).map_while(|index: usize| row.get_ref(index).ok())
}

/// A part of a cursor's reply.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A step begins; of its result only the columns are known.
    StepBegin(u32, &'a StmtResult),
    /// The step ends.
    StepEnd(&'a StmtResult),
    /// The step failed.
    StepError(u32, &'a Failure),
    /// The batch failed.
    Error(&'a Failure),
}

impl Encoding {
    /// The content type of replies.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/x-protobuf",
        }
    }

    /// A reply as a frame of a WebSocket.
    pub fn frame(self, reply: Vec<u8>) -> Frame {
        match self {
            // It is UTF-8: written by `json` from texts.
            Self::Json => Frame::Text(String::from_utf8(reply).unwrap_or_default().into()),
            Self::Protobuf => Frame::Binary(reply.into()),
        }
    }

    /// The message in a frame; none where the type of the frame is wrong.
    pub fn content(self, frame: Frame) -> Option<Vec<u8>> {
        match (self, frame) {
            (Self::Json, Frame::Text(text)) => Some(text.as_bytes().to_vec()),
            (Self::Protobuf, Frame::Binary(bytes)) => Some(bytes.into()),
            _ => None,
        }
    }

    /// Append a row to the rows of a result.
    pub fn row(self, rows: &mut Vec<u8>, row: &Row<'_>) {
        match self {
            Self::Json => json::row(rows, row),
            Self::Protobuf => protobuf::row(rows, row),
        }
    }

    /// Decode the body of a pipeline.
    ///
    /// # Errors
    ///
    /// With what is wrong.
    pub fn pipeline_request(self, bytes: &[u8]) -> Result<Pipeline, String> {
        match self {
            Self::Json => json::decoded(bytes),
            Self::Protobuf => protobuf::pipeline(bytes),
        }
    }

    /// Decode the body of a cursor.
    ///
    /// # Errors
    ///
    /// With what is wrong.
    pub fn cursor_request(self, bytes: &[u8]) -> Result<Cursor, String> {
        match self {
            Self::Json => json::decoded(bytes),
            Self::Protobuf => protobuf::cursor(bytes),
        }
    }

    /// Decode a message of a WebSocket.
    ///
    /// # Errors
    ///
    /// With what is wrong.
    pub fn message(self, bytes: &[u8]) -> Result<Message, String> {
        match self {
            Self::Json => json::decoded(bytes),
            Self::Protobuf => protobuf::message(bytes),
        }
    }

    /// The reply to `hello`.
    pub fn hello(self, result: Result<(), &Failure>) -> Vec<u8> {
        match self {
            Self::Json => json::hello(result),
            Self::Protobuf => protobuf::hello(result),
        }
    }

    /// The reply to a request over a WebSocket.
    pub fn reply(self, request: i32, result: &Result<Reply, Failure>) -> Vec<u8> {
        match self {
            Self::Json => json::reply(request, result),
            Self::Protobuf => protobuf::reply(request, result),
        }
    }

    /// The reply to a pipeline.
    pub fn pipeline(self, baton: Option<&str>, results: &[Result<Response, Failure>]) -> Vec<u8> {
        match self {
            Self::Json => json::pipeline(baton, results),
            Self::Protobuf => protobuf::pipeline_reply(baton, results),
        }
    }

    /// The beginning of a cursor's reply.
    pub fn cursor(self, baton: Option<&str>) -> Vec<u8> {
        match self {
            Self::Json => json::cursor(baton),
            Self::Protobuf => protobuf::cursor_head(baton),
        }
    }

    /// Append an entry to a cursor's reply.
    pub fn entry(self, out: &mut Vec<u8>, entry: &Entry) {
        match self {
            Self::Json => json::entry(out, entry),
            Self::Protobuf => protobuf::entry(out, entry),
        }
    }

    /// Append an entry to a cursor's reply over HTTP.
    pub fn framed_entry(self, out: &mut Vec<u8>, entry: &[u8]) {
        match self {
            Self::Json => json::line(out, entry),
            Self::Protobuf => protobuf::framed(out, entry),
        }
    }

    /// Append a row to a cursor's reply.
    pub fn row_entry(self, out: &mut Vec<u8>, row: &Row<'_>) {
        match self {
            Self::Json => json::row_entry(out, row),
            Self::Protobuf => protobuf::row_entry(out, row),
        }
    }
}
