//! Messages between the program and the fiber of an instance.

use std::time::Instant;

use anyhow::Result;
use wasmtime::component::{ComponentType, Lower};

use super::bindings::sqlite_wasm::database::callbacks::Event;
use super::callbacks::Answer;
use super::failure::Failure;

/// Longest operations in registers, in bytes; see `connections.inline-operations`.
const MAX_INLINE_BYTES: usize = 96;

/// A message from the program to the fiber.
pub enum Input {
    /// Start the instance.
    Start,
    /// Perform operations.
    Perform(Perform),
    /// The program's reply to an event.
    Answer(Answer),
    /// End the instance.
    End,
}

/// A message from the fiber to the program.
pub enum Output {
    /// The instance was started, or why not.
    Started(Result<()>),
    /// A call has ended: its result, and the buffer for the reply.
    Performed(Result<(), Failure>, Vec<u8>),
    /// The instance has trapped, with this message.
    Trapped(String),
    /// A call of the program.
    Event {
        /// The number of the callback.
        callback: u32,
        /// The event.
        event: Event,
        /// Its arguments.
        arguments: Vec<u8>,
    },
    /// Should the statement be interrupted?
    Progress,
    /// SQLite no longer needs this callback.
    Released(u32),
    /// The reply to a request of a callback, which continues.
    Reply(Result<Vec<u8>, Failure>),
}

impl Output {
    /// Whether the component waits for work, and not for the program's reply.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Started(_) | Self::Performed(..) | Self::Trapped(_))
    }
}

/// A call.
pub struct Perform {
    pub connection: u32,
    pub operations: Operations,
    /// Memory for the reply.
    pub reply: Vec<u8>,
    /// The end of the statement's time.
    pub statement_end: Option<Instant>,
}

/// Operations for the component.
pub enum Operations {
    Few(InlineOperations),
    Many(Vec<u8>),
}

/// Operations of at most 96 bytes.
#[derive(ComponentType, Lower)]
#[component(record)]
pub struct InlineOperations {
    length: u32,
    words: Words,
}

type Words = (u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64);

impl From<&[u8]> for Operations {
    /// As words, if there are few enough bytes.
    fn from(operations: &[u8]) -> Self {
        let mut bytes = [0; MAX_INLINE_BYTES];
        let Some(room) = bytes.get_mut(..operations.len()) else {
            return Self::Many(operations.to_vec());
        };
        room.copy_from_slice(operations);
        let (words, _) = bytes.as_chunks();
        let word = |index: usize| u64::from_le_bytes(words[index]);
        let words = (
            word(0),
            word(1),
            word(2),
            word(3),
            word(4),
            word(5),
            word(6),
            word(7),
            word(8),
            word(9),
            word(10),
            word(11),
        );
        Self::Few(InlineOperations { length: operations.len() as u32, words })
    }
}
