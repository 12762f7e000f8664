//! The functions and collations of a connection, by the ids that SQLite calls them by.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use runtime::database::wire::{Event, Reader, Writer, code};

use crate::error::{Error, Result};

/// A function, which SQLite calls with arguments that can be any bytes.
pub trait Called: Send {
    /// Called for an event of functions, with what follows the function's id. Writes what follows the
    /// code in the reply; see [`Event`].
    fn call(&mut self, event: Event, from: &mut Reader, reply: &mut Writer) -> Result<()>;
}

/// The order of two texts.
pub type Compare = dyn FnMut(&[u8], &[u8]) -> Ordering + Send;

/// What the program registers.
pub enum Object {
    Function(Box<dyn Called>),
    Collation(Box<Compare>),
}

/// The objects, by id; the id of one that was removed is used again.
#[derive(Default)]
pub struct Registered(Mutex<Vec<Option<Arc<Mutex<Object>>>>>);

impl Registered {
    fn all(&self) -> MutexGuard<'_, Vec<Option<Arc<Mutex<Object>>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Add an object. Returns its id.
    pub fn add(&self, object: Object) -> u32 {
        let object = Some(Arc::new(Mutex::new(object)));
        let mut all = self.all();
        let id = all.iter().position(Option::is_none).unwrap_or(all.len());
        match all.get_mut(id) {
            Some(free) => *free = object,
            None => all.push(object),
        }
        id as u32
    }

    /// Remove the object with this id, which SQLite does not call any more.
    pub fn remove(&self, id: u32) {
        let removed = self.all().get_mut(id as usize).and_then(Option::take);
        // Values that a closure owns may panic when they are dropped.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(removed)));
    }

    /// Call a function.
    pub fn call(&self, event: Event, from: &mut Reader, reply: &mut Writer) -> Result<()> {
        self.with(from.u32()?, |object| match object {
            Object::Function(function) => function.call(event, from, reply),
            Object::Collation(_) => Err(Error::MalformedReply),
        })
    }

    /// Compare two texts by a collation; after a failure by their bytes.
    pub fn compare(&self, from: &mut Reader) -> i32 {
        let (Ok(id), Ok(left), Ok(right)) = (from.u32(), from.bytes(), from.bytes()) else {
            return 0;
        };
        let order = self.with(id, |object| match object {
            Object::Collation(compare) => Ok(compare(left, right)),
            Object::Function(_) => Err(Error::MalformedReply),
        });
        order.unwrap_or_else(|_| left.cmp(right)) as i32
    }

    /// Use an object, one call at a time. The list is not locked meanwhile: the object may register
    /// others.
    fn with<T>(&self, id: u32, call: impl FnOnce(&mut Object) -> Result<T>) -> Result<T> {
        let object = self.all().get(id as usize).cloned().flatten();
        let object = object.ok_or(Error::MalformedReply)?;
        let mut object = match object.try_lock() {
            Ok(object) => object,
            Err(TryLockError::Poisoned(object)) => object.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let message = "the program's function is called by its own SQL";
                return Err(Error::sqlite(code::MISUSE, message));
            }
        };
        let called = catch_unwind(AssertUnwindSafe(|| call(&mut object)));
        called
            .unwrap_or_else(|_| Err(Error::sqlite(code::ERROR, "the program's function panicked")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(id: u32) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u32(id);
        writer.bytes(b"a");
        writer.bytes(b"b");
        writer.0
    }

    #[test]
    fn an_id_is_used_again() {
        let all = Registered::default();
        let first = all.add(Object::Collation(Box::new(|a, b| b.cmp(a))));
        let second = all.add(Object::Collation(Box::new(|_, _| panic!("as a test"))));
        let compare = |id| all.compare(&mut Reader(&texts(id)));
        assert_eq!((compare(first), compare(second), compare(9)), (1, -1, -1));
        all.remove(first);
        assert_eq!(compare(first), -1);
        all.remove(first);
        all.remove(u32::MAX);
        assert_eq!(all.add(Object::Collation(Box::new(|a, b| b.cmp(a)))), first);
        assert_eq!(all.compare(&mut Reader(&[1])), 0);
        let function = all.call(Event::Scalar, &mut Reader(&texts(first)), &mut Writer::default());
        assert!(function.is_err(), "a collation is not a function");
    }
}
