//! The reply of a cursor, which is sent while it is made.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::Request as HttpRequest;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use tokio::sync::mpsc::Receiver;

use super::{Name, Shared};
use crate::hrana::cursor;
use crate::hrana::encoding::Encoding;
use crate::hrana::group::Group;
use crate::hrana::perform::Performer;
use crate::hrana::request::Cursor;
use crate::hrana::response;
use crate::http::Refused;
use crate::metrics::Metrics;

/// Run a batch with a cursor.
pub async fn reply(
    shared: Shared,
    name: Name,
    sent: HttpRequest,
    encoding: Encoding,
) -> Result<Response, Refused> {
    let (head, sent) = sent.into_parts();
    let (Cursor { batch, .. }, stream, room) = shared
        .begin(&head, name, sent, |bytes| {
            let cursor = encoding.cursor_request(bytes)?;
            Ok((cursor.baton.clone(), cursor))
        })
        .await?;
    let performer = Performer::new(stream.texts.clone(), encoding, u64::MAX);
    let time = shared.listener.server.limits.transaction;
    let groups = cursor::start(&stream.session, performer, (batch, room), time).await?;
    // The next request on the stream waits until the batch is over.
    let baton = shared.streams.keep(stream)?;
    let begin = encoding.encoded(&response::Cursor { baton: Some(baton), base_url: None });
    let mut head = Vec::new();
    encoding.framed(&mut head, &begin);
    let head = Some(head.into());
    let metrics = shared.listener.server.metrics.clone();
    let reply = Body::new(Reply { head, groups, encoding, metrics });
    Ok(([(header::CONTENT_TYPE, encoding.content_type())], reply).into_response())
}

struct Reply {
    metrics: Arc<Metrics>,
    head: Option<Bytes>,
    groups: Receiver<Group>,
    encoding: Encoding,
}

impl http_body::Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(head) = self.head.take() {
            self.metrics.replied(head.len());
            return Poll::Ready(Some(Ok(Frame::data(head))));
        }
        let encoding = self.encoding;
        let metrics = self.metrics.clone();
        self.groups.poll_recv(context).map(|group| {
            let group = group?;
            let mut chunk = Vec::new();
            group.entries().for_each(|entry| encoding.framed(&mut chunk, entry));
            metrics.replied(chunk.len());
            Some(Ok(Frame::data(chunk.into())))
        })
    }
}
