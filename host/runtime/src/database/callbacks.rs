//! Functions, collations and hooks of the program. They run on the program's stack: the component
//! calls them by id, and leaves its own stack (see `fiber`).

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use wire::{InlineValue, Value, Writer, code};

use super::bindings::sqlite_wasm::database::callbacks::Event;
use crate::contract::types::SqlError;

/// A function, collation or hook of the program.
///
/// It may call [`Instance::perform`](super::Instance::perform) of the instance that calls it.
pub trait Callback: Send + Sync {
    /// Called for `event`, with values as `wire` lays them out. They come from the sandbox and
    /// may be anything.
    ///
    /// # Errors
    ///
    /// SQLite's result code and a message, which SQL sees.
    fn call(&self, event: Event, arguments: &[u8]) -> Returned<'_>;
}

/// A value for SQL, or a result code and a message.
pub type Returned<'a> = Result<Value<Cow<'a, [u8]>>, (i32, String)>;

/// Called every few thousand steps of a statement. Returns whether to interrupt it.
pub type OnProgress = Box<dyn FnMut() -> bool + Send>;

/// All callbacks of an instance, by id.
#[derive(Default)]
pub struct Callbacks {
    all: Vec<Option<Arc<dyn Callback>>>,
}

impl Callbacks {
    /// Add a callback and return its id.
    pub fn add(&mut self, callback: Arc<dyn Callback>) -> u32 {
        let number = self.all.iter().position(Option::is_none).unwrap_or(self.all.len());
        match self.all.get_mut(number) {
            Some(place) => *place = Some(callback),
            None => self.all.push(Some(callback)),
        }
        number as u32
    }

    /// The callback with this id.
    pub fn get(&self, number: u32) -> Option<Arc<dyn Callback>> {
        self.all.get(number as usize)?.clone()
    }

    /// Remove the callback with this id.
    pub fn remove(&mut self, number: u32) -> Option<Arc<dyn Callback>> {
        self.all.get_mut(number as usize)?.take()
    }
}

/// The program's reply to a call by the component.
pub enum Answer {
    /// A value of at most 64 bytes.
    Inline(InlineValue),
    /// A value in bytes, or an error.
    Returned(Result<Vec<u8>, SqlError>),
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

/// Call a callback, if there is one.
pub fn answer(callback: Option<&dyn Callback>, event: Event, arguments: &[u8]) -> Answer {
    let Some(callback) = callback else { return failed("there is no such callback") };
    // A panic must not unwind through the component.
    let called = catch_unwind(AssertUnwindSafe(|| callback.call(event, arguments)));
    match called {
        Ok(Ok(value)) => returned(&value),
        Ok(Err((code, message))) => Answer::Returned(Err(SqlError { code, message })),
        Err(_) => failed("the program's function panicked"),
    }
}

fn failed(message: &str) -> Answer {
    Answer::Returned(Err(SqlError { code: code::ERROR, message: message.to_owned() }))
}

fn returned(value: &Value<Cow<'_, [u8]>>) -> Answer {
    let value = value.borrowed();
    InlineValue::new(value, 0).map_or_else(
        || {
            let mut long = Writer::default();
            long.value(value);
            Answer::Returned(Ok(long.0))
        },
        Answer::Inline,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Callback for Echo {
        fn call(&self, _: Event, arguments: &[u8]) -> Returned<'_> {
            match arguments {
                [] => panic!("as a test"),
                [255, ..] => Err((19, "no".to_owned())),
                bytes => Ok(Value::Blob(bytes.to_vec().into())),
            }
        }
    }

    fn call(arguments: &[u8]) -> Answer {
        answer(Some(&Echo), Event::Scalar, arguments)
    }

    fn message(answer: Answer) -> Option<String> {
        match answer {
            Answer::Returned(Err(error)) => Some(error.message),
            _ => None,
        }
    }

    #[test]
    fn results_are_inline_or_long() {
        assert!(matches!(call(&[1; 64]), Answer::Inline(_)));
        assert!(matches!(call(&[1; 65]), Answer::Returned(Ok(long)) if long.len() == 71));
        assert_eq!(message(call(&[255])).as_deref(), Some("no"));
    }

    #[test]
    fn a_panic_and_a_missing_callback_are_errors() {
        assert_eq!(message(call(&[])).as_deref(), Some("the program's function panicked"));
        let missing = message(answer(None, Event::Scalar, &[1]));
        assert_eq!(missing.as_deref(), Some("there is no such callback"));
    }

    #[test]
    fn a_number_is_used_again() {
        let mut callbacks = Callbacks::default();
        let number = callbacks.add(Arc::new(Echo));
        assert_ne!(callbacks.add(Arc::new(Echo)), number);
        assert!(callbacks.remove(number).is_some() && callbacks.remove(number).is_none());
        assert!(callbacks.remove(u32::MAX).is_none() && callbacks.get(number).is_none());
        assert_eq!(callbacks.add(Arc::new(Echo)), number);
    }
}
