//! Lifting and lowering values with wasmtime's private API, in this file alone.
//!
//! Values take most of the time of a scan. The code that wasmtime generates looks up the types of
//! each value again, which was half of the time of a scan of integers. Here integers, reals and
//! NULL, which are by far the most frequent, are read and written in one step each, and an inline
//! value is copied once: a text of at most 64 bytes takes 0.38 µs in both directions, and took 0.71
//! µs with the generated code. Other values go through the generated code.
//!
//! The system call writes data of a file straight into the component's memory: with a buffer in the
//! host, a scan of 300 MB spent 4 % of its time copying it.
//!
//! If `__internal` changes, this file can be replaced: return the bytes of [`Filled`] in a vector;
//! derive `ComponentType`, `Lift` and `Lower` for [`Value`] as a variant and for [`InlineValue`] as
//! a record, as [`Output`] does, and delete this file. Nothing else depends on it.
//!
//! [`Output`]: super::Output

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use wasmtime::component::__internal::{
    CanonicalAbiInfo, InstanceType, InterfaceType, LiftContext, LowerContext,
};
use wasmtime::component::{ComponentType, Lift, Lower};
use wasmtime::{Result, bail};
use wire::Head;

use super::inline_value::{InlineValue, check};
use super::value::{Borrowed, Value};
use crate::contract::types::generated;

/// Bytes of an inline value in memory.
const INLINE_BYTES: usize = wire::InlineValue::SIZE;

const _: () = assert!(<generated::InlineValue as ComponentType>::SIZE32 == INLINE_BYTES);

// SAFETY: layout, flat form and type check are those of the generated type.
unsafe impl ComponentType for Value {
    type Lower = <Borrowed<'static> as ComponentType>::Lower;

    const ABI: CanonicalAbiInfo = <generated::Value as ComponentType>::ABI;

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        <generated::Value as ComponentType>::typecheck(ty, types)
    }
}

// SAFETY: this writes the same bytes as the generated code; the tests of conformance send values of
// each class in lists of all kinds.
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

/// Write the leading integers, reals and NULLs of `items`. Returns how many there are.
fn store_numbers(memory: &mut [u8], items: &[Value]) -> usize {
    let (places, _) = memory.as_chunks_mut();
    let bytes = items.iter().map_while(Value::bytes);
    places.iter_mut().zip(bytes).map(|(place, bytes)| *place = bytes).count()
}

// SAFETY: this reads the same bytes as the generated code; tested as above.
unsafe impl Lift for Value {
    fn linear_lift_from_flat(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        src: &Self::Lower,
    ) -> Result<Self> {
        // SAFETY: both have the same flat form, by the same derive.
        let src = unsafe { &*std::ptr::from_ref(src).cast() };
        generated::Value::linear_lift_from_flat(cx, ty, src).map(Self::from)
    }

    #[inline]
    fn linear_lift_from_memory(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        bytes: &[u8],
    ) -> Result<Self> {
        match bytes.first_chunk().and_then(Self::of_bytes) {
            Some(number) => Ok(number),
            None => generated::Value::linear_lift_from_memory(cx, ty, bytes).map(Self::from),
        }
    }
}

const _: () = assert!(
    size_of::<<Value as ComponentType>::Lower>()
        == size_of::<<generated::Value as ComponentType>::Lower>()
);

// SAFETY: layout, flat form and type check are those of the generated type.
unsafe impl ComponentType for InlineValue {
    type Lower = <generated::InlineValue as ComponentType>::Lower;

    const ABI: CanonicalAbiInfo = <generated::InlineValue as ComponentType>::ABI;

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        <generated::InlineValue as ComponentType>::typecheck(ty, types)
    }
}

// SAFETY: this writes the same bytes as the generated code; the tests of conformance send values of
// each class and length.
unsafe impl Lower for InlineValue {
    #[inline]
    fn linear_lower_to_flat<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        ty: InterfaceType,
        dst: &mut MaybeUninit<Self::Lower>,
    ) -> Result<()> {
        self.generated().linear_lower_to_flat(cx, ty, dst)
    }

    #[inline]
    fn linear_lower_to_memory<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        _ty: InterfaceType,
        offset: usize,
    ) -> Result<()> {
        *cx.get(offset) = self.0.to_memory();
        Ok(())
    }
}

// SAFETY: this reads the same bytes as the generated code; tested as above.
unsafe impl Lift for InlineValue {
    #[inline]
    fn linear_lift_from_flat(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        src: &Self::Lower,
    ) -> Result<Self> {
        let inline = generated::InlineValue::linear_lift_from_flat(cx, ty, src)?;
        check(Head::of(inline.head.to_le_bytes()))?;
        Ok(inline.into())
    }

    #[inline]
    fn linear_lift_from_memory(
        _: &mut LiftContext<'_>,
        _: InterfaceType,
        bytes: &[u8],
    ) -> Result<Self> {
        let Some(bytes) = bytes.first_chunk::<INLINE_BYTES>() else {
            bail!("an inline value has {INLINE_BYTES} bytes")
        };
        // Copy first, then check the copy: another program can change that memory at any time.
        let inline = wire::InlineValue::from_memory(bytes);
        check(inline.head())?;
        Ok(Self(inline))
    }
}

/// A source of the bytes of a list, which are produced when they are stored.
pub trait Source: Send + Sync + 'static {
    /// The error of the function.
    type Error: Lower + Copy + Send + Sync + 'static;

    /// The maximum size in bytes.
    fn length(&self) -> usize;

    /// Write the bytes to the front of `memory`. Returns how many there are.
    fn fill(&self, memory: &mut [u8]) -> Result<usize, Self::Error>;
}

/// `result<list<u8>, E>`, whose bytes are written only into the component's memory.
///
/// Memory is allocated before the final size is known, so the list can be shorter.
pub enum Filled<S: Source> {
    /// The bytes.
    Source(S),
    /// The error.
    Failed(S::Error),
}

/// The same type, as wasmtime knows it.
type Known<E> = std::result::Result<Vec<u8>, E>;

// SAFETY: layout, flat form and type check are those of the known type.
unsafe impl<S: Source> ComponentType for Filled<S> {
    type Lower = <Known<S::Error> as ComponentType>::Lower;

    const ABI: CanonicalAbiInfo = <Known<S::Error> as ComponentType>::ABI;

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        <Known<S::Error> as ComponentType>::typecheck(ty, types)
    }
}

// SAFETY: this writes the same bytes as the known type: case 0, and the address and length of the
// list, which is inside the memory; or an error, written by the known type.
unsafe impl<S: Source> Lower for Filled<S> {
    /// Never called: this result has more than one core value.
    fn linear_lower_to_flat<T>(
        &self,
        _: &mut LowerContext<'_, T>,
        _: InterfaceType,
        _: &mut MaybeUninit<Self::Lower>,
    ) -> Result<()> {
        bail!("a list of bytes has no flat form as a result")
    }

    #[inline]
    fn linear_lower_to_memory<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        ty: InterfaceType,
        offset: usize,
    ) -> Result<()> {
        let filled = match self {
            Self::Source(source) => fill(source, cx)?,
            Self::Failed(error) => Err(*error),
        };
        match filled {
            Ok((address, length)) => {
                *cx.get(offset) = [0];
                *cx.get(offset + 4) = (address as u32).to_le_bytes();
                *cx.get(offset + 8) = (length as u32).to_le_bytes();
                Ok(())
            }
            Err(error) => Known::<S::Error>::Err(error).linear_lower_to_memory(cx, ty, offset),
        }
    }
}

/// The address and length of the list, in memory that the component allocates.
fn fill<S: Source, T>(
    source: &S,
    cx: &mut LowerContext<'_, T>,
) -> Result<std::result::Result<(usize, usize), S::Error>> {
    let room = source.length();
    let address = cx.realloc(0, 0, 1, room)?;
    let Some(memory) = cx.as_slice_mut().get_mut(address..).and_then(|rest| rest.get_mut(..room))
    else {
        bail!("the component allocates outside its memory");
    };
    Ok(source.fill(memory).map(|length| (address, length.min(room))))
}
