//! Calls: inside the image as LLVM likes, out of it by the convention of wasmtime's compiler.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use wasmparser::Operator;

use super::{Translation, Value};
use crate::types::Signature;

impl Translation<'_> {
    /// Calls. False for another operator.
    pub(super) fn call(&mut self, operator: &Operator<'_>) -> Result<bool> {
        match *operator {
            Operator::Call { function_index } => self.direct(function_index)?,
            Operator::CallIndirect { type_index, .. } => self.indirect(type_index)?,
            _ => return Ok(false),
        }
        self.calls = true;
        Ok(true)
    }

    fn direct(&mut self, function: u32) -> Result<()> {
        let signature = self.program.signature(function)?;
        let arguments = self.arguments(&signature)?;
        match self.program.module.defined(function) {
            None => {
                let import = self.program.layout.imports.get(function as usize);
                let (code, vmctx) = *import.context("an import does not exist")?;
                let code = self.pointer("%vm", code);
                let vmctx = self.pointer("%vm", vmctx);
                self.outward(&signature, &code, &vmctx, &arguments);
            }
            Some(defined) if self.program.is_kept(defined) => {
                // Kept functions are called by the slots of the image, whose `jmp` leads to them.
                let code = format!("@kept{defined}");
                self.outward(&signature, &code, "%vm", &arguments);
            }
            Some(defined) => {
                // It does not look at the caller.
                let caller = if self.program.is_entry(defined) { ", ptr poison" } else { "" };
                // What is inlined where addresses are hidden hides its own, too.
                let keeps = self.hides && !self.program.hides(defined);
                let apart = if keeps { " noinline" } else { "" };
                let call = format!("@f{defined}(ptr %vm{caller}{arguments}){apart}");
                self.called(&signature, &call);
            }
        }
        Ok(())
    }

    fn indirect(&mut self, ty: u32) -> Result<()> {
        let module = &self.program.module;
        ensure!(module.fixed_slots().is_some(), "the table may grow");
        let signature =
            Signature::of(module.types.get(ty as usize).context("a call has no type")?)?;
        let layout = &self.program.layout;
        let id = 4 * *layout.types.get(ty as usize).context("a call has no type")?;
        let (code, vmctx) = (layout.reference_code, layout.reference_vmctx);
        let index = self.pop()?;
        let arguments = self.arguments(&signature)?;
        let reference =
            self.assign(format_args!("call ptr @resolve(ptr %vm, i32 {index}, i32 {id})"));
        let code = self.pointer(&reference, code);
        let vmctx = self.pointer(&reference, vmctx);
        self.outward(&signature, &code, &vmctx, &arguments);
        Ok(())
    }

    /// The pointer at an offset.
    fn pointer(&mut self, from: &str, offset: u32) -> String {
        let place = self.assign(format_args!("getelementptr i8, ptr {from}, i64 {offset}"));
        self.assign(format_args!("load ptr, ptr {place}"))
    }

    /// Call a function that follows the convention of wasmtime's compiler. Where that removes
    /// arguments from the stack, a piece of assembler is between (`program`).
    fn outward(&mut self, signature: &Signature, code: &str, vmctx: &str, arguments: &str) {
        match signature.on_stack() {
            0 => self.called(signature, &format!("{code}(ptr {vmctx}, ptr %vm{arguments})")),
            count => {
                // Its type is another one for each call, so LLVM does not see its name.
                let between = self.assign(format_args!(
                    "call ptr asm \"leaq outward{count}(%rip), $0\", \"=r\"()"
                ));
                let call = format!("{between}(ptr {vmctx}, ptr %vm{arguments}, ptr {code})");
                self.called(signature, &call);
            }
        }
    }

    fn called(&mut self, signature: &Signature, call: &str) {
        match signature.result {
            Some(ty) => self.put(ty, format_args!("call {ty} {call}")),
            None => self.line(format_args!("call void {call}")),
        }
    }

    /// The arguments on the stack, each with a comma in front.
    fn arguments(&mut self, signature: &Signature) -> Result<String> {
        let first = self.stack.len().checked_sub(signature.parameters.len());
        let values = self.stack.split_off(first.context("the stack is empty")?);
        let mut arguments = String::new();
        for Value { text, ty, .. } in values {
            let _ = write!(arguments, ", {ty} {text}");
        }
        Ok(arguments)
    }
}
