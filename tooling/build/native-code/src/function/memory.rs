//! Loads and stores, and what else works on the memory.

use anyhow::{Result, ensure};
use sqlite_wasm_native::pinned::GUARD_BYTES;
use wasmparser::{MemArg, Operator as O};

use super::Translation;
use crate::types::Type::{self, F32, F64, I32, I64, V128};

/// Offsets from here on may pass the guard behind the memory, with a margin for the size of an access.
const MAX_OFFSET: u64 = GUARD_BYTES as u64 - 64;

/// What makes an address of 32 bits one of 64 of which LLVM knows nothing.
pub const HIDDEN: &str = "call i64 asm \"movl $1, ${0:k}\", \"=r,r\"";

/// How a value of a smaller size becomes one of WebAssembly.
#[derive(Clone, Copy)]
enum Widened {
    Not,
    Signed(u32),
    Unsigned(u32),
}

use Widened::{Not, Signed, Unsigned};

impl Translation<'_> {
    /// Operators on the memory. False for another one.
    pub(super) fn memory(&mut self, operator: &O<'_>) -> Result<bool> {
        if let Some((ty, widened, argument)) = load(operator) {
            self.load(ty, widened, argument)?;
        } else if let Some((ty, bits, argument)) = store(operator) {
            self.store(ty, bits, argument)?;
        } else {
            match operator {
                O::MemorySize { .. } => self.size(),
                O::MemoryCopy { .. } => self.bulk("copy")?,
                O::MemoryFill { .. } => self.bulk("fill")?,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The address that the top of the stack and an offset name. LLVM may assume nothing of it: it
    /// is an integer of 32 bits, an offset and the guard that keep it inside. If it is hidden, LLVM
    /// does not know which integer either (`unproved`).
    pub(super) fn address(&mut self, argument: MemArg) -> Result<String> {
        ensure!(argument.offset < MAX_OFFSET, "an offset passes the guard");
        let address = self.pop()?;
        let wide = if self.hides {
            self.assign(format_args!("{HIDDEN}(i32 {address})"))
        } else {
            self.assign(format_args!("zext i32 {address} to i64"))
        };
        let start = self.assign(format_args!("getelementptr i8, ptr %mem, i64 {wide}"));
        Ok(match argument.offset {
            0 => start,
            offset => self.assign(format_args!("getelementptr i8, ptr {start}, i64 {offset}")),
        })
    }

    fn load(&mut self, ty: Type, widened: Widened, argument: MemArg) -> Result<()> {
        let address = self.address(argument)?;
        match widened {
            Not => self.put(ty, format_args!("load volatile {ty}, ptr {address}, align 1")),
            Signed(bits) | Unsigned(bits) => {
                let part =
                    self.assign(format_args!("load volatile i{bits}, ptr {address}, align 1"));
                let name = if matches!(widened, Signed(_)) { "sext" } else { "zext" };
                self.put(ty, format_args!("{name} i{bits} {part} to {ty}"));
                if let (Unsigned(8), Some(value)) = (widened, self.stack.last_mut()) {
                    value.is_byte = true;
                }
            }
        }
        Ok(())
    }

    fn store(&mut self, ty: Type, bits: Option<u32>, argument: MemArg) -> Result<()> {
        let value = self.pop()?;
        let address = self.address(argument)?;
        match bits {
            None => self.line(format_args!("store volatile {ty} {value}, ptr {address}, align 1")),
            Some(bits) => {
                let part = self.assign(format_args!("trunc {ty} {value} to i{bits}"));
                self.line(format_args!("store volatile i{bits} {part}, ptr {address}, align 1"));
            }
        }
        Ok(())
    }

    fn size(&mut self) {
        let offset = self.program.layout.memory_length;
        let place = self.assign(format_args!("getelementptr i8, ptr %vm, i64 {offset}"));
        let bytes = self.assign(format_args!("load i64, ptr {place}"));
        let pages = self.assign(format_args!("lshr i64 {bytes}, 16"));
        self.put(I32, format_args!("trunc i64 {pages} to i32"));
    }

    fn bulk(&mut self, name: &str) -> Result<()> {
        let (count, from, to) = (self.pop()?, self.pop()?, self.pop()?);
        self.line(format_args!(
            "call void @memory_{name}(ptr %vm, i32 {to}, i32 {from}, i32 {count})"
        ));
        Ok(())
    }
}

fn load(operator: &O<'_>) -> Option<(Type, Widened, MemArg)> {
    Some(match *operator {
        O::I32Load { memarg } => (I32, Not, memarg),
        O::I64Load { memarg } => (I64, Not, memarg),
        O::F32Load { memarg } => (F32, Not, memarg),
        O::F64Load { memarg } => (F64, Not, memarg),
        O::V128Load { memarg } => (V128, Not, memarg),
        O::I32Load8S { memarg } => (I32, Signed(8), memarg),
        O::I32Load8U { memarg } => (I32, Unsigned(8), memarg),
        O::I32Load16S { memarg } => (I32, Signed(16), memarg),
        O::I32Load16U { memarg } => (I32, Unsigned(16), memarg),
        O::I64Load8S { memarg } => (I64, Signed(8), memarg),
        O::I64Load8U { memarg } => (I64, Unsigned(8), memarg),
        O::I64Load16S { memarg } => (I64, Signed(16), memarg),
        O::I64Load16U { memarg } => (I64, Unsigned(16), memarg),
        O::I64Load32S { memarg } => (I64, Signed(32), memarg),
        O::I64Load32U { memarg } => (I64, Unsigned(32), memarg),
        _ => return None,
    })
}

fn store(operator: &O<'_>) -> Option<(Type, Option<u32>, MemArg)> {
    Some(match *operator {
        O::I32Store { memarg } => (I32, None, memarg),
        O::I64Store { memarg } => (I64, None, memarg),
        O::F32Store { memarg } => (F32, None, memarg),
        O::F64Store { memarg } => (F64, None, memarg),
        O::V128Store { memarg } => (V128, None, memarg),
        O::I32Store8 { memarg } => (I32, Some(8), memarg),
        O::I32Store16 { memarg } => (I32, Some(16), memarg),
        O::I64Store8 { memarg } => (I64, Some(8), memarg),
        O::I64Store16 { memarg } => (I64, Some(16), memarg),
        O::I64Store32 { memarg } => (I64, Some(32), memarg),
        _ => return None,
    })
}
