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
use wire::Head;

use super::types::{Output, generated};
use super::value::Value;

const BYTES: usize = wire::InlineValue::SIZE;

const _: () = assert!(<generated::InlineValue as ComponentType>::SIZE32 == BYTES);

/// A value of at most 64 bytes; see `types.inline-value`.
#[derive(Debug, Clone, Copy)]
pub struct InlineValue(wire::InlineValue);

impl InlineValue {
    /// The same in its longer form.
    pub fn output(&self) -> Output {
        let value = self.0.value().map_or(Value::Null, Value::from);
        Output { value, subtype: self.0.head().subtype }
    }

    fn generated(self) -> generated::InlineValue {
        let wire::InlineValue { head, words: [a, b, c, d, e, f, g, h] } = self.0;
        generated::InlineValue { head, words: (a, b, c, d, e, f, g, h) }
    }
}

/// By the first bytes of the head alone: the whole would be moved once more.
#[inline]
fn check(head: Head) -> Result<()> {
    match head.is_valid() {
        true => Ok(()),
        false => {
            bail!("a inline value of class {} with {} bytes is none", head.tag, head.length)
        }
    }
}

impl From<generated::InlineValue> for InlineValue {
    fn from(generated::InlineValue { head, words }: generated::InlineValue) -> Self {
        let (a, b, c, d, e, f, g, h) = words;
        Self(wire::InlineValue { head, words: [a, b, c, d, e, f, g, h] })
    }
}

// SAFETY: all that describes the type is that of the generated one.
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
        let Some(bytes) = bytes.first_chunk::<BYTES>() else {
            bail!("a inline value has {BYTES} bytes")
        };
        let [tag, length, subtype, rest, ..] = *bytes;
        check(Head::of([tag, length, subtype, rest]))?;
        Ok(Self(wire::InlineValue::from_memory(bytes)))
    }
}
