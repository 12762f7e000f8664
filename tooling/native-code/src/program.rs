//! The text of a whole module for LLVM: its functions, the entries, and what they have in common.

mod common;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use sqlite_wasm_native::image::Function;
use sqlite_wasm_native::module::Module;
use sqlite_wasm_native::pinned::layout::Layout;
use wasmparser::Operator;

use crate::function;
use crate::types::Signature;

/// A module of which LLVM makes code.
pub struct Program<'a> {
    /// The module.
    pub module: Module<'a>,
    /// Where its instances have what code reads.
    pub layout: Layout,
    /// Whether the code looks at the time, at the heads of loops and where functions that call begin.
    pub is_timed: bool,
    /// The functions that stay with wasmtime's compiler.
    kept: BTreeSet<u32>,
    /// The others that are called from outside: by the host, by the table, by kept functions.
    entries: BTreeSet<u32>,
}

/// What LLVM is given, and what the linker must find in its result.
pub struct Text {
    /// LLVM's language.
    pub ir: String,
    /// For each function: whether it is kept, and whether it is called from outside.
    pub functions: Vec<Function>,
    /// The kept functions that the code calls.
    pub slots: Vec<u32>,
    /// Why functions are kept.
    pub reasons: Vec<(u32, String)>,
}

impl<'a> Program<'a> {
    /// With all functions of the module.
    pub fn new(module: Module<'a>, layout: Layout, is_timed: bool) -> Self {
        Self { entries: module.escaped.clone(), module, layout, is_timed, kept: BTreeSet::new() }
    }

    /// Whether the function with this index, of those that the module defines, stays with
    /// wasmtime's compiler.
    pub fn is_kept(&self, function: u32) -> bool {
        self.kept.contains(&function)
    }

    /// Whether the function is called from outside, so that it has the parameters of wasmtime's
    /// compiler.
    pub fn is_entry(&self, function: u32) -> bool {
        self.entries.contains(&function)
    }

    /// The type of a function.
    ///
    /// # Errors
    ///
    /// When it is not one of LLVM's code.
    pub fn signature(&self, function: u32) -> Result<Signature> {
        Signature::of(self.module.function_type(function).context("a function has no type")?)
    }

    /// Translate the module.
    ///
    /// # Errors
    ///
    /// When it is not valid.
    pub fn text(mut self) -> Result<Text> {
        let mut reasons = Vec::new();
        let bodies = loop {
            // Again until nothing fails, since calls of kept functions are others.
            let (mut bodies, mut failed) = (String::new(), Vec::new());
            for index in 0..self.module.bodies.len() as u32 {
                if self.is_kept(index) {
                    continue;
                }
                match function::translate(&self, index) {
                    Ok(body) => bodies.push_str(&body),
                    Err(reason) => failed.push((index, format!("{reason:#}"))),
                }
            }
            if failed.is_empty() {
                break bodies;
            }
            for (index, _) in &failed {
                self.keep(*index)?;
            }
            reasons.extend(failed);
        };
        let slots = self.kept.iter().copied();
        let slots: Vec<_> = slots
            .filter(|index| {
                bodies.contains(&format!("@kept{index}("))
                    || bodies.contains(&format!("ptr @kept{index})"))
            })
            .collect();
        let mut ir = self.common(&slots)?;
        ir.push_str(&bodies);
        for index in self.entries.difference(&self.kept) {
            let signature = self.signature(self.module.imports.len() as u32 + index)?;
            if signature.on_stack() > 0 {
                ir.push_str(&common::inward(*index, signature.on_stack()));
            }
        }
        let functions = (0..self.module.bodies.len() as u32).map(|index| {
            if self.is_kept(index) {
                Function::Kept
            } else if self.is_entry(index) {
                Function::Entry(0)
            } else {
                Function::Internal
            }
        });
        Ok(Text { ir, functions: functions.collect(), slots, reasons })
    }

    /// Leave a function to wasmtime's compiler, which then calls others from outside.
    fn keep(&mut self, index: u32) -> Result<()> {
        self.kept.insert(index);
        let body = self.module.bodies.get(index as usize).context("a function has no body")?;
        for operator in body.get_operators_reader()? {
            let function = match operator? {
                Operator::Call { function_index }
                | Operator::ReturnCall { function_index }
                | Operator::RefFunc { function_index } => function_index,
                _ => continue,
            };
            self.entries.extend(self.module.defined(function));
        }
        Ok(())
    }
}
