//! Mailboxes: memory of the component that the host writes and reads directly, so that a short
//! request or reply is one copy. As a list, wasmtime would look up its type, its options and the
//! memory at each call: a tenth of the instructions of the shortest statement.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

use wasmtime::component::__internal::{
    CanonicalAbiInfo, InstanceType, InterfaceType, LowerContext,
};
use wasmtime::component::{ComponentType, Lower};
use wasmtime::{Result, ValRaw, bail};

/// The length of a mailbox, in bytes. Requests and replies of single rows nearly always fit.
pub const BYTES: usize = 4096;

/// A mailbox of the component. It is used only while its store exists.
pub struct Mailbox(NonNull<u8>);

// SAFETY: it belongs to one store, which moves with it.
unsafe impl Send for Mailbox {}

impl Mailbox {
    /// Put bytes there. Returns their count, or none if it is too large.
    pub fn put(&mut self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > BYTES {
            return None;
        }
        // SAFETY: `BYTES` bytes of the component's memory, which neither moves nor shrinks (see
        // `EngineKind::config`). The component is not running, and the host has no references to
        // its memory.
        unsafe { self.0.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Some(bytes.len() as u32)
    }

    /// Append the first `count` bytes to `copy`, if there are as many.
    pub fn take(&self, count: u32, copy: &mut Vec<u8>) -> bool {
        let count = count as usize;
        if count > BYTES {
            return false;
        }
        // SAFETY: as above. If the component has mapped a file there, another process may write the
        // bytes now; they are only copied.
        copy.extend_from_slice(unsafe { slice::from_raw_parts(self.0.as_ptr(), count) });
        true
    }
}

/// A list of bytes that the component is given as its mailbox.
#[derive(Default)]
pub struct Room(AtomicPtr<u8>);

impl Room {
    /// The mailbox.
    ///
    /// # Errors
    ///
    /// When the component was not called with this list.
    pub fn mailbox(self) -> Result<Mailbox> {
        match NonNull::new(self.0.into_inner()) {
            Some(start) => Ok(Mailbox(start)),
            None => bail!("the component has no mailbox"),
        }
    }
}

// SAFETY: layout, flat form and type check are those of a list of bytes.
unsafe impl ComponentType for Room {
    type Lower = <Vec<u8> as ComponentType>::Lower;

    const ABI: CanonicalAbiInfo = <Vec<u8> as ComponentType>::ABI;

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        <Vec<u8> as ComponentType>::typecheck(ty, types)
    }
}

// SAFETY: the flat form of a list is its address and its length. The list is inside the memory.
unsafe impl Lower for Room {
    fn linear_lower_to_flat<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        _: InterfaceType,
        dst: &mut MaybeUninit<Self::Lower>,
    ) -> Result<()> {
        let address = cx.realloc(0, 0, 1, BYTES)?;
        let memory = cx.as_slice_mut().get_mut(address..).and_then(|rest| rest.get_mut(..BYTES));
        let Some(mailbox) = memory else {
            bail!("the component allocates outside its memory");
        };
        mailbox.fill(0);
        self.0.store(mailbox.as_mut_ptr(), Ordering::Relaxed);
        dst.write([ValRaw::i64(address as i64), ValRaw::i64(BYTES as i64)]);
        Ok(())
    }

    /// Never called: the list is passed as an argument.
    fn linear_lower_to_memory<T>(
        &self,
        _: &mut LowerContext<'_, T>,
        _: InterfaceType,
        _: usize,
    ) -> Result<()> {
        bail!("a mailbox is only an argument")
    }
}
