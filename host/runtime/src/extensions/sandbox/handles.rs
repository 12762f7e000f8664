//! Handles: what the caller knows an extension's tables, cursors, computations and late
//! functions by, each of which stands for an id that the extension chose. One of an
//! instance that trapped is never mistaken for one of the next.

use std::collections::HashMap;

use crate::contract::types::{Function, SqlError};

/// Most tables, cursors and computations of one extension at once. The
/// component that runs SQL chooses how many there are; SQLite has one
/// computation for each group and window that it is in, and a cursor for each
/// table of the statements that run.
const MAX_HANDLES: usize = 1 << 16;

/// Most functions, by their names and ids of arguments, that an extension
/// registers on a connection beyond its manifest. `define` has one for each that
/// a person has saved, some hundreds at most; SQLite keeps them all, and the
/// extension chooses how many there are.
const MAX_LATE_FUNCTIONS: usize = 10_000;

/// Most functions beyond the manifest that one instance has, with those that only tables
/// offer.
const MAX_LATE_IDS: usize = 1 << 18;

/// `SQLITE_FULL` would speak of the disk; this is memory.
const SQLITE_NOMEM: i32 = 7;

/// The handles of one instance.
#[derive(Debug)]
pub struct Handles {
    /// Which instance this is; part of each handle.
    generation: u32,
    ids: Vec<Option<u32>>,
    free: Vec<u32>,
}

/// Bits of a handle that are its slot; the rest is the generation.
const SLOT_BITS: u32 = 20;

impl Handles {
    /// For the instance `generation`.
    pub fn new(generation: u32) -> Self {
        Self { generation, ids: Vec::new(), free: Vec::new() }
    }

    /// A handle for the extension's own `id`.
    pub fn add(&mut self, id: u32) -> Result<u32, SqlError> {
        if let Some(slot) = self.free.pop() {
            self.ids[slot as usize] = Some(id);
            return Ok(self.handle(slot));
        }
        if self.ids.len() >= MAX_HANDLES {
            let message = "too many tables, cursors and computations are open".to_owned();
            return Err(SqlError { code: SQLITE_NOMEM, message });
        }
        self.ids.push(Some(id));
        Ok(self.handle(self.ids.len() as u32 - 1))
    }

    /// The extension's own id; none when it belonged to an instance that
    /// trapped.
    pub fn get(&self, handle: u32) -> Option<u32> {
        self.slot(handle).and_then(|slot| *self.ids.get(slot as usize)?)
    }

    /// It ends; nothing happens when it has ended already.
    pub fn remove(&mut self, handle: u32) {
        let slot = self.slot(handle).and_then(|slot| {
            let id = self.ids.get_mut(slot as usize)?;
            id.take().map(|_| slot)
        });
        self.free.extend(slot);
    }

    fn handle(&self, slot: u32) -> u32 {
        self.generation << SLOT_BITS | slot
    }

    fn slot(&self, handle: u32) -> Option<u32> {
        let is_ours = handle >> SLOT_BITS == self.generation << SLOT_BITS >> SLOT_BITS;
        is_ours.then_some(handle & ((1 << SLOT_BITS) - 1))
    }
}

/// The caller's first handle of a function beyond the manifest, which has no more than
/// [`MAX_REGISTRATIONS`](crate::contract::check::MAX_REGISTRATIONS): functions of the
/// manifest are known by their index.
pub const FIRST_LATE: u32 = 1 << 16;

/// Functions beyond the manifest: those that were registered at run time, and those that
/// only tables offer. SQLite keeps their handles longer than the instance lives, so none
/// is ever given to another function. A function that the next instance registers again
/// has the handle that it had.
#[derive(Debug)]
pub struct LateFunctions {
    next_handle: u32,
    /// The ids that this instance has for handles.
    ids: HashMap<u32, u32>,
    /// The handles of those that only tables offer, by their ids.
    offered: HashMap<u32, u32>,
    /// The handles of those that SQLite was given, by what they are.
    registered: HashMap<String, u32>,
}

impl Default for LateFunctions {
    fn default() -> Self {
        Self {
            next_handle: FIRST_LATE,
            ids: HashMap::new(),
            offered: HashMap::new(),
            registered: HashMap::new(),
        }
    }
}

impl LateFunctions {
    /// A handle for the extension's own `id` of a function for SQLite.
    pub fn register(&mut self, id: u32, function: &Function) -> Result<u32, SqlError> {
        let Function { name, arguments, encoding, flags, risk, .. } = function;
        let lower = name.to_ascii_lowercase();
        let key = format!("{lower} {arguments} {encoding:?} {flags:?} {risk:?}");
        if let Some(handle) = self.registered.get(&key) {
            self.ids.insert(*handle, id);
            return Ok(*handle);
        }
        if self.registered.len() >= MAX_LATE_FUNCTIONS {
            let message = format!(
                "cannot register `{name}`: an extension may register {MAX_LATE_FUNCTIONS} functions on a \
                 connection"
            );
            return Err(SqlError { code: SQLITE_NOMEM, message });
        }
        let handle = self.fresh(id)?;
        self.registered.insert(key, handle);
        Ok(handle)
    }

    /// A handle for the extension's own `id` of a function that a table offers, the same
    /// one each time.
    pub fn offer(&mut self, id: u32) -> Result<u32, SqlError> {
        if let Some(handle) = self.offered.get(&id) {
            return Ok(*handle);
        }
        let handle = self.fresh(id)?;
        self.offered.insert(id, handle);
        Ok(handle)
    }

    fn fresh(&mut self, id: u32) -> Result<u32, SqlError> {
        if self.ids.len() >= MAX_LATE_IDS {
            let message = "too many functions are registered".to_owned();
            return Err(SqlError { code: SQLITE_NOMEM, message });
        }
        let handle = self.next_handle;
        self.next_handle = handle.checked_add(1).ok_or_else(exhausted)?;
        self.ids.insert(handle, id);
        Ok(handle)
    }

    /// The extension's own id; none when only an instance that trapped had it.
    pub fn get(&self, handle: u32) -> Option<u32> {
        self.ids.get(&handle).copied()
    }

    /// Those of the next instance; what SQLite was given it still has.
    pub fn next(&mut self) -> Self {
        let registered = std::mem::take(&mut self.registered);
        Self { next_handle: self.next_handle, registered, ..Self::default() }
    }
}

/// Instances have trapped so often that no handle is left.
fn exhausted() -> SqlError {
    let message = "no handle is left for a function; start the program again".to_owned();
    SqlError { code: SQLITE_NOMEM, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::types::generated::{FunctionFlags, FunctionKind, Risk, TextEncoding};

    fn function(name: &str) -> Function {
        Function {
            name: name.to_owned(),
            arguments: 1,
            kind: FunctionKind::Scalar,
            encoding: TextEncoding::Utf8,
            flags: FunctionFlags::empty(),
            risk: Risk::Innocuous,
        }
    }

    #[test]
    fn functions_of_a_broken_instance_are_none() {
        let mut first = LateFunctions::default();
        let (one, two) = (first.offer(7).unwrap(), first.offer(8).unwrap());
        assert_eq!(
            (first.offer(7).unwrap(), first.get(one), first.get(two)),
            (one, Some(7), Some(8))
        );
        let mut next = first.next();
        let again = next.offer(7).unwrap();
        assert_eq!((next.get(one), next.get(again), first.get(again)), (None, Some(7), None));
    }

    #[test]
    fn a_function_that_is_registered_again_keeps_its_handle() {
        let mut first = LateFunctions::default();
        let (a, b) = (first.register(1, &function("a")), first.register(2, &function("B")));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!(first.register(3, &function("A")).unwrap(), a);
        assert_eq!((first.get(a), first.get(b)), (Some(3), Some(2)));
        let mut next = first.next();
        assert_eq!((next.get(a), next.get(b)), (None, None));
        assert_eq!(next.register(1, &function("b")).unwrap(), b);
        assert_eq!((next.get(a), next.get(b)), (None, Some(1)));
        let other = Function { arguments: 2, ..function("a") };
        assert!(![a, b].contains(&next.register(1, &other).unwrap()));
    }

    #[test]
    fn handles_of_a_broken_instance_are_none() {
        let mut first = Handles::new(0);
        let handle = first.add(7).unwrap();
        assert_eq!(first.get(handle), Some(7));
        assert_eq!(Handles::new(1).get(handle), None);
        first.remove(handle);
        assert_eq!(first.get(handle), None);
    }
}
