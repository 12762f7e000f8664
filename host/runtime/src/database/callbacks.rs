//! Functions, collations and hooks of the program, as the component calls them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wire::{InlineValue, Value, Writer};

use super::bindings::sqlite_wasm::database::callbacks::{Event, Host};
use crate::contract::types::{self, SqlError};

/// `SQLITE_ERROR`.
const SQLITE_ERROR: i32 = 1;

/// A function, collation or hook of the program.
pub trait Callback: Send {
    /// Called for `event`, with values as `wire` lays them out. They come from the sandbox and
    /// may be anything.
    ///
    /// # Errors
    ///
    /// SQLite's result code and a message, which SQL sees.
    fn call(&mut self, event: Event, arguments: &[u8]) -> Result<Value<Vec<u8>>, (i32, String)>;
}

/// All callbacks of an instance, by number.
#[derive(Default)]
pub struct Callbacks {
    all: Vec<Option<Box<dyn Callback>>>,
    pending: Option<Result<Vec<u8>, SqlError>>,
}

impl Callbacks {
    /// Add one, and give it a number.
    pub fn add(&mut self, callback: Box<dyn Callback>) -> u32 {
        let number = self.all.iter().position(Option::is_none).unwrap_or(self.all.len());
        match self.all.get_mut(number) {
            Some(place) => *place = Some(callback),
            None => self.all.push(Some(callback)),
        }
        number as u32
    }

    fn result(
        &mut self,
        number: u32,
        event: Event,
        arguments: &[u8],
    ) -> Result<Value<Vec<u8>>, SqlError> {
        let Some(Some(callback)) = self.all.get_mut(number as usize) else {
            return Err(error("there is no such callback"));
        };
        // A panic must not unwind through the component.
        let called = catch_unwind(AssertUnwindSafe(|| callback.call(event, arguments)));
        let result = called.map_err(|_| error("the program's function panicked"))?;
        result.map_err(|(code, message)| SqlError { code, message })
    }
}

fn error(message: &str) -> SqlError {
    SqlError { code: SQLITE_ERROR, message: message.to_owned() }
}

impl Host for Callbacks {
    fn call(
        &mut self,
        callback: u32,
        event: Event,
        arguments: Vec<u8>,
    ) -> Option<types::InlineValue> {
        let result = self.result(callback, event, &arguments);
        let bytes = result.map(|value| {
            let value = match &value {
                Value::Text(bytes) => Value::Text(&bytes[..]),
                Value::Blob(bytes) => Value::Blob(&bytes[..]),
                Value::Null => Value::Null,
                Value::Integer(integer) => Value::Integer(*integer),
                Value::Real(real) => Value::Real(*real),
            };
            InlineValue::new(value, 0).ok_or_else(|| {
                let mut long = Writer::default();
                long.value(value);
                long.0
            })
        });
        match bytes {
            Ok(Ok(value)) => return Some(value.into()),
            Ok(Err(long)) => self.pending = Some(Ok(long)),
            Err(error) => self.pending = Some(Err(error)),
        }
        None
    }

    fn pending_result(&mut self) -> Result<Vec<u8>, SqlError> {
        self.pending.take().unwrap_or_else(|| Err(error("no result is pending")))
    }

    fn release(&mut self, callback: u32) {
        let released = self.all.get_mut(callback as usize).and_then(Option::take);
        // What a closure owns may panic when it is dropped.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(released)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Callback for Echo {
        fn call(&mut self, _: Event, arguments: &[u8]) -> Result<Value<Vec<u8>>, (i32, String)> {
            match arguments {
                [] => panic!("as a test"),
                [255, ..] => Err((19, "no".to_owned())),
                bytes => Ok(Value::Blob(bytes.to_vec())),
            }
        }
    }

    #[test]
    fn results_are_inline_or_pending() {
        let mut callbacks = Callbacks::default();
        let number = callbacks.add(Box::new(Echo));
        assert!(callbacks.call(number, Event::Scalar, vec![1; 64]).is_some());
        assert!(callbacks.call(number, Event::Scalar, vec![1; 65]).is_none());
        assert_eq!(callbacks.pending_result().map(|bytes| bytes.len()).ok(), Some(71));
        assert!(callbacks.call(number, Event::Scalar, vec![255]).is_none());
        assert_eq!(callbacks.pending_result().map_err(|error| error.code).err(), Some(19));
        assert!(callbacks.pending_result().is_err());
    }

    #[test]
    fn a_panic_is_an_error_and_a_number_is_used_again() {
        let mut callbacks = Callbacks::default();
        let number = callbacks.add(Box::new(Echo));
        assert!(callbacks.call(number, Event::Scalar, Vec::new()).is_none());
        let message = callbacks.pending_result().map_err(|error| error.message).err();
        assert_eq!(message.as_deref(), Some("the program's function panicked"));
        callbacks.release(number);
        callbacks.release(number);
        callbacks.release(u32::MAX);
        assert!(callbacks.call(number, Event::Scalar, vec![1]).is_none());
        assert_eq!(callbacks.add(Box::new(Echo)), number);
    }
}
