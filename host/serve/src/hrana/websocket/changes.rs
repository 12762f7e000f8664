//! The feed of changes on a WebSocket, for a client that subscribes: others end the connection at messages that reply
//! to nothing.

use axum::extract::ws::Message as Frame;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::Client;
use super::stream::Context;
use crate::events::{Events, KEEP_ALIVE, Told};
use crate::hrana::message::Place;
use crate::hrana::reply::{Reply, SocketMessage};
use crate::hrana::response::Empty;
use crate::session::error::{Error, Result};

/// Reports changes to a client, until it is dropped.
pub struct Changes {
    alive: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Changes {
    /// Report nothing any more.
    pub async fn end(self) {
        drop(self.alive);
        // It ends as soon as the sender is gone.
        let _ = self.task.await;
    }
}

impl Client {
    /// Whether it is subscribed to changes.
    pub(super) fn is_subscribed(&self) -> bool {
        self.changes.as_ref().is_some_and(|changes| !changes.task.is_finished())
    }

    /// Report changes to the client from now on, after the reply to the request.
    pub(super) async fn subscribe(
        &mut self,
        context: Context,
        request: i32,
        from: Place,
    ) -> Result<Option<Reply>> {
        if self.is_subscribed() {
            return Err(Error::Order("the connection is subscribed to changes already"));
        }
        let server = context.server.clone();
        let subscription = server.subscriptions.take(&context.client.user.name);
        let subscription = subscription.ok_or_else(|| {
            server.metrics.refused();
            Error::Full
        })?;
        let after = from.last_event_id;
        let named = &context.client.named;
        let events = Events::open(&server, named, subscription, after.as_deref()).await?;
        let (alive, ended) = oneshot::channel();
        let task = tokio::spawn(async move {
            tokio::select! {
                biased;
                _ = ended => (),
                () = tell(context, request, events) => (),
            }
        });
        self.changes = Some(Changes { alive, task });
        Ok(None)
    }
}

impl Context {
    fn frame(&self, event: Told) -> Frame {
        self.encoding.frame(self.encoding.encoded(&SocketMessage::changes(event)))
    }
}

async fn tell(context: Context, request: i32, mut events: Events) {
    let mut is_sent = context.reply(request, Ok(Reply::SubscribeChanges(Empty {}))).await;
    while is_sent {
        let frame = tokio::select! {
            event = events.next() => match event {
                Some(event) => context.frame(event),
                None => {
                    // A connection that is still there would wait for more.
                    let (id, data) = (String::new(), "{}".to_owned());
                    let _ = context.out.send(context.frame(Told { kind: "end", id, data })).await;
                    return;
                }
            },
            // So a client that is gone is noticed.
            () = sleep(KEEP_ALIVE) => Frame::Ping(Default::default()),
        };
        is_sent = context.out.send(frame).await.is_ok();
    }
}
