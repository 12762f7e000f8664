//! libSQL's protocol, Hrana 2 and 3: streams of SQL over HTTP and WebSocket.
//!
//! Requests are decoded into [`request`], performed by [`perform`] on the session's thread, and
//! their results encoded there: rows go from SQLite into the reply without a copy in between.

pub mod batch;
pub mod cursor;
pub mod encoding;
pub mod group;
pub mod http;
pub mod message;
pub mod perform;
pub mod reply;
pub mod request;
pub mod response;
pub mod streams;
pub mod texts;
pub mod websocket;
