//! Values on their way between components, which is where the time of a scan
//! goes: numbers and NULL, by far the most, are read and written here in one
//! step each; wasmtime's own code looks up the types of each value again.
//!
//! A value is 16 bytes in memory: its case in the first, its payload in the
//! last eight (the canonical ABI of `types.value`). Text and blobs, and values
//! that are not in a list, go wasmtime's way.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use wasmtime::Result;
use wasmtime::component::__internal::{
    CanonicalAbiInfo, InstanceType, InterfaceType, LiftContext, LowerContext,
};
use wasmtime::component::{ComponentType, Lift, Lower};

use crate::extensions::types::wire;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;

/// Where the payload begins.
const PAYLOAD: usize = 8;

const _: () = assert!(<wire::Value as ComponentType>::SIZE32 == 16);

/// A value of SQLite; see `types.value`.
#[derive(Debug, Clone)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A 64-bit integer.
    Integer(i64),
    /// A 64-bit real.
    Real(f64),
    /// Text, in any bytes.
    Text(Vec<u8>),
    /// A blob.
    Blob(Vec<u8>),
}

/// A result, with its subtype; see `types.output`.
#[derive(Debug, Clone, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Output {
    /// The result.
    #[component(name = "value")]
    pub value: Value,
    /// 0 for none.
    #[component(name = "subtype")]
    pub subtype: u8,
}

/// A value as wasmtime lowers it.
#[doc(hidden)]
#[derive(ComponentType, Lower)]
#[component(variant)]
pub enum Borrowed<'a> {
    #[component(name = "null")]
    Null,
    #[component(name = "integer")]
    Integer(i64),
    #[component(name = "real")]
    Real(f64),
    #[component(name = "text")]
    Text(&'a [u8]),
    #[component(name = "blob")]
    Blob(&'a [u8]),
}

impl Value {
    fn borrowed(&self) -> Borrowed<'_> {
        match self {
            Self::Null => Borrowed::Null,
            Self::Integer(integer) => Borrowed::Integer(*integer),
            Self::Real(real) => Borrowed::Real(*real),
            Self::Text(bytes) => Borrowed::Text(bytes),
            Self::Blob(bytes) => Borrowed::Blob(bytes),
        }
    }

    /// The 16 bytes of a number or NULL.
    fn bytes(&self) -> Option<[u8; 16]> {
        let (case, payload) = match self {
            Self::Null => (NULL, 0),
            Self::Integer(integer) => (INTEGER, integer.cast_unsigned()),
            Self::Real(real) => (REAL, real.to_bits()),
            Self::Text(_) | Self::Blob(_) => return None,
        };
        let mut bytes = [0; 16];
        bytes[0] = case;
        bytes[PAYLOAD..].copy_from_slice(&payload.to_le_bytes());
        Some(bytes)
    }

    /// The number or NULL of 16 bytes.
    fn of_bytes(bytes: &[u8; 16]) -> Option<Self> {
        let payload = u64::from_le_bytes(*bytes.last_chunk()?);
        match bytes[0] {
            NULL => Some(Self::Null),
            INTEGER => Some(Self::Integer(payload.cast_signed())),
            REAL => Some(Self::Real(f64::from_bits(payload))),
            _ => None,
        }
    }
}

impl From<wire::Value> for Value {
    fn from(value: wire::Value) -> Self {
        match value {
            wire::Value::Null => Self::Null,
            wire::Value::Integer(integer) => Self::Integer(integer),
            wire::Value::Real(real) => Self::Real(real),
            wire::Value::Text(bytes) => Self::Text(bytes),
            wire::Value::Blob(bytes) => Self::Blob(bytes),
        }
    }
}

// SAFETY: all that describes the type is that of the generated one.
unsafe impl ComponentType for Value {
    type Lower = <Borrowed<'static> as ComponentType>::Lower;

    const ABI: CanonicalAbiInfo = <wire::Value as ComponentType>::ABI;

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        <wire::Value as ComponentType>::typecheck(ty, types)
    }
}

// SAFETY: what is written is what the generated code writes; the tests of
// conformance send each class in lists of all kinds.
unsafe impl Lower for Value {
    fn linear_lower_to_flat<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        ty: InterfaceType,
        dst: &mut MaybeUninit<Self::Lower>,
    ) -> Result<()> {
        self.borrowed().linear_lower_to_flat(cx, ty, dst)
    }

    fn linear_lower_to_memory<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        ty: InterfaceType,
        offset: usize,
    ) -> Result<()> {
        match self.bytes() {
            Some(bytes) => *cx.get(offset) = bytes,
            None => self.borrowed().linear_lower_to_memory(cx, ty, offset)?,
        }
        Ok(())
    }

    fn linear_store_list_to_memory<T>(
        cx: &mut LowerContext<'_, T>,
        ty: InterfaceType,
        offset: usize,
        items: &[Self],
    ) -> Result<()> {
        let mut rest = items;
        let mut offset = offset;
        while let Some((first, others)) = rest.split_first() {
            let numbers = store_numbers(&mut cx.as_slice_mut()[offset..], rest);
            if numbers == 0 {
                first.linear_lower_to_memory(cx, ty, offset)?;
                (rest, offset) = (others, offset + Self::SIZE32);
            } else {
                (rest, offset) = (&rest[numbers..], offset + numbers * Self::SIZE32);
            }
        }
        Ok(())
    }
}

/// Write the numbers and NULLs with which `items` begin; how many there are.
fn store_numbers(memory: &mut [u8], items: &[Value]) -> usize {
    let (places, _) = memory.as_chunks_mut();
    let bytes = items.iter().map_while(Value::bytes);
    places.iter_mut().zip(bytes).map(|(place, bytes)| *place = bytes).count()
}

// SAFETY: what is read is what the generated code reads; the same tests.
unsafe impl Lift for Value {
    fn linear_lift_from_flat(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        src: &Self::Lower,
    ) -> Result<Self> {
        // SAFETY: both have the same flat form, by the same derive.
        let src = unsafe { &*std::ptr::from_ref(src).cast() };
        wire::Value::linear_lift_from_flat(cx, ty, src).map(Self::from)
    }

    #[inline]
    fn linear_lift_from_memory(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        bytes: &[u8],
    ) -> Result<Self> {
        match bytes.first_chunk().and_then(Self::of_bytes) {
            Some(number) => Ok(number),
            None => wire::Value::linear_lift_from_memory(cx, ty, bytes).map(Self::from),
        }
    }
}

const _: () = assert!(
    size_of::<<Value as ComponentType>::Lower>()
        == size_of::<<wire::Value as ComponentType>::Lower>()
);
