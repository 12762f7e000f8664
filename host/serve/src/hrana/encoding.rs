//! How requests are read and replies written.

mod json;
mod protobuf;

use axum::extract::ws::Message as Frame;
use serde::Serialize;
use sqlite_sandbox::Row;
use sqlite_sandbox::types::ValueRef;

use super::message::Message;
use super::request::{Cursor, Pipeline};
use super::response::{Column, StepResult};
use crate::session::connection::Changes;

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

    /// The message in a frame; `None` if the type of the frame is wrong.
    pub fn content(self, frame: Frame) -> Option<Vec<u8>> {
        match (self, frame) {
            (Self::Json, Frame::Text(text)) => Some(text.as_bytes().to_vec()),
            (Self::Protobuf, Frame::Binary(bytes)) => Some(bytes.into()),
            _ => None,
        }
    }

    /// Append a message.
    pub fn write(self, out: &mut Vec<u8>, message: &(impl Serialize + prost::Message)) {
        match self {
            Self::Json => json::write(out, message),
            Self::Protobuf => protobuf::write(out, message),
        }
    }

    /// A message.
    pub fn encoded(self, message: &(impl Serialize + prost::Message)) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out, message);
        out
    }

    /// Begin the result of a statement; rows follow.
    pub fn begin_result(self, out: &mut Vec<u8>, columns: Vec<Column>) {
        match self {
            Self::Json => json::begin(out, &columns),
            Self::Protobuf => protobuf::begin(out, columns),
        }
    }

    /// Append a row to the result of a statement.
    pub fn row(self, out: &mut Vec<u8>, row: &Row<'_>) {
        match self {
            Self::Json => json::row(out, row),
            Self::Protobuf => protobuf::row(out, row),
        }
    }

    /// End the result of a statement.
    pub fn end_result(self, out: &mut Vec<u8>, changes: Changes) {
        match self {
            Self::Json => json::end(out, changes),
            Self::Protobuf => protobuf::end(out, changes),
        }
    }

    /// The result of a batch.
    pub fn batch(self, steps: Vec<StepResult>) -> Vec<u8> {
        match self {
            Self::Json => json::batch(&steps),
            Self::Protobuf => protobuf::batch(steps),
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

    /// Append a part of a cursor's reply over HTTP.
    pub fn framed(self, out: &mut Vec<u8>, entry: &[u8]) {
        match self {
            Self::Json => json::line(out, entry),
            Self::Protobuf => protobuf::framed(out, entry),
        }
    }

    /// Append a row as an entry of a cursor's reply.
    pub fn row_entry(self, out: &mut Vec<u8>, row: &Row<'_>) {
        match self {
            Self::Json => json::row_entry(out, row),
            Self::Protobuf => protobuf::row_entry(out, row),
        }
    }
}
