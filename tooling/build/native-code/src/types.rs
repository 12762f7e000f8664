//! Types and constants of WebAssembly in LLVM's words.

use std::fmt;

use anyhow::{Result, bail, ensure};
use sqlite_wasm_native::pinned::{FLOAT_REGISTERS, INTEGER_REGISTERS};
use wasmparser::{FuncType, ValType};

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// A vector of 128 bits.
    V128,
}

impl Type {
    /// Of a value of WebAssembly.
    pub fn of(ty: ValType) -> Result<Self> {
        Ok(match ty {
            ValType::I32 => Self::I32,
            ValType::I64 => Self::I64,
            ValType::F32 => Self::F32,
            ValType::F64 => Self::F64,
            ValType::V128 => Self::V128,
            ValType::Ref(_) => bail!("references are not translated"),
        })
    }

    /// The name that intrinsics have for it.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::V128 => "v16i8",
        }
    }

    /// A value whose bits are all zero.
    pub fn zero(self) -> &'static str {
        match self {
            Self::I32 | Self::I64 => "0",
            Self::F32 | Self::F64 => "0.0",
            Self::V128 => "zeroinitializer",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::V128 => "<16 x i8>",
        })
    }
}

/// The bits of a `float`.
pub fn float(bits: u32) -> String {
    format!("bitcast (i32 {bits} to float)")
}

/// The bits of a `double`.
pub fn double(bits: u64) -> String {
    format!("bitcast (i64 {bits} to double)")
}

/// A function's type, of which LLVM's code has one result at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The parameters.
    pub parameters: Vec<Type>,
    /// The result.
    pub result: Option<Type>,
}

impl Signature {
    /// Of a function of WebAssembly, if LLVM's code can have this type.
    pub fn of(ty: &FuncType) -> Result<Self> {
        let types =
            |types: &[ValType]| types.iter().copied().map(Type::of).collect::<Result<Vec<_>>>();
        let (parameters, results) = (types(ty.params())?, types(ty.results())?);
        let signature = Self { parameters, result: results.first().copied() };
        ensure!(results.len() <= 1, "functions with several results are not translated");
        let (_, floats) = signature.registers();
        let has_vectors = signature.parameters.contains(&Type::V128);
        ensure!(
            !has_vectors || floats <= FLOAT_REGISTERS,
            "functions with vectors on the stack are not translated"
        );
        Ok(signature)
    }

    /// The result's type.
    pub fn returned(&self) -> String {
        self.result.map_or_else(|| "void".to_owned(), |ty| ty.to_string())
    }

    /// How many parameters are on the stack, in the convention of wasmtime's compiler.
    pub fn on_stack(&self) -> usize {
        let (integers, floats) = self.registers();
        integers.saturating_sub(INTEGER_REGISTERS) + floats.saturating_sub(FLOAT_REGISTERS)
    }

    /// The parameters for registers of integers, and for those of floats and vectors.
    fn registers(&self) -> (usize, usize) {
        let is_integer = |ty: &&Type| matches!(ty, Type::I32 | Type::I64);
        let integers = self.parameters.iter().filter(is_integer).count();
        (integers, self.parameters.len() - integers)
    }
}
