//! What is sent over a WebSocket, in its order.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message as Frame, WebSocket};
use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use tokio::sync::{mpsc, oneshot};

use super::end::{End, TOO_LONG};

/// Time for a client to read why its message was too long: what it still sends would reset the connection.
const FAREWELL_TIME: Duration = Duration::from_secs(1);

/// Send replies until there are no more, and then why the connection ends.
pub async fn write(
    mut sink: SplitSink<WebSocket, Frame>,
    mut replies: mpsc::Receiver<Frame>,
    closing: oneshot::Receiver<End>,
) {
    while let Some(reply) = replies.recv().await {
        if sink.send(reply).await.is_err() {
            return;
        }
    }
    if let Ok(End(code, reason)) = closing.await {
        let frame = CloseFrame { code, reason: reason.into() };
        // A client that is gone needs no farewell.
        let _ = sink.send(Frame::Close(Some(frame))).await;
        if code == TOO_LONG {
            tokio::time::sleep(FAREWELL_TIME).await;
        }
    }
}
