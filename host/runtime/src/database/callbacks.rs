//! Callbacks of the program. They run on the program's stack: the component calls them by id, and
//! leaves its own stack (see `fiber`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What SQLite calls outside the sandbox for a connection: hooks, functions, collations and
/// other objects of the program.
///
/// It may call [`Instance::perform`](super::Instance::perform) of the instance that calls it.
pub trait Callback: Send + Sync {
    /// Called with an event and its arguments, as [`wire::Event`] describes them. They come from the
    /// sandbox and may be anything. Writes the reply into `reply`, which is empty before; it stays
    /// empty for a failure without a reply.
    fn call(&self, arguments: &[u8], reply: &mut Vec<u8>);
}

/// Called every few thousand steps of a statement. Returns whether to interrupt it.
pub type OnProgress = Box<dyn FnMut() -> bool + Send>;

/// The program's answer to a message of the component.
pub enum Answer {
    /// The reply of a callback.
    Reply(Vec<u8>),
    /// Whether to interrupt the statement.
    Interrupt(bool),
    /// Operations that the callback needs before it returns.
    Request {
        /// The connection.
        connection: u32,
        /// The operations.
        operations: Vec<u8>,
    },
}

/// Call a callback, if there is one, and write its reply.
pub fn answer(callback: Option<&Arc<dyn Callback>>, arguments: &[u8], reply: &mut Vec<u8>) {
    reply.clear();
    let Some(callback) = callback else { return };
    // A panic must not unwind through the component.
    if catch_unwind(AssertUnwindSafe(|| callback.call(arguments, reply))).is_err() {
        reply.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Callback for Echo {
        fn call(&self, arguments: &[u8], reply: &mut Vec<u8>) {
            reply.extend_from_slice(arguments);
            assert!(!arguments.is_empty(), "as a test");
        }
    }

    fn called(callback: Option<&Arc<dyn Callback>>, arguments: &[u8]) -> Vec<u8> {
        let mut reply = vec![7];
        answer(callback, arguments, &mut reply);
        reply
    }

    #[test]
    fn a_panic_and_a_missing_callback_have_no_reply() {
        let echo: Arc<dyn Callback> = Arc::new(Echo);
        assert_eq!(called(Some(&echo), &[1, 2]), [1, 2]);
        assert!(called(Some(&echo), &[]).is_empty());
        assert!(called(None, &[1]).is_empty());
    }
}
