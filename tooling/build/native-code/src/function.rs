//! Translating one function: its frame, its blocks, its values.
//!
//! Nothing that WebAssembly defines is left undefined for LLVM: no `inbounds`, no `nsw`, no
//! `mustprogress`; each access of the memory is volatile, as other processes map it too.

mod calls;
mod control;
mod conversions;
mod memory;
mod numeric;
mod tables;
mod vector;

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use anyhow::{Context, Result, bail};
use wasmparser::{FunctionBody, Operator};

use crate::profile;
use crate::program::Program;
use crate::types::{Signature, Type, double, float};
use control::Frame;

/// A value on the stack of WebAssembly.
#[derive(Debug, Clone)]
pub struct Value {
    text: String,
    ty: Type,
    /// Whether it was loaded as a byte without a sign.
    is_byte: bool,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A function during its translation.
pub struct Translation<'a> {
    program: &'a Program<'a>,
    /// Whether LLVM is to know nothing of its addresses.
    hides: bool,
    signature: Signature,
    locals: Vec<Type>,
    /// Variables, which LLVM turns into registers.
    variables: String,
    text: String,
    stack: Vec<Value>,
    frames: Vec<Frame>,
    /// Whether the next operator can be reached, and how many blocks began since it could not.
    reachable: bool,
    skipped: u32,
    next: u32,
    /// The traps that some check of the function leads to.
    traps: BTreeSet<u8>,
    calls: bool,
    /// How often each branch went each way, if that is known, and the last branch.
    branches: std::slice::Iter<'a, Vec<u64>>,
    branch: &'a [u64],
}

/// The text of the function with this index among those of the module.
///
/// # Errors
///
/// When it has an operator or a type that is not translated.
pub fn translate(program: &Program<'_>, index: u32) -> Result<String> {
    let module = &program.module;
    let body = module.bodies.get(index as usize).context("a function has no body")?;
    let signature = program.signature(module.imports.len() as u32 + index)?;
    let mut translation = Translation {
        program,
        hides: program.hides(index),
        locals: locals(&signature, body)?,
        signature,
        variables: String::new(),
        text: String::new(),
        stack: Vec::new(),
        frames: Vec::new(),
        reachable: true,
        skipped: 0,
        next: 0,
        traps: BTreeSet::new(),
        calls: false,
        branches: program.counts(index).map_or(&[][..], |counts| &counts.branches).iter(),
        branch: &[],
    };
    translation.body(body)?;
    Ok(translation.finish(index))
}

fn locals(signature: &Signature, body: &FunctionBody<'_>) -> Result<Vec<Type>> {
    let mut locals = signature.parameters.clone();
    for group in body.get_locals_reader()? {
        let (count, ty) = group?;
        locals.extend(std::iter::repeat_n(Type::of(ty)?, count as usize));
    }
    Ok(locals)
}

impl Translation<'_> {
    fn body(&mut self, body: &FunctionBody<'_>) -> Result<()> {
        self.enter_function();
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            if profile::ways(&operator) > 0 {
                self.branch = self.branches.next().map_or(&[], Vec::as_slice);
            }
            if self.reachable {
                self.operator(&operator)?;
            } else {
                self.skip(&operator)?;
            }
        }
        Ok(())
    }

    /// One that is reached.
    fn operator(&mut self, operator: &Operator<'_>) -> Result<()> {
        let done = self.value_operator(operator)?
            || self.control(operator)?
            || self.numeric(operator)?
            || self.conversion(operator)?
            || self.memory(operator)?
            || self.call(operator)?
            || self.vector(operator)?;
        if !done {
            let name = format!("{operator:?}");
            bail!("{} is not translated", name.split([' ', '{']).next().unwrap_or_default());
        }
        Ok(())
    }

    fn value_operator(&mut self, operator: &Operator<'_>) -> Result<bool> {
        match *operator {
            Operator::Nop => {}
            Operator::Drop => {
                self.pop()?;
            }
            Operator::I32Const { value } => self.push(Type::I32, value.to_string()),
            Operator::I64Const { value } => self.push(Type::I64, value.to_string()),
            Operator::F32Const { value } => self.push(Type::F32, float(value.bits())),
            Operator::F64Const { value } => self.push(Type::F64, double(value.bits())),
            Operator::LocalGet { local_index: index } => {
                let ty = self.local(index)?;
                self.put(ty, format_args!("load {ty}, ptr %l{index}"));
            }
            Operator::LocalSet { local_index: index } => {
                let value = self.pop()?;
                self.line(format_args!("store {} {value}, ptr %l{index}", value.ty));
            }
            Operator::LocalTee { local_index: index } => {
                let value = self.pop()?;
                self.line(format_args!("store {} {value}, ptr %l{index}", value.ty));
                self.stack.push(value);
            }
            Operator::GlobalGet { global_index: index } => self.global_get(index)?,
            Operator::GlobalSet { global_index: index } => {
                let (value, address) = (self.pop()?, self.global(index)?);
                self.line(format_args!("store {} {value}, ptr {address}", value.ty));
            }
            Operator::Select | Operator::TypedSelect { .. } => self.select()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn local(&self, index: u32) -> Result<Type> {
        self.locals.get(index as usize).copied().context("a local does not exist")
    }

    fn select(&mut self) -> Result<()> {
        let (condition, other, value) = (self.pop()?, self.pop()?, self.pop()?);
        let is_true = self.assign(format_args!("icmp ne i32 {condition}, 0"));
        let (ty, weights) = (value.ty, profile::weights(self.branch));
        self.put(ty, format_args!("select i1 {is_true}, {ty} {value}, {ty} {other}{weights}"));
        Ok(())
    }

    fn global_get(&mut self, index: u32) -> Result<()> {
        let global = self.program.module.globals.get(index as usize);
        let global = *global.context("a global does not exist")?;
        let ty = Type::of(global.ty)?;
        match (global.constant, ty) {
            (Some(bits), Type::I32) => self.push(ty, (bits as u32).cast_signed().to_string()),
            (Some(bits), Type::I64) => self.push(ty, bits.cast_signed().to_string()),
            (Some(bits), Type::F32) => self.push(ty, float(bits as u32)),
            (Some(bits), Type::F64) => self.push(ty, double(bits)),
            (_, Type::V128) => bail!("globals with vectors are not translated"),
            (None, _) => {
                let address = self.global(index)?;
                self.put(ty, format_args!("load {ty}, ptr {address}"));
            }
        }
        Ok(())
    }

    fn global(&mut self, index: u32) -> Result<String> {
        let offset = self.program.layout.globals.get(index as usize);
        let offset = *offset.context("a global does not exist")?;
        Ok(self.assign(format_args!("getelementptr i8, ptr %vm, i64 {offset}")))
    }

    fn push(&mut self, ty: Type, text: String) {
        self.stack.push(Value { text, ty, is_byte: false });
    }

    fn pop(&mut self) -> Result<Value> {
        self.stack.pop().context("the stack is empty")
    }

    fn line(&mut self, text: fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "  {text}");
    }

    /// The name of what `text` computes.
    fn assign(&mut self, text: fmt::Arguments<'_>) -> String {
        self.next += 1;
        let name = format!("%v{}", self.next);
        let _ = writeln!(self.text, "  {name} = {text}");
        name
    }

    /// Push what `text` computes.
    fn put(&mut self, ty: Type, text: fmt::Arguments<'_>) {
        let name = self.assign(text);
        self.push(ty, name);
    }

    /// A name that no other label has.
    fn fresh(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }

    fn label(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }

    /// Trap if the condition, an `i1`, holds.
    fn trap_if(&mut self, condition: &str, code: u8) {
        self.traps.insert(code);
        let next = self.fresh("after");
        self.line(format_args!("br i1 {condition}, label %trap{code}, label %{next}, !prof !1"));
        self.label(&next);
    }

    fn finish(self, index: u32) -> String {
        let Self { program, signature, mut text, variables, traps, .. } = self;
        for code in traps {
            let _ = writeln!(text, "trap{code}:\n  call void @trap{code}()\n  unreachable");
        }
        let returned = signature.returned();
        let parameters = signature.parameters.iter().enumerate();
        let parameters: String =
            parameters.map(|(index, ty)| format!(", {ty} %a{index}")).collect();
        let check = match (self.calls, program.is_timed) {
            (false, _) => "",
            (true, false) => "  call void @check_stack(ptr %vm)\n",
            (true, true) => "  call void @check_stack(ptr %vm)\n  call void @check_time(ptr %vm)\n",
        };
        let (linkage, caller) =
            if program.is_entry(index) { ("hidden", ", ptr %caller") } else { ("internal", "") };
        let (attribute, calls) = profile::entry(program.counts(index));
        format!(
            "define {linkage} {returned} @f{index}(ptr %vm{caller}{parameters}) #0{attribute}{calls} {{\n\
             {variables}{check}  br label %body\nbody:\n{text}}}\n"
        )
    }
}
