//! Messages between the program and the fiber of an instance.

use std::time::Instant;

use anyhow::Result;

use super::callbacks::Answer;
use super::failure::{Failure, Reason};

/// A message from the program to the fiber.
pub enum Input {
    /// Start the instance.
    Start,
    /// Perform operations.
    Perform(Box<Call>),
    /// The program's answer to an event.
    Answer(Answer),
    /// End the instance.
    End,
}

/// A message from the fiber to the program.
pub enum Output {
    /// The instance was started, or why not.
    Started(Result<()>),
    /// A call has ended.
    Performed(Box<Call>),
    /// The instance has trapped, with this message, and for this reason if it had to end.
    Trapped(String, Option<Reason>),
    /// A call of the program.
    Event {
        /// The id of the callback.
        callback: u32,
        /// Its arguments.
        arguments: Vec<u8>,
    },
    /// Should the statement be interrupted?
    Progress,
    /// The reply to a request of a callback, which continues.
    Reply(Result<Vec<u8>, Failure>),
}

impl Output {
    /// Whether the component waits for work, and not for the program's reply.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Started(_) | Self::Performed(..) | Self::Trapped(..))
    }
}

/// A call and its reply. An instance uses the same memory for each call, and a pointer to it crosses
/// the stacks: each copy of it would cost about 20 ns.
pub struct Call {
    pub connection: u32,
    pub operations: Vec<u8>,
    /// The end of the statement's time.
    pub statement_end: Option<Instant>,
    pub result: Result<(), Failure>,
    pub reply: Vec<u8>,
}

impl Default for Call {
    fn default() -> Self {
        let (operations, reply) = (Vec::new(), Vec::new());
        Self { connection: 0, operations, statement_end: None, result: Ok(()), reply }
    }
}
