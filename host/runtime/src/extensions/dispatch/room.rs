//! Results and requests that are larger than what is always left in the caller's memory. What the host
//! allocates there cannot be refused: without memory the caller traps. So the host keeps them, and
//! first requests room for them, as an extension requests SQL.

use std::any::Any;

use wire::room::{MAX_UNASKED, ask};

use super::super::ExtensionsView;
use crate::contract::bindings::sqlite_wasm::extension::table_types::{
    Batch, Connected, IndexPlan, Overload,
};
use crate::contract::bindings::sqlite_wasm::host::dispatch::{Request, Unfinished};
use crate::contract::types::{Output, Value};
use crate::extensions::sandbox::{Answer, Held, another_type};

/// What each block takes in addition to its content, in bytes.
const BLOCK_BYTES: usize = 32;

/// The result of a call.
pub trait Returned: Send + 'static {
    /// What it takes in the caller's memory besides its fields, in bytes.
    fn bytes(&self) -> usize {
        0
    }
}

impl Returned for () {}
impl Returned for u32 {}
impl Returned for i64 {}
impl Returned for Option<Overload> {}

impl Returned for Output {
    fn bytes(&self) -> usize {
        bytes(&self.value)
    }
}

impl Returned for Batch {
    fn bytes(&self) -> usize {
        let contents: usize = self.values.iter().map(bytes).sum();
        contents
            + size_of_val(&*self.row_ids)
            + self.values.len() * BLOCK_BYTES
            + self.subtypes.len()
    }
}

impl Returned for Connected {
    fn bytes(&self) -> usize {
        self.declaration.len()
    }
}

impl Returned for Option<IndexPlan> {
    fn bytes(&self) -> usize {
        let text = |plan: &IndexPlan| plan.text.as_ref().map_or(0, Vec::len);
        self.as_ref().map_or(0, |plan| text(plan) + plan.uses.len() * BLOCK_BYTES)
    }
}

impl Returned for Option<String> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, String::len)
    }
}

fn bytes(value: &Value) -> usize {
    match &value.0 {
        wire::Value::Text(content) | wire::Value::Blob(content) => content.len() + BLOCK_BYTES,
        _ => 0,
    }
}

impl ExtensionsView<'_> {
    /// The result of a call, or the request for room that comes before it.
    pub(super) fn with_room<T: Returned>(
        &mut self,
        extension: u32,
        call: impl FnOnce(&mut Self) -> Result<T, Unfinished>,
    ) -> Result<T, Unfinished> {
        match call(self) {
            Ok(result) if result.bytes() > MAX_UNASKED => {
                let bytes = result.bytes();
                let room = self.room_for(extension, bytes, Held::Result(Box::new(result)));
                Err(Unfinished::Pending(room))
            }
            Err(Unfinished::Pending(request)) => {
                Err(Unfinished::Pending(self.room_for_request(extension, request)))
            }
            result => result,
        }
    }

    /// The request of an extension, or the one for room that comes before it.
    pub(super) fn room_for_request(&mut self, extension: u32, request: Request) -> Request {
        match request.operations.len() {
            ..=MAX_UNASKED => request,
            bytes => self.room_for(extension, bytes, Held::Request(request)),
        }
    }

    fn room_for(&mut self, extension: u32, bytes: usize, held: Held) -> Request {
        if let Ok(instance) = self.ctx.registry.get_mut(extension) {
            instance.held = Some(held);
        }
        Request { operations: ask(bytes), read_only: true, function: None }
    }
}

/// The result that waited for room, if the caller has some.
pub fn taken<T: Returned>(
    result: Box<dyn Any + Send>,
    room: Answer<Vec<u8>>,
) -> Result<T, Unfinished> {
    room?;
    let result = result.downcast().map_err(|_| another_type())?;
    Ok(*result)
}
