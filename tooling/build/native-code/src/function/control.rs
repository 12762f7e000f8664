//! Blocks and branches.

use std::fmt::Write;

use anyhow::{Context, Result, bail};
use sqlite_wasm_native::pinned::trap::UNREACHABLE;
use wasmparser::{BlockType, Operator};

use super::{Translation, Value};
use crate::profile;
use crate::types::{Signature, Type};

/// A block that has begun.
pub struct Frame {
    id: u32,
    kind: Kind,
    /// The size of the stack outside.
    height: usize,
    parameters: Vec<Type>,
    results: Vec<Type>,
}

enum Kind {
    Block,
    Loop,
    /// With the values for the other branch, if that has not begun.
    If(Option<Vec<Value>>),
}

impl Frame {
    /// The label to which a branch leads.
    fn target(&self) -> String {
        match self.kind {
            Kind::Loop => format!("loop{}", self.id),
            _ => format!("end{}", self.id),
        }
    }

    /// The values that a branch takes along, and the letter of their variables.
    fn taken(&self) -> (&[Type], char) {
        match self.kind {
            Kind::Loop => (&self.parameters, 'p'),
            _ => (&self.results, 'r'),
        }
    }
}

impl Translation<'_> {
    /// The variables of locals, and the frame to which `return` leads.
    pub(super) fn enter_function(&mut self) {
        let memory = self.program.layout.memory_base;
        let variables = &mut self.variables;
        if self.program.module.memory.is_some() {
            let _ = writeln!(variables, "  %base = getelementptr i8, ptr %vm, i64 {memory}");
            let _ = writeln!(variables, "  %mem = load ptr, ptr %base, !invariant.load !0");
        }
        for (index, ty) in self.locals.iter().enumerate() {
            let _ = writeln!(variables, "  %l{index} = alloca {ty}");
            let value = if index < self.signature.parameters.len() {
                format!("%a{index}")
            } else {
                ty.zero().to_owned()
            };
            let _ = writeln!(variables, "  store {ty} {value}, ptr %l{index}");
        }
        let results = self.signature.result.into_iter().collect();
        self.enter(Kind::Block, Vec::new(), results);
    }

    /// Operators that structure the function. False for another one.
    pub(super) fn control(&mut self, operator: &Operator<'_>) -> Result<bool> {
        match operator {
            Operator::Unreachable => self.unreachable(),
            Operator::Block { blockty } => self.block(*blockty)?,
            Operator::Loop { blockty } => self.begin_loop(*blockty)?,
            Operator::If { blockty } => self.begin_if(*blockty)?,
            Operator::Else => self.begin_else()?,
            Operator::End => self.end()?,
            Operator::Br { relative_depth } => {
                let target = self.branch(*relative_depth)?;
                self.leave(&target);
            }
            Operator::BrIf { relative_depth } => self.branch_if(*relative_depth)?,
            Operator::BrTable { targets } => self.branch_table(targets)?,
            Operator::Return => {
                let target = self.branch(self.frames.len() as u32 - 1)?;
                self.leave(&target);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An operator that is not reached.
    pub(super) fn skip(&mut self, operator: &Operator<'_>) -> Result<()> {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.skipped += 1;
            }
            Operator::Else if self.skipped == 0 => self.begin_else()?,
            Operator::End if self.skipped == 0 => self.end()?,
            Operator::End => self.skipped -= 1,
            _ => {}
        }
        Ok(())
    }

    fn unreachable(&mut self) {
        self.traps.insert(UNREACHABLE);
        self.leave(&format!("trap{UNREACHABLE}"));
    }

    /// Continue at a label; what follows is not reached.
    fn leave(&mut self, label: &str) {
        self.line(format_args!("br label %{label}"));
        self.reachable = false;
    }

    fn block(&mut self, ty: BlockType) -> Result<()> {
        let (parameters, results) = self.block_type(ty)?;
        self.enter(Kind::Block, parameters, results);
        Ok(())
    }

    fn begin_loop(&mut self, ty: BlockType) -> Result<()> {
        let (parameters, results) = self.block_type(ty)?;
        self.enter(Kind::Loop, parameters, results);
        let target = self.branch(0)?;
        self.line(format_args!("br label %{target}"));
        self.label(&target);
        if self.program.is_timed {
            self.line(format_args!("call void @check_time(ptr %vm)"));
        }
        let frame = self.frames.last().context("a loop has no frame")?;
        let (id, height, parameters) = (frame.id, frame.height, frame.parameters.clone());
        self.stack.truncate(height);
        self.load_variables('p', id, &parameters);
        Ok(())
    }

    fn begin_if(&mut self, ty: BlockType) -> Result<()> {
        let condition = self.pop()?;
        let (parameters, results) = self.block_type(ty)?;
        let values = self.stack[self.stack.len() - parameters.len()..].to_vec();
        self.enter(Kind::If(Some(values)), parameters, results);
        let is_true = self.assign(format_args!("icmp ne i32 {condition}, 0"));
        let then = self.fresh("then");
        let id = self.frames.last().context("an if has no frame")?.id;
        let weights = profile::weights(self.branch);
        self.line(format_args!("br i1 {is_true}, label %{then}, label %else{id}{weights}"));
        self.label(&then);
        Ok(())
    }

    fn begin_else(&mut self) -> Result<()> {
        let frame = self.frames.last_mut().context("an else has no frame")?;
        let Kind::If(values) = &mut frame.kind else { bail!("an else has no if") };
        let (values, id, height) = (values.take().unwrap_or_default(), frame.id, frame.height);
        if self.reachable {
            let target = self.branch(0)?;
            self.line(format_args!("br label %{target}"));
        }
        self.stack.truncate(height);
        self.stack.extend(values);
        self.label(&format!("else{id}"));
        self.reachable = true;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let frame = self.frames.pop().context("an end has no frame")?;
        let end = format!("end{}", frame.id);
        if self.reachable {
            self.store_variables('r', frame.id, &frame.results)?;
            self.line(format_args!("br label %{end}"));
        }
        if let Kind::If(Some(values)) = &frame.kind {
            // Without an else: the parameters are the results.
            self.label(&format!("else{}", frame.id));
            self.stack.extend(values.iter().cloned());
            self.store_variables('r', frame.id, &frame.results)?;
            self.line(format_args!("br label %{end}"));
        }
        self.label(&end);
        self.stack.truncate(frame.height);
        self.load_variables('r', frame.id, &frame.results);
        self.reachable = true;
        if self.frames.is_empty() { self.return_value() } else { Ok(()) }
    }

    fn return_value(&mut self) -> Result<()> {
        match self.signature.result {
            Some(ty) => {
                let value = self.pop()?;
                self.line(format_args!("ret {ty} {value}"));
            }
            None => self.line(format_args!("ret void")),
        }
        Ok(())
    }

    fn enter(&mut self, kind: Kind, parameters: Vec<Type>, results: Vec<Type>) {
        self.next += 1;
        let id = self.next;
        for (letter, types) in [('p', &parameters), ('r', &results)] {
            for (index, ty) in types.iter().enumerate() {
                let _ = writeln!(self.variables, "  %{letter}{id}.{index} = alloca {ty}");
            }
        }
        let height = self.stack.len() - parameters.len();
        self.frames.push(Frame { id, kind, height, parameters, results });
    }

    fn block_type(&self, ty: BlockType) -> Result<(Vec<Type>, Vec<Type>)> {
        Ok(match ty {
            BlockType::Empty => (Vec::new(), Vec::new()),
            BlockType::Type(ty) => (Vec::new(), vec![Type::of(ty)?]),
            BlockType::FuncType(index) => {
                let ty = self.program.module.types.get(index as usize);
                let ty = Signature::of(ty.context("a block has no type")?)?;
                (ty.parameters, ty.result.into_iter().collect())
            }
        })
    }

    /// Pass the values for a branch to its target, and name that. They remain on the stack.
    pub(super) fn branch(&mut self, depth: u32) -> Result<String> {
        let frame = self.frames.iter().rev().nth(depth as usize);
        let frame = frame.context("a branch has no target")?;
        let (types, letter) = frame.taken();
        let (types, id, target) = (types.to_vec(), frame.id, frame.target());
        self.store_variables(letter, id, &types)?;
        Ok(target)
    }

    fn branch_if(&mut self, depth: u32) -> Result<()> {
        let condition = self.pop()?;
        let target = self.branch(depth)?;
        let is_true = self.assign(format_args!("icmp ne i32 {condition}, 0"));
        let next = self.fresh("next");
        let weights = profile::weights(self.branch);
        self.line(format_args!("br i1 {is_true}, label %{target}, label %{next}{weights}"));
        self.label(&next);
        Ok(())
    }

    fn store_variables(&mut self, letter: char, id: u32, types: &[Type]) -> Result<()> {
        let first = self.stack.len().checked_sub(types.len()).context("the stack is empty")?;
        for (index, ty) in types.iter().enumerate() {
            let value = self.stack[first + index].text.clone();
            self.line(format_args!("store {ty} {value}, ptr %{letter}{id}.{index}"));
        }
        Ok(())
    }

    fn load_variables(&mut self, letter: char, id: u32, types: &[Type]) {
        for (index, ty) in types.iter().enumerate() {
            self.put(*ty, format_args!("load {ty}, ptr %{letter}{id}.{index}"));
        }
    }
}
