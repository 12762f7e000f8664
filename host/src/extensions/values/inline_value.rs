//! Values that cross in registers; see `types.inline-value`. As with other values (see
//! [`value`](super::value)), wasmtime's own code would look up the types of each
//! word again.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use wasmtime::component::__internal::{
    CanonicalAbiInfo, InstanceType, InterfaceType, LiftContext, LowerContext,
};
use wasmtime::component::{ComponentType, Lift, Lower};
use wasmtime::{Result, bail};

use super::value::{Output, Value};
use crate::extensions::types::wire;

/// Where the words begin in memory, behind the head.
const WORDS: usize = 8;

const BYTES: usize = 72;

/// Of a text or blob.
const MAX_BYTES: u8 = 64;

const _: () = assert!(<wire::InlineValue as ComponentType>::SIZE32 == BYTES);

/// A value of at most 64 bytes; see `types.inline-value`.
#[derive(Debug, Clone, Copy)]
pub struct InlineValue {
    /// Class, count of bytes, subtype.
    pub head: u32,
    /// A number, or bytes.
    pub words: [u64; 8],
}

impl InlineValue {
    /// The same in its longer form.
    pub fn output(&self) -> Output {
        let [class, count, subtype, _] = self.head.to_le_bytes();
        let word = self.words[0];
        let value = match class {
            1 => Value::Integer(word.cast_signed()),
            2 => Value::Real(f64::from_bits(word)),
            3 => Value::Text(self.bytes(count)),
            4 => Value::Blob(self.bytes(count)),
            _ => Value::Null,
        };
        Output { value, subtype }
    }

    fn bytes(&self, count: u8) -> Vec<u8> {
        let all = self.words.iter().flat_map(|word| word.to_le_bytes());
        all.take(count.into()).collect()
    }

    /// What has a class, and no more bytes than there are, is a value. By the
    /// first bytes of the head alone: the whole would be moved once more.
    #[inline]
    fn check(class: u8, count: u8) -> Result<()> {
        match class {
            0..=2 => Ok(()),
            3 | 4 if count <= MAX_BYTES => Ok(()),
            _ => bail!("a inline value of class {class} with {count} bytes is none"),
        }
    }

    fn in_memory(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&self.head.to_le_bytes());
        let (places, _) = bytes[WORDS..].as_chunks_mut();
        for (place, word) in places.iter_mut().zip(self.words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    fn of_memory(bytes: &[u8; BYTES]) -> Self {
        let (words, _) = bytes[WORDS..].as_chunks();
        let [a, b, c, d, ..] = *bytes;
        Self {
            head: u32::from_le_bytes([a, b, c, d]),
            words: std::array::from_fn(|place| u64::from_le_bytes(words[place])),
        }
    }

    fn wire(self) -> wire::InlineValue {
        let [a, b, c, d, e, f, g, h] = self.words;
        wire::InlineValue { head: self.head, words: (a, b, c, d, e, f, g, h) }
    }
}

impl From<wire::InlineValue> for InlineValue {
    fn from(short: wire::InlineValue) -> Self {
        let (a, b, c, d, e, f, g, h) = short.words;
        Self { head: short.head, words: [a, b, c, d, e, f, g, h] }
    }
}

// SAFETY: all that describes the type is that of the generated one.
unsafe impl ComponentType for InlineValue {
    type Lower = <wire::InlineValue as ComponentType>::Lower;

    const ABI: CanonicalAbiInfo = <wire::InlineValue as ComponentType>::ABI;

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        <wire::InlineValue as ComponentType>::typecheck(ty, types)
    }
}

// SAFETY: what is written is what the generated code writes; the tests of
// conformance send each class and length.
unsafe impl Lower for InlineValue {
    #[inline]
    fn linear_lower_to_flat<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        ty: InterfaceType,
        dst: &mut MaybeUninit<Self::Lower>,
    ) -> Result<()> {
        self.wire().linear_lower_to_flat(cx, ty, dst)
    }

    #[inline]
    fn linear_lower_to_memory<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        _ty: InterfaceType,
        offset: usize,
    ) -> Result<()> {
        *cx.get(offset) = self.in_memory();
        Ok(())
    }
}

// SAFETY: what is read is what the generated code reads; the same tests.
unsafe impl Lift for InlineValue {
    #[inline]
    fn linear_lift_from_flat(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        src: &Self::Lower,
    ) -> Result<Self> {
        let short = wire::InlineValue::linear_lift_from_flat(cx, ty, src)?;
        let [class, count, ..] = short.head.to_le_bytes();
        Self::check(class, count)?;
        Ok(short.into())
    }

    #[inline]
    fn linear_lift_from_memory(
        _: &mut LiftContext<'_>,
        _: InterfaceType,
        bytes: &[u8],
    ) -> Result<Self> {
        let Some(bytes) = bytes.first_chunk() else { bail!("a inline value has {BYTES} bytes") };
        Self::check(bytes[0], bytes[1])?;
        Ok(Self::of_memory(bytes))
    }
}
