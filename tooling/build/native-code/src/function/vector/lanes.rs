//! The shapes of vectors, and the operators that work on each lane alike.

use std::fmt;

use wasmparser::Operator as O;

/// How a vector is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The count of lanes.
    pub lanes: u32,
    /// The bits of each.
    pub bits: u32,
    is_float: bool,
}

const fn integers(lanes: u32) -> Shape {
    Shape { lanes, bits: 128 / lanes, is_float: false }
}

/// Sixteen bytes.
pub const I8X16: Shape = integers(16);
/// Eight integers of 16 bits.
pub const I16X8: Shape = integers(8);
/// Four integers of 32 bits.
pub const I32X4: Shape = integers(4);
/// Two integers of 64 bits.
pub const I64X2: Shape = integers(2);
/// Four floats.
pub const F32X4: Shape = Shape { is_float: true, ..I32X4 };
/// Two floats of 64 bits.
pub const F64X2: Shape = Shape { is_float: true, ..I64X2 };

impl Shape {
    /// LLVM's type of a lane.
    pub fn lane(self) -> String {
        match (self.is_float, self.bits) {
            (true, 32) => "float".to_owned(),
            (true, _) => "double".to_owned(),
            (false, bits) => format!("i{bits}"),
        }
    }

    /// The name that intrinsics have for it.
    pub fn suffix(self) -> String {
        format!("v{}{}{}", self.lanes, if self.is_float { 'f' } else { 'i' }, self.bits)
    }

    /// Integers of the same size.
    pub fn integers(self) -> Self {
        integers(self.lanes)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} x {}>", self.lanes, self.lane())
    }
}

/// How LLVM computes an operator.
pub enum Form {
    /// An instruction with two operands.
    Binary(&'static str),
    /// The same on floats, of which LLVM knows nothing.
    Float(&'static str),
    /// An intrinsic with two operands.
    Both(&'static str),
    /// An intrinsic with one operand, and what follows that.
    Unary(&'static str, &'static str),
    /// A comparison, which sets all bits of a lane.
    Compare(&'static str),
    /// Shifts of all lanes by the same count.
    Shift(&'static str),
    /// The negative.
    Negate,
    /// Half of the lanes, twice as wide.
    Extend {
        /// LLVM's instruction.
        name: &'static str,
        /// Whether it is the upper half.
        high: bool,
        /// The shape of the result.
        to: Shape,
    },
    /// Lanes of the same size.
    Convert {
        /// LLVM's instruction.
        name: &'static str,
        /// The shape of the result.
        to: Shape,
    },
}

use Form::{Binary, Both, Compare, Convert, Extend, Float, Negate, Shift, Unary};

/// The operators, with the shape of their operands.
pub fn form(operator: &O<'_>) -> Option<(Shape, Form)> {
    arithmetic(operator).or_else(|| comparison(operator)).or_else(|| extension(operator))
}

fn arithmetic(operator: &O<'_>) -> Option<(Shape, Form)> {
    Some(match operator {
        O::I8x16Add => (I8X16, Binary("add")),
        O::I8x16Sub => (I8X16, Binary("sub")),
        O::I16x8Add => (I16X8, Binary("add")),
        O::I16x8Sub => (I16X8, Binary("sub")),
        O::I16x8Mul => (I16X8, Binary("mul")),
        O::I32x4Add => (I32X4, Binary("add")),
        O::I32x4Sub => (I32X4, Binary("sub")),
        O::I32x4Mul => (I32X4, Binary("mul")),
        O::I64x2Add => (I64X2, Binary("add")),
        O::I64x2Sub => (I64X2, Binary("sub")),
        O::I64x2Mul => (I64X2, Binary("mul")),
        O::F32x4Add => (F32X4, Float("fadd")),
        O::F32x4Sub => (F32X4, Float("fsub")),
        O::F32x4Mul => (F32X4, Float("fmul")),
        O::F32x4Div => (F32X4, Float("fdiv")),
        O::F64x2Add => (F64X2, Float("fadd")),
        O::F64x2Sub => (F64X2, Float("fsub")),
        O::F64x2Mul => (F64X2, Float("fmul")),
        O::F64x2Div => (F64X2, Float("fdiv")),
        O::F32x4Abs => (F32X4, Unary("fabs", "")),
        O::F64x2Abs => (F64X2, Unary("fabs", "")),
        O::F32x4Sqrt => (F32X4, Unary("sqrt", "")),
        O::F64x2Sqrt => (F64X2, Unary("sqrt", "")),
        O::I8x16Abs => (I8X16, Unary("abs", ", i1 false")),
        O::I16x8Abs => (I16X8, Unary("abs", ", i1 false")),
        O::I32x4Abs => (I32X4, Unary("abs", ", i1 false")),
        O::I64x2Abs => (I64X2, Unary("abs", ", i1 false")),
        O::I8x16Popcnt => (I8X16, Unary("ctpop", "")),
        O::I8x16Neg => (I8X16, Negate),
        O::I16x8Neg => (I16X8, Negate),
        O::I32x4Neg => (I32X4, Negate),
        O::I64x2Neg => (I64X2, Negate),
        O::I8x16MinS => (I8X16, Both("smin")),
        O::I8x16MinU => (I8X16, Both("umin")),
        O::I8x16MaxS => (I8X16, Both("smax")),
        O::I8x16MaxU => (I8X16, Both("umax")),
        O::I16x8MinS => (I16X8, Both("smin")),
        O::I16x8MinU => (I16X8, Both("umin")),
        O::I16x8MaxS => (I16X8, Both("smax")),
        O::I16x8MaxU => (I16X8, Both("umax")),
        O::I32x4MinS => (I32X4, Both("smin")),
        O::I32x4MinU => (I32X4, Both("umin")),
        O::I32x4MaxS => (I32X4, Both("smax")),
        O::I32x4MaxU => (I32X4, Both("umax")),
        O::I8x16AddSatS => (I8X16, Both("sadd.sat")),
        O::I8x16AddSatU => (I8X16, Both("uadd.sat")),
        O::I8x16SubSatS => (I8X16, Both("ssub.sat")),
        O::I8x16SubSatU => (I8X16, Both("usub.sat")),
        O::I16x8AddSatS => (I16X8, Both("sadd.sat")),
        O::I16x8AddSatU => (I16X8, Both("uadd.sat")),
        O::I16x8SubSatS => (I16X8, Both("ssub.sat")),
        O::I16x8SubSatU => (I16X8, Both("usub.sat")),
        O::I8x16Shl => (I8X16, Shift("shl")),
        O::I8x16ShrS => (I8X16, Shift("ashr")),
        O::I8x16ShrU => (I8X16, Shift("lshr")),
        O::I16x8Shl => (I16X8, Shift("shl")),
        O::I16x8ShrS => (I16X8, Shift("ashr")),
        O::I16x8ShrU => (I16X8, Shift("lshr")),
        O::I32x4Shl => (I32X4, Shift("shl")),
        O::I32x4ShrS => (I32X4, Shift("ashr")),
        O::I32x4ShrU => (I32X4, Shift("lshr")),
        O::I64x2Shl => (I64X2, Shift("shl")),
        O::I64x2ShrS => (I64X2, Shift("ashr")),
        O::I64x2ShrU => (I64X2, Shift("lshr")),
        _ => return None,
    })
}

fn comparison(operator: &O<'_>) -> Option<(Shape, Form)> {
    Some(match operator {
        O::I8x16Eq => (I8X16, Compare("icmp eq")),
        O::I8x16Ne => (I8X16, Compare("icmp ne")),
        O::I8x16LtS => (I8X16, Compare("icmp slt")),
        O::I8x16LtU => (I8X16, Compare("icmp ult")),
        O::I8x16GtS => (I8X16, Compare("icmp sgt")),
        O::I8x16GtU => (I8X16, Compare("icmp ugt")),
        O::I8x16LeS => (I8X16, Compare("icmp sle")),
        O::I8x16LeU => (I8X16, Compare("icmp ule")),
        O::I8x16GeS => (I8X16, Compare("icmp sge")),
        O::I8x16GeU => (I8X16, Compare("icmp uge")),
        O::I16x8Eq => (I16X8, Compare("icmp eq")),
        O::I16x8Ne => (I16X8, Compare("icmp ne")),
        O::I16x8LtS => (I16X8, Compare("icmp slt")),
        O::I16x8LtU => (I16X8, Compare("icmp ult")),
        O::I16x8GtS => (I16X8, Compare("icmp sgt")),
        O::I16x8GtU => (I16X8, Compare("icmp ugt")),
        O::I16x8LeS => (I16X8, Compare("icmp sle")),
        O::I16x8LeU => (I16X8, Compare("icmp ule")),
        O::I16x8GeS => (I16X8, Compare("icmp sge")),
        O::I16x8GeU => (I16X8, Compare("icmp uge")),
        O::I32x4Eq => (I32X4, Compare("icmp eq")),
        O::I32x4Ne => (I32X4, Compare("icmp ne")),
        O::I32x4LtS => (I32X4, Compare("icmp slt")),
        O::I32x4LtU => (I32X4, Compare("icmp ult")),
        O::I32x4GtS => (I32X4, Compare("icmp sgt")),
        O::I32x4GtU => (I32X4, Compare("icmp ugt")),
        O::I32x4LeS => (I32X4, Compare("icmp sle")),
        O::I32x4LeU => (I32X4, Compare("icmp ule")),
        O::I32x4GeS => (I32X4, Compare("icmp sge")),
        O::I32x4GeU => (I32X4, Compare("icmp uge")),
        O::I64x2Eq => (I64X2, Compare("icmp eq")),
        O::I64x2Ne => (I64X2, Compare("icmp ne")),
        O::I64x2LtS => (I64X2, Compare("icmp slt")),
        O::I64x2GtS => (I64X2, Compare("icmp sgt")),
        O::I64x2LeS => (I64X2, Compare("icmp sle")),
        O::I64x2GeS => (I64X2, Compare("icmp sge")),
        O::F64x2Eq => (F64X2, Compare("fcmp oeq")),
        O::F64x2Ne => (F64X2, Compare("fcmp une")),
        O::F64x2Lt => (F64X2, Compare("fcmp olt")),
        O::F64x2Gt => (F64X2, Compare("fcmp ogt")),
        O::F64x2Le => (F64X2, Compare("fcmp ole")),
        O::F64x2Ge => (F64X2, Compare("fcmp oge")),
        _ => return None,
    })
}

fn extension(operator: &O<'_>) -> Option<(Shape, Form)> {
    let low = |name, to| Extend { name, high: false, to };
    let high = |name, to| Extend { name, high: true, to };
    Some(match operator {
        O::I16x8ExtendLowI8x16S => (I8X16, low("sext", I16X8)),
        O::I16x8ExtendLowI8x16U => (I8X16, low("zext", I16X8)),
        O::I16x8ExtendHighI8x16S => (I8X16, high("sext", I16X8)),
        O::I16x8ExtendHighI8x16U => (I8X16, high("zext", I16X8)),
        O::I32x4ExtendLowI16x8S => (I16X8, low("sext", I32X4)),
        O::I32x4ExtendLowI16x8U => (I16X8, low("zext", I32X4)),
        O::I32x4ExtendHighI16x8S => (I16X8, high("sext", I32X4)),
        O::I32x4ExtendHighI16x8U => (I16X8, high("zext", I32X4)),
        O::I64x2ExtendLowI32x4S => (I32X4, low("sext", I64X2)),
        O::I64x2ExtendLowI32x4U => (I32X4, low("zext", I64X2)),
        O::I64x2ExtendHighI32x4S => (I32X4, high("sext", I64X2)),
        O::I64x2ExtendHighI32x4U => (I32X4, high("zext", I64X2)),
        O::F64x2ConvertLowI32x4S => (I32X4, low("sitofp", F64X2)),
        O::F64x2ConvertLowI32x4U => (I32X4, low("uitofp", F64X2)),
        O::F32x4ConvertI32x4S => (I32X4, Convert { name: "sitofp", to: F32X4 }),
        O::F32x4ConvertI32x4U => (I32X4, Convert { name: "uitofp", to: F32X4 }),
        _ => return None,
    })
}
