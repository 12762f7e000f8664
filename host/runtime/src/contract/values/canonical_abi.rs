//! Lifting and lowering values with wasmtime's private API, in this file alone.
//!
//! Values are where the time of a scan goes. The code that wasmtime generates looks up the
//! types of each value again: a scan of integers spent half of its time there. Here
//! numbers and NULL, by far the most, are read and written in one step each, and an inline
//! value in one copy: a text of at most 64 bytes took 0.71 µs there and back by the
//! generated code, and takes 0.38. Other values go through the generated code.
//!
//! The way back, should `__internal` change: derive `ComponentType`, `Lift` and `Lower`
//! for [`Value`] as a variant and for [`InlineValue`] as a record, as [`Output`] does, and
//! delete this file. Nothing else depends on it.
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

// SAFETY: what is read is what the generated code reads; the same tests.
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
        // Copied first: what is checked is what is used, whoever can write to that memory.
        let inline = wire::InlineValue::from_memory(bytes);
        check(inline.head())?;
        Ok(Self(inline))
    }
}
