//! Vectors of 128 bits: those operators that compilers make of SQLite's code.

mod lanes;

use anyhow::{Result, ensure};
use wasmparser::Operator as O;

use super::Translation;
use crate::types::Type::{self, F32, F64, I32, I64, V128};
use lanes::{F32X4, F64X2, Form, I8X16, I16X8, I32X4, I64X2, Shape, form};

impl Translation<'_> {
    /// Operators on vectors. False for another one.
    pub(super) fn vector(&mut self, operator: &O<'_>) -> Result<bool> {
        if let Some((shape, form)) = form(operator) {
            self.lanewise(shape, &form)?;
            return Ok(true);
        }
        match operator {
            O::V128Const { value } => self.push(V128, constant(value.bytes())),
            O::V128Not => self.bits("xor", Some("splat (i8 -1)"))?,
            O::V128And => self.bits("and", None)?,
            O::V128Or => self.bits("or", None)?,
            O::V128Xor => self.bits("xor", None)?,
            O::V128AndNot => {
                self.bits("xor", Some("splat (i8 -1)"))?;
                self.bits("and", None)?;
            }
            O::V128Bitselect => self.select_bits()?,
            O::V128AnyTrue => self.any()?,
            O::I8x16Bitmask => self.bitmask(I8X16)?,
            O::I16x8Bitmask => self.bitmask(I16X8)?,
            O::I32x4Bitmask => self.bitmask(I32X4)?,
            O::I64x2Bitmask => self.bitmask(I64X2)?,
            O::I8x16AllTrue => self.all_true(I8X16)?,
            O::I16x8AllTrue => self.all_true(I16X8)?,
            O::I32x4AllTrue => self.all_true(I32X4)?,
            O::I64x2AllTrue => self.all_true(I64X2)?,
            O::I8x16Shuffle { lanes } => self.shuffle(lanes)?,
            _ => return self.lane_operator(operator),
        }
        Ok(true)
    }

    fn lane_operator(&mut self, operator: &O<'_>) -> Result<bool> {
        match *operator {
            O::I8x16Splat => self.splat(I8X16, I32)?,
            O::I16x8Splat => self.splat(I16X8, I32)?,
            O::I32x4Splat => self.splat(I32X4, I32)?,
            O::I64x2Splat => self.splat(I64X2, I64)?,
            O::F32x4Splat => self.splat(F32X4, F32)?,
            O::F64x2Splat => self.splat(F64X2, F64)?,
            O::I8x16ExtractLaneS { lane } => self.extract(I8X16, I32, lane, "sext")?,
            O::I8x16ExtractLaneU { lane } => self.extract(I8X16, I32, lane, "zext")?,
            O::I16x8ExtractLaneS { lane } => self.extract(I16X8, I32, lane, "sext")?,
            O::I16x8ExtractLaneU { lane } => self.extract(I16X8, I32, lane, "zext")?,
            O::I32x4ExtractLane { lane } => self.extract(I32X4, I32, lane, "")?,
            O::I64x2ExtractLane { lane } => self.extract(I64X2, I64, lane, "")?,
            O::F32x4ExtractLane { lane } => self.extract(F32X4, F32, lane, "")?,
            O::F64x2ExtractLane { lane } => self.extract(F64X2, F64, lane, "")?,
            O::I8x16ReplaceLane { lane } => self.replace(I8X16, I32, lane)?,
            O::I16x8ReplaceLane { lane } => self.replace(I16X8, I32, lane)?,
            O::I32x4ReplaceLane { lane } => self.replace(I32X4, I32, lane)?,
            O::I64x2ReplaceLane { lane } => self.replace(I64X2, I64, lane)?,
            O::F32x4ReplaceLane { lane } => self.replace(F32X4, F32, lane)?,
            O::F64x2ReplaceLane { lane } => self.replace(F64X2, F64, lane)?,
            _ => return self.vector_memory(operator),
        }
        Ok(true)
    }

    fn vector_memory(&mut self, operator: &O<'_>) -> Result<bool> {
        match *operator {
            O::V128Load32Zero { memarg } => self.load_lane(I32X4, memarg, Fill::Zero)?,
            O::V128Load64Zero { memarg } => self.load_lane(I64X2, memarg, Fill::Zero)?,
            O::V128Load8Splat { memarg } => self.load_lane(I8X16, memarg, Fill::Same)?,
            O::V128Load16Splat { memarg } => self.load_lane(I16X8, memarg, Fill::Same)?,
            O::V128Load32Splat { memarg } => self.load_lane(I32X4, memarg, Fill::Same)?,
            O::V128Load64Splat { memarg } => self.load_lane(I64X2, memarg, Fill::Same)?,
            O::V128Load8x8S { memarg } => self.load_extended("<8 x i8>", I16X8, memarg, "sext")?,
            O::V128Load8x8U { memarg } => self.load_extended("<8 x i8>", I16X8, memarg, "zext")?,
            O::V128Load16x4S { memarg } => {
                self.load_extended("<4 x i16>", I32X4, memarg, "sext")?
            }
            O::V128Load16x4U { memarg } => {
                self.load_extended("<4 x i16>", I32X4, memarg, "zext")?
            }
            O::V128Load32x2S { memarg } => {
                self.load_extended("<2 x i32>", I64X2, memarg, "sext")?
            }
            O::V128Load32x2U { memarg } => {
                self.load_extended("<2 x i32>", I64X2, memarg, "zext")?
            }
            O::V128Load8Lane { memarg, lane } => self.read_lane(I8X16, memarg, lane)?,
            O::V128Load16Lane { memarg, lane } => self.read_lane(I16X8, memarg, lane)?,
            O::V128Load32Lane { memarg, lane } => self.read_lane(I32X4, memarg, lane)?,
            O::V128Load64Lane { memarg, lane } => self.read_lane(I64X2, memarg, lane)?,
            O::V128Store8Lane { memarg, lane } => self.write_lane(I8X16, memarg, lane)?,
            O::V128Store16Lane { memarg, lane } => self.write_lane(I16X8, memarg, lane)?,
            O::V128Store32Lane { memarg, lane } => self.write_lane(I32X4, memarg, lane)?,
            O::V128Store64Lane { memarg, lane } => self.write_lane(I64X2, memarg, lane)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The top of the stack as lanes.
    pub(super) fn lanes(&mut self, shape: Shape) -> Result<String> {
        let value = self.pop()?;
        ensure!(value.ty == V128, "an operand is not a vector");
        Ok(self.assign(format_args!("bitcast <16 x i8> {value} to {shape}")))
    }

    pub(super) fn put_lanes(&mut self, shape: Shape, lanes: &str) {
        self.put(V128, format_args!("bitcast {shape} {lanes} to <16 x i8>"));
    }

    fn lanewise(&mut self, shape: Shape, form: &Form) -> Result<()> {
        if let Form::Shift(name) = form {
            return self.shift(shape, name);
        }
        let b = self.lanes(shape)?;
        let result = match form {
            Form::Negate => self.assign(format_args!("sub {shape} zeroinitializer, {b}")),
            Form::Unary(name, more) => self.assign(format_args!(
                "call {shape} @llvm.{name}.{}({shape} {b}{more})",
                shape.suffix()
            )),
            Form::Extend { name, high, to } => return self.extend(shape, *to, name, *high, &b),
            Form::Convert { name, to } => {
                let lanes = self.assign(format_args!("{name} {shape} {b} to {to}"));
                self.put_lanes(*to, &lanes);
                return Ok(());
            }
            _ => {
                let a = self.lanes(shape)?;
                self.two(shape, form, &a, &b)
            }
        };
        self.put_lanes(shape, &result);
        Ok(())
    }

    fn two(&mut self, shape: Shape, form: &Form, a: &str, b: &str) -> String {
        match form {
            Form::Compare(name) => {
                let (condition, integers) =
                    (self.assign(format_args!("{name} {shape} {a}, {b}")), shape.integers());
                let bits = self
                    .assign(format_args!("sext <{} x i1> {condition} to {integers}", shape.lanes));
                self.assign(format_args!("bitcast {integers} {bits} to {shape}"))
            }
            Form::Both(name) => self.assign(format_args!(
                "call {shape} @llvm.{name}.{}({shape} {a}, {shape} {b})",
                shape.suffix()
            )),
            Form::Binary(name) => self.assign(format_args!("{name} {shape} {a}, {b}")),
            Form::Float(name) => {
                let (a, b) = (self.opaque(shape, a), self.opaque(shape, b));
                self.assign(format_args!("{name} {shape} {a}, {b}"))
            }
            _ => String::new(),
        }
    }

    fn shift(&mut self, shape: Shape, name: &str) -> Result<()> {
        let count = self.pop()?;
        let lanes = self.lanes(shape)?;
        let count = self.assign(format_args!("and i32 {count}, {}", shape.bits - 1));
        let name_of_cast = if shape.bits == 64 { "zext" } else { "trunc" };
        let count = match shape.bits {
            32 => count,
            bits => self.assign(format_args!("{name_of_cast} i32 {count} to i{bits}")),
        };
        let counts = self.same(shape, &count);
        let shifted = self.assign(format_args!("{name} {shape} {lanes}, {counts}"));
        self.put_lanes(shape, &shifted);
        Ok(())
    }

    /// All lanes the same.
    fn same(&mut self, shape: Shape, lane: &str) -> String {
        let first = self.assign(format_args!(
            "insertelement {shape} zeroinitializer, {} {lane}, i32 0",
            shape.lane()
        ));
        self.assign(format_args!(
            "shufflevector {shape} {first}, {shape} zeroinitializer, <{} x i32> zeroinitializer",
            shape.lanes
        ))
    }

    /// A scalar as a lane, which may have fewer bits.
    fn as_lane(&mut self, shape: Shape, ty: Type) -> Result<String> {
        let value = self.pop()?;
        ensure!(value.ty == ty, "a lane has another type");
        Ok(if shape.bits < 32 {
            self.assign(format_args!("trunc i32 {value} to {}", shape.lane()))
        } else {
            value.to_string()
        })
    }

    fn splat(&mut self, shape: Shape, ty: Type) -> Result<()> {
        let lane = self.as_lane(shape, ty)?;
        let lanes = self.same(shape, &lane);
        self.put_lanes(shape, &lanes);
        Ok(())
    }

    fn extract(&mut self, shape: Shape, ty: Type, lane: u8, widened: &str) -> Result<()> {
        let lanes = self.lanes(shape)?;
        if widened.is_empty() {
            self.put(ty, format_args!("extractelement {shape} {lanes}, i32 {lane}"));
        } else {
            let value = self.assign(format_args!("extractelement {shape} {lanes}, i32 {lane}"));
            self.put(ty, format_args!("{widened} {} {value} to {ty}", shape.lane()));
        }
        Ok(())
    }

    fn replace(&mut self, shape: Shape, ty: Type, lane: u8) -> Result<()> {
        let value = self.as_lane(shape, ty)?;
        let lanes = self.lanes(shape)?;
        let lane_type = shape.lane();
        let replaced = self
            .assign(format_args!("insertelement {shape} {lanes}, {lane_type} {value}, i32 {lane}"));
        self.put_lanes(shape, &replaced);
        Ok(())
    }

    /// With a constant, or with one more vector.
    fn bits(&mut self, name: &str, constant: Option<&str>) -> Result<()> {
        let b = match constant {
            Some(constant) => constant.to_owned(),
            None => self.pop()?.text,
        };
        let a = self.pop()?;
        self.put(V128, format_args!("{name} <16 x i8> {a}, {b}"));
        Ok(())
    }

    fn select_bits(&mut self) -> Result<()> {
        let (mask, b, a) = (self.pop()?, self.pop()?, self.pop()?);
        let different = self.assign(format_args!("xor <16 x i8> {a}, {b}"));
        let chosen = self.assign(format_args!("and <16 x i8> {different}, {mask}"));
        self.put(V128, format_args!("xor <16 x i8> {chosen}, {b}"));
        Ok(())
    }

    fn any(&mut self) -> Result<()> {
        let value = self.pop()?;
        let whole = self.assign(format_args!("bitcast <16 x i8> {value} to i128"));
        let is_some = self.assign(format_args!("icmp ne i128 {whole}, 0"));
        self.put_condition(&is_some);
        Ok(())
    }

    /// A bit for each lane that is `name` zero, as an integer.
    fn lane_bits(&mut self, shape: Shape, name: &str) -> Result<String> {
        let lanes = self.lanes(shape)?;
        let conditions = self.assign(format_args!("icmp {name} {shape} {lanes}, zeroinitializer"));
        let count = shape.lanes;
        Ok(self.assign(format_args!("bitcast <{count} x i1> {conditions} to i{count}")))
    }

    fn bitmask(&mut self, shape: Shape) -> Result<()> {
        let bits = self.lane_bits(shape, "slt")?;
        self.put(I32, format_args!("zext i{} {bits} to i32", shape.lanes));
        Ok(())
    }

    fn all_true(&mut self, shape: Shape) -> Result<()> {
        let zeros = self.lane_bits(shape, "eq")?;
        let is_all = self.assign(format_args!("icmp eq i{} {zeros}, 0", shape.lanes));
        self.put_condition(&is_all);
        Ok(())
    }

    fn shuffle(&mut self, lanes: &[u8; 16]) -> Result<()> {
        let (b, a) = (self.pop()?, self.pop()?);
        let lanes = lanes.map(|lane| format!("i32 {lane}")).join(", ");
        self.put(
            V128,
            format_args!("shufflevector <16 x i8> {a}, <16 x i8> {b}, <16 x i32> <{lanes}>"),
        );
        Ok(())
    }

    fn extend(
        &mut self,
        from: Shape,
        to: Shape,
        name: &str,
        high: bool,
        value: &str,
    ) -> Result<()> {
        let first = if high { to.lanes } else { 0 };
        let lanes: Vec<_> = (first..first + to.lanes).map(|lane| format!("i32 {lane}")).collect();
        let half = self.assign(format_args!(
            "shufflevector {from} {value}, {from} zeroinitializer, <{} x i32> <{}>",
            to.lanes,
            lanes.join(", ")
        ));
        let wide =
            self.assign(format_args!("{name} <{} x {}> {half} to {to}", to.lanes, from.lane()));
        self.put_lanes(to, &wide);
        Ok(())
    }

    fn load_lane(&mut self, shape: Shape, argument: wasmparser::MemArg, fill: Fill) -> Result<()> {
        let (address, lane) = (self.address(argument)?, shape.lane());
        let value = self.assign(format_args!("load volatile {lane}, ptr {address}, align 1"));
        let lanes = match fill {
            Fill::Same => self.same(shape, &value),
            Fill::Zero => self.assign(format_args!(
                "insertelement {shape} zeroinitializer, {lane} {value}, i32 0"
            )),
        };
        self.put_lanes(shape, &lanes);
        Ok(())
    }

    fn load_extended(
        &mut self,
        from: &str,
        to: Shape,
        argument: wasmparser::MemArg,
        name: &str,
    ) -> Result<()> {
        let address = self.address(argument)?;
        let whole = self.assign(format_args!("load volatile i64, ptr {address}, align 1"));
        let part = self.assign(format_args!("bitcast i64 {whole} to {from}"));
        let wide = self.assign(format_args!("{name} {from} {part} to {to}"));
        self.put_lanes(to, &wide);
        Ok(())
    }

    fn read_lane(&mut self, shape: Shape, argument: wasmparser::MemArg, lane: u8) -> Result<()> {
        let lanes = self.lanes(shape)?;
        let (address, ty) = (self.address(argument)?, shape.lane());
        let value = self.assign(format_args!("load volatile {ty}, ptr {address}, align 1"));
        let lanes =
            self.assign(format_args!("insertelement {shape} {lanes}, {ty} {value}, i32 {lane}"));
        self.put_lanes(shape, &lanes);
        Ok(())
    }

    fn write_lane(&mut self, shape: Shape, argument: wasmparser::MemArg, lane: u8) -> Result<()> {
        let lanes = self.lanes(shape)?;
        let (address, ty) = (self.address(argument)?, shape.lane());
        let value = self.assign(format_args!("extractelement {shape} {lanes}, i32 {lane}"));
        self.line(format_args!("store volatile {ty} {value}, ptr {address}, align 1"));
        Ok(())
    }
}

/// The other lanes of a vector of which one is loaded.
enum Fill {
    Zero,
    Same,
}

fn constant(bytes: &[u8; 16]) -> String {
    format!("<{}>", bytes.map(|byte| format!("i8 {byte}")).join(", "))
}
