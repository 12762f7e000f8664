//! Handles: the caller's names for an extension's tables, cursors, accumulators and functions
//! registered at run time. Each one maps to an id that the extension chose. A handle of an instance
//! that trapped is never valid for the next one.

use std::collections::HashMap;

use wire::code;

use crate::contract::types::{Function, SqlError};

/// Most tables, cursors and accumulators of one extension at once. The component that runs SQL
/// chooses how many there are; SQLite has one accumulator for each group and window in progress,
/// and a cursor for each table of the running statements.
const MAX_HANDLES: usize = 1 << 16;

/// Limit on functions, by name and argument count, that an extension registers on a
/// connection beyond its manifest. `define` registers one for each that the user has saved, some
/// hundreds at most; SQLite keeps them all, and the extension chooses how many there are.
const MAX_LATE_FUNCTIONS: usize = 10_000;

/// Most functions beyond the manifest that one instance has, including those that only tables
/// offer.
const MAX_LATE_IDS: usize = 1 << 18;

/// The message of `SQLITE_FULL` is about the disk; here memory is exhausted.
const EXHAUSTED: i32 = code::NOMEM;

/// The handles of one instance.
#[derive(Debug)]
pub struct Handles {
    /// The generation of the instance, which is part of each handle.
    generation: u32,
    ids: Vec<Option<Known>>,
    free: Vec<u32>,
}

/// The extension's id of an object, and the index of the function that it computes, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    pub id: u32,
    pub function: Option<u32>,
}

/// The lowest bits of a handle are its slot; the others are the generation.
const SLOT_BITS: u32 = 20;

impl Handles {
    /// Handles for the instance of this generation.
    pub fn new(generation: u32) -> Self {
        Self { generation, ids: Vec::new(), free: Vec::new() }
    }

    /// A handle for an object of the extension.
    pub fn add(&mut self, id: Known) -> Result<u32, SqlError> {
        if let Some(slot) = self.free.pop() {
            self.ids[slot as usize] = Some(id);
            return Ok(self.handle(slot));
        }
        if self.ids.len() >= MAX_HANDLES {
            let message = "too many tables, cursors and computations are open".to_owned();
            return Err(SqlError { code: EXHAUSTED, message });
        }
        self.ids.push(Some(id));
        Ok(self.handle(self.ids.len() as u32 - 1))
    }

    /// The object; none if it belonged to an instance that trapped.
    pub fn get(&self, handle: u32) -> Option<Known> {
        self.slot(handle).and_then(|slot| *self.ids.get(slot as usize)?)
    }

    /// Remove a handle, if it is still valid.
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
pub const FIRST_DYNAMIC: u32 = 1 << 16;

/// Functions beyond the manifest: those registered at run time, and those that only tables offer.
/// SQLite keeps their handles longer than the instance lives, so a handle is never given to another
/// function. A function that the next instance registers again keeps its handle.
#[derive(Debug)]
pub struct DynamicFunctions {
    next_handle: u32,
    /// This instance's ids, by handle.
    ids: HashMap<u32, u32>,
    /// The handles of functions that only tables offer, by id.
    offered: HashMap<u32, u32>,
    /// The handles of functions that were registered with SQLite, by their declarations.
    registered: HashMap<String, u32>,
}

impl Default for DynamicFunctions {
    fn default() -> Self {
        Self {
            next_handle: FIRST_DYNAMIC,
            ids: HashMap::new(),
            offered: HashMap::new(),
            registered: HashMap::new(),
        }
    }
}

impl DynamicFunctions {
    /// Register a function with this id of the extension. Returns its handle for SQLite.
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
            return Err(SqlError { code: EXHAUSTED, message });
        }
        let handle = self.fresh(id)?;
        self.registered.insert(key, handle);
        Ok(handle)
    }

    /// A handle for a function, with this id of the extension, that a table offers; the same one
    /// each time.
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
            return Err(SqlError { code: EXHAUSTED, message });
        }
        let handle = self.next_handle;
        self.next_handle = handle.checked_add(1).ok_or_else(exhausted)?;
        self.ids.insert(handle, id);
        Ok(handle)
    }

    /// The extension's id; none if it belonged to an instance that trapped.
    pub fn get(&self, handle: u32) -> Option<u32> {
        self.ids.get(&handle).copied()
    }

    /// The handles of the next instance; those that SQLite has stay valid.
    pub fn next(&mut self) -> Self {
        let registered = std::mem::take(&mut self.registered);
        Self { next_handle: self.next_handle, registered, ..Self::default() }
    }
}

/// Instances have trapped too often: no handle is left.
fn exhausted() -> SqlError {
    let message = "no handle is left for a function; start the program again".to_owned();
    SqlError { code: EXHAUSTED, message }
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
        let mut first = DynamicFunctions::default();
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
        let mut first = DynamicFunctions::default();
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
        let known = Known { id: 7, function: None };
        let handle = first.add(known).unwrap();
        assert_eq!(first.get(handle), Some(known));
        assert_eq!(Handles::new(1).get(handle), None);
        first.remove(handle);
        assert_eq!(first.get(handle), None);
    }
}
