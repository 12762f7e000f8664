//! Arithmetic and comparisons.

use std::fmt::Display;

use anyhow::Result;
use sqlite_wasm_native::pinned::trap::{DIVISION_BY_ZERO, INTEGER_OVERFLOW};
use wasmparser::Operator as O;

use super::Translation;
use crate::types::Type::{self, F32, F64, I32, I64};

/// How LLVM computes an operator.
enum Form {
    /// An instruction with two operands.
    Binary(&'static str),
    /// The same on floats, of which LLVM knows nothing.
    Float(&'static str),
    /// An instruction with two operands, with the right operand below the bit width.
    Shift(&'static str),
    /// A rotation, by an intrinsic.
    Rotate(&'static str),
    /// A division, which traps.
    Divide(&'static str),
    /// A comparison.
    Compare(&'static str),
    /// An intrinsic with one operand, and what follows that.
    Unary(&'static str, &'static str),
    /// An intrinsic with two operands.
    Both(&'static str),
}

use Form::{Binary, Both, Compare, Divide, Float, Rotate, Shift, Unary};

impl Translation<'_> {
    /// Numeric operators on one type. False for other operators.
    pub(super) fn numeric(&mut self, operator: &O<'_>) -> Result<bool> {
        match operator {
            O::I32Eqz => self.is_zero(I32)?,
            O::I64Eqz => self.is_zero(I64)?,
            O::F32Neg => self.negate(F32)?,
            O::F64Neg => self.negate(F64)?,
            _ => match integer(operator).or_else(|| float(operator)) {
                Some((ty, form)) => self.form(ty, &form)?,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Push a condition as an `i32`.
    pub(super) fn put_condition(&mut self, condition: &str) {
        self.put(I32, format_args!("zext i1 {condition} to i32"));
    }

    /// The same float, of which LLVM knows nothing. It would leave out `x - 0`, `x * 1` and the
    /// like, which make a signalling NaN quiet.
    pub(super) fn opaque(&mut self, ty: impl Display, value: impl Display) -> String {
        self.assign(format_args!("call {ty} asm \"\", \"=x,0\"({ty} {value})"))
    }

    fn is_zero(&mut self, ty: Type) -> Result<()> {
        let value = self.pop()?;
        let is_zero = self.assign(format_args!("icmp eq {ty} {value}, 0"));
        self.put_condition(&is_zero);
        Ok(())
    }

    fn negate(&mut self, ty: Type) -> Result<()> {
        let value = self.pop()?;
        self.put(ty, format_args!("fneg {ty} {value}"));
        Ok(())
    }

    fn form(&mut self, ty: Type, form: &Form) -> Result<()> {
        let suffix = ty.suffix();
        let b = self.pop()?;
        if let Unary(name, more) = form {
            self.put(ty, format_args!("call {ty} @llvm.{name}.{suffix}({ty} {b}{more})"));
            return Ok(());
        }
        let a = self.pop()?;
        match form {
            Binary(name) => self.put(ty, format_args!("{name} {ty} {a}, {b}")),
            Float(name) => {
                let (a, b) = (self.opaque(ty, a), self.opaque(ty, b));
                self.put(ty, format_args!("{name} {ty} {a}, {b}"));
            }
            Shift(name) => {
                let bits = if ty == I32 { 31 } else { 63 };
                let count = self.assign(format_args!("and {ty} {b}, {bits}"));
                self.put(ty, format_args!("{name} {ty} {a}, {count}"));
            }
            Rotate(name) => {
                self.put(
                    ty,
                    format_args!("call {ty} @llvm.{name}.{suffix}({ty} {a}, {ty} {a}, {ty} {b})"),
                );
            }
            Divide(name) => self.divide(ty, name, &a.text, &b.text),
            Compare(name) => {
                let condition = self.assign(format_args!("{name} {ty} {a}, {b}"));
                self.put_condition(&condition);
            }
            Both(name) => {
                self.put(ty, format_args!("call {ty} @llvm.{name}.{suffix}({ty} {a}, {ty} {b})"));
            }
            Unary(..) => {}
        }
        Ok(())
    }

    /// LLVM's instructions are undefined for what traps, and for the remainder by -1, which is 0.
    fn divide(&mut self, ty: Type, name: &str, a: &str, b: &str) {
        let is_zero = self.assign(format_args!("icmp eq {ty} {b}, 0"));
        self.trap_if(&is_zero, DIVISION_BY_ZERO);
        let mut divisor = b.to_owned();
        if name.starts_with('s') {
            let is_minus_one = self.assign(format_args!("icmp eq {ty} {b}, -1"));
            if name == "sdiv" {
                let least = if ty == I32 { i64::from(i32::MIN) } else { i64::MIN };
                let is_least = self.assign(format_args!("icmp eq {ty} {a}, {least}"));
                let overflows = self.assign(format_args!("and i1 {is_minus_one}, {is_least}"));
                self.trap_if(&overflows, INTEGER_OVERFLOW);
            } else {
                divisor = self.assign(format_args!("select i1 {is_minus_one}, {ty} 1, {ty} {b}"));
            }
        }
        self.put(ty, format_args!("{name} {ty} {a}, {divisor}"));
    }
}

const NO_POISON: &str = ", i1 false";

fn integer(operator: &O<'_>) -> Option<(Type, Form)> {
    Some(match operator {
        O::I32Add => (I32, Binary("add")),
        O::I32Sub => (I32, Binary("sub")),
        O::I32Mul => (I32, Binary("mul")),
        O::I32And => (I32, Binary("and")),
        O::I32Or => (I32, Binary("or")),
        O::I32Xor => (I32, Binary("xor")),
        O::I32Shl => (I32, Shift("shl")),
        O::I32ShrS => (I32, Shift("ashr")),
        O::I32ShrU => (I32, Shift("lshr")),
        O::I32Rotl => (I32, Rotate("fshl")),
        O::I32Rotr => (I32, Rotate("fshr")),
        O::I32DivS => (I32, Divide("sdiv")),
        O::I32DivU => (I32, Divide("udiv")),
        O::I32RemS => (I32, Divide("srem")),
        O::I32RemU => (I32, Divide("urem")),
        O::I32Clz => (I32, Unary("ctlz", NO_POISON)),
        O::I32Ctz => (I32, Unary("cttz", NO_POISON)),
        O::I32Popcnt => (I32, Unary("ctpop", "")),
        O::I32Eq => (I32, Compare("icmp eq")),
        O::I32Ne => (I32, Compare("icmp ne")),
        O::I32LtS => (I32, Compare("icmp slt")),
        O::I32LtU => (I32, Compare("icmp ult")),
        O::I32GtS => (I32, Compare("icmp sgt")),
        O::I32GtU => (I32, Compare("icmp ugt")),
        O::I32LeS => (I32, Compare("icmp sle")),
        O::I32LeU => (I32, Compare("icmp ule")),
        O::I32GeS => (I32, Compare("icmp sge")),
        O::I32GeU => (I32, Compare("icmp uge")),
        O::I64Add => (I64, Binary("add")),
        O::I64Sub => (I64, Binary("sub")),
        O::I64Mul => (I64, Binary("mul")),
        O::I64And => (I64, Binary("and")),
        O::I64Or => (I64, Binary("or")),
        O::I64Xor => (I64, Binary("xor")),
        O::I64Shl => (I64, Shift("shl")),
        O::I64ShrS => (I64, Shift("ashr")),
        O::I64ShrU => (I64, Shift("lshr")),
        O::I64Rotl => (I64, Rotate("fshl")),
        O::I64Rotr => (I64, Rotate("fshr")),
        O::I64DivS => (I64, Divide("sdiv")),
        O::I64DivU => (I64, Divide("udiv")),
        O::I64RemS => (I64, Divide("srem")),
        O::I64RemU => (I64, Divide("urem")),
        O::I64Clz => (I64, Unary("ctlz", NO_POISON)),
        O::I64Ctz => (I64, Unary("cttz", NO_POISON)),
        O::I64Popcnt => (I64, Unary("ctpop", "")),
        O::I64Eq => (I64, Compare("icmp eq")),
        O::I64Ne => (I64, Compare("icmp ne")),
        O::I64LtS => (I64, Compare("icmp slt")),
        O::I64LtU => (I64, Compare("icmp ult")),
        O::I64GtS => (I64, Compare("icmp sgt")),
        O::I64GtU => (I64, Compare("icmp ugt")),
        O::I64LeS => (I64, Compare("icmp sle")),
        O::I64LeU => (I64, Compare("icmp ule")),
        O::I64GeS => (I64, Compare("icmp sge")),
        O::I64GeU => (I64, Compare("icmp uge")),
        _ => return None,
    })
}

fn float(operator: &O<'_>) -> Option<(Type, Form)> {
    Some(match operator {
        O::F32Add => (F32, Float("fadd")),
        O::F32Sub => (F32, Float("fsub")),
        O::F32Mul => (F32, Float("fmul")),
        O::F32Div => (F32, Float("fdiv")),
        O::F32Min => (F32, Both("minimum")),
        O::F32Max => (F32, Both("maximum")),
        O::F32Copysign => (F32, Both("copysign")),
        O::F32Abs => (F32, Unary("fabs", "")),
        O::F32Ceil => (F32, Unary("ceil", "")),
        O::F32Floor => (F32, Unary("floor", "")),
        O::F32Trunc => (F32, Unary("trunc", "")),
        O::F32Nearest => (F32, Unary("roundeven", "")),
        O::F32Sqrt => (F32, Unary("sqrt", "")),
        O::F32Eq => (F32, Compare("fcmp oeq")),
        O::F32Ne => (F32, Compare("fcmp une")),
        O::F32Lt => (F32, Compare("fcmp olt")),
        O::F32Gt => (F32, Compare("fcmp ogt")),
        O::F32Le => (F32, Compare("fcmp ole")),
        O::F32Ge => (F32, Compare("fcmp oge")),
        O::F64Add => (F64, Float("fadd")),
        O::F64Sub => (F64, Float("fsub")),
        O::F64Mul => (F64, Float("fmul")),
        O::F64Div => (F64, Float("fdiv")),
        O::F64Min => (F64, Both("minimum")),
        O::F64Max => (F64, Both("maximum")),
        O::F64Copysign => (F64, Both("copysign")),
        O::F64Abs => (F64, Unary("fabs", "")),
        O::F64Ceil => (F64, Unary("ceil", "")),
        O::F64Floor => (F64, Unary("floor", "")),
        O::F64Trunc => (F64, Unary("trunc", "")),
        O::F64Nearest => (F64, Unary("roundeven", "")),
        O::F64Sqrt => (F64, Unary("sqrt", "")),
        O::F64Eq => (F64, Compare("fcmp oeq")),
        O::F64Ne => (F64, Compare("fcmp une")),
        O::F64Lt => (F64, Compare("fcmp olt")),
        O::F64Gt => (F64, Compare("fcmp ogt")),
        O::F64Le => (F64, Compare("fcmp ole")),
        O::F64Ge => (F64, Compare("fcmp oge")),
        _ => return None,
    })
}
