//! Conversions between types.

use anyhow::Result;
use sqlite_wasm_native::pinned::trap::{BAD_CONVERSION, INTEGER_OVERFLOW};
use wasmparser::Operator as O;

use super::Translation;
use crate::types::Type::{self, F32, F64, I32, I64};
use crate::types::double;

impl Translation<'_> {
    /// Operators with two types. False for another one.
    pub(super) fn conversion(&mut self, operator: &O<'_>) -> Result<bool> {
        if let Some((name, from, to)) = cast(operator) {
            let mut value = self.pop()?.to_string();
            if matches!(name, "fpext" | "fptrunc") {
                value = self.opaque(from, value);
            }
            self.put(to, format_args!("{name} {from} {value} to {to}"));
        } else if let Some((ty, bits)) = extension(operator) {
            let value = self.pop()?;
            let part = self.assign(format_args!("trunc {ty} {value} to i{bits}"));
            self.put(ty, format_args!("sext i{bits} {part} to {ty}"));
        } else if let Some((name, from, to)) = saturated(operator) {
            let value = self.pop()?;
            let (target, source) = (to.suffix(), from.suffix());
            self.put(
                to,
                format_args!("call {to} @llvm.{name}.sat.{target}.{source}({from} {value})"),
            );
        } else if let Some((name, from, to)) = truncated(operator) {
            self.truncate(name, from, to)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Traps unless the float, without its fraction, fits. Both limits are exact as `double`,
    /// and each `float` is a `double`.
    fn truncate(&mut self, name: &str, from: Type, to: Type) -> Result<()> {
        let value = self.pop()?;
        let wide = match from {
            F32 => self.assign(format_args!("fpext float {value} to double")),
            _ => value.to_string(),
        };
        let is_none = self.assign(format_args!("fcmp uno double {wide}, {wide}"));
        self.trap_if(&is_none, BAD_CONVERSION);
        // The least integer that fits is itself a limit only where the one below is not a `double`.
        let (below, least, above) = match (name, to) {
            ("fptoui", I32) => ("ole", -1.0, 4_294_967_296.0),
            ("fptoui", _) => ("ole", -1.0, 18_446_744_073_709_551_616.0),
            (_, I32) => ("ole", -2_147_483_649.0, 2_147_483_648.0),
            (_, _) => ("olt", -9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0_f64),
        };
        for (comparison, limit) in [(below, least), ("oge", above)] {
            let limit = double(limit.to_bits());
            let is_outside = self.assign(format_args!("fcmp {comparison} double {wide}, {limit}"));
            self.trap_if(&is_outside, INTEGER_OVERFLOW);
        }
        self.put(to, format_args!("{name} {from} {value} to {to}"));
        Ok(())
    }
}

fn cast(operator: &O<'_>) -> Option<(&'static str, Type, Type)> {
    Some(match operator {
        O::I32WrapI64 => ("trunc", I64, I32),
        O::I64ExtendI32S => ("sext", I32, I64),
        O::I64ExtendI32U => ("zext", I32, I64),
        O::F32ConvertI32S => ("sitofp", I32, F32),
        O::F32ConvertI32U => ("uitofp", I32, F32),
        O::F32ConvertI64S => ("sitofp", I64, F32),
        O::F32ConvertI64U => ("uitofp", I64, F32),
        O::F64ConvertI32S => ("sitofp", I32, F64),
        O::F64ConvertI32U => ("uitofp", I32, F64),
        O::F64ConvertI64S => ("sitofp", I64, F64),
        O::F64ConvertI64U => ("uitofp", I64, F64),
        O::F32DemoteF64 => ("fptrunc", F64, F32),
        O::F64PromoteF32 => ("fpext", F32, F64),
        O::I32ReinterpretF32 => ("bitcast", F32, I32),
        O::I64ReinterpretF64 => ("bitcast", F64, I64),
        O::F32ReinterpretI32 => ("bitcast", I32, F32),
        O::F64ReinterpretI64 => ("bitcast", I64, F64),
        _ => return None,
    })
}

fn extension(operator: &O<'_>) -> Option<(Type, u32)> {
    Some(match operator {
        O::I32Extend8S => (I32, 8),
        O::I32Extend16S => (I32, 16),
        O::I64Extend8S => (I64, 8),
        O::I64Extend16S => (I64, 16),
        O::I64Extend32S => (I64, 32),
        _ => return None,
    })
}

fn saturated(operator: &O<'_>) -> Option<(&'static str, Type, Type)> {
    Some(match operator {
        O::I32TruncSatF32S => ("fptosi", F32, I32),
        O::I32TruncSatF32U => ("fptoui", F32, I32),
        O::I32TruncSatF64S => ("fptosi", F64, I32),
        O::I32TruncSatF64U => ("fptoui", F64, I32),
        O::I64TruncSatF32S => ("fptosi", F32, I64),
        O::I64TruncSatF32U => ("fptoui", F32, I64),
        O::I64TruncSatF64S => ("fptosi", F64, I64),
        O::I64TruncSatF64U => ("fptoui", F64, I64),
        _ => return None,
    })
}

fn truncated(operator: &O<'_>) -> Option<(&'static str, Type, Type)> {
    Some(match operator {
        O::I32TruncF32S => ("fptosi", F32, I32),
        O::I32TruncF32U => ("fptoui", F32, I32),
        O::I32TruncF64S => ("fptosi", F64, I32),
        O::I32TruncF64U => ("fptoui", F64, I32),
        O::I64TruncF32S => ("fptosi", F32, I64),
        O::I64TruncF32U => ("fptoui", F32, I64),
        O::I64TruncF64S => ("fptosi", F64, I64),
        O::I64TruncF64U => ("fptoui", F64, I64),
        _ => return None,
    })
}
