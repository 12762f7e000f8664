//! The text of a whole module for LLVM: its functions, the entries, and what they have in common.

mod common;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use sqlite_wasm_native::image::Function;
use sqlite_wasm_native::module::Module;
use sqlite_wasm_native::pinned::layout::Layout;
use wasmparser::Operator;

use crate::function;
use crate::profile::{self, Counts, Known};
use crate::types::Signature;
use crate::unproved::Unproved;

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
    /// The functions that hide their addresses from LLVM.
    hiding: BTreeSet<u32>,
    /// How often its functions and their branches run.
    known: Known,
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
    pub fn new(module: Module<'a>, layout: Layout, known: Known, is_timed: bool) -> Self {
        let entries = module.escaped.clone();
        Self {
            entries,
            module,
            layout,
            is_timed,
            kept: BTreeSet::new(),
            hiding: BTreeSet::new(),
            known,
        }
    }

    /// With what is done about functions that are not proved.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn proving(mut self, unproved: &Unproved) -> Result<Self> {
        for function in unproved.kept.keys() {
            self.keep(*function)?;
        }
        self.hiding = unproved.hiding(&self.module)?;
        Ok(self)
    }

    /// Whether the function with this index, of those that the module defines, hides its addresses.
    pub fn hides(&self, function: u32) -> bool {
        self.hiding.contains(&function)
    }

    /// The counts of the function with this index, of those that the module defines.
    pub fn counts(&self, function: u32) -> Option<&Counts> {
        self.known.functions.get(function as usize)?.as_ref()
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
        ir.push_str(&profile::summary(&self.known));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, gathered};

    /// A module whose functions have 1 + 2, 1 + 3, 1 + 5 + 2 and 1 counters.
    const TEXT: &str = r#"(module
      (func $if (param i32) (if (local.get 0) (then (call $never))))
      (func $short (param i32) (block (block (br_table 0 1 0 (local.get 0)))))
      (func $long (param i32) (result i32)
        (block (block (br_table 0 1 0 1 0 (local.get 0))))
        (select (i32.const 1) (i32.const 2) (unreachable)))
      (func $never))"#;

    const COUNTS: [u64; 16] = [10, 7, 3, 12, 2, 4, 6, 21, 1, 2, 3, 4, 5, 0, 0, 0];

    fn encoded(text: &str) -> Vec<u8> {
        let buffer = wast::parser::ParseBuffer::new(text).unwrap();
        wast::parser::parse::<wast::Wat<'_>>(&buffer).unwrap().encode().unwrap()
    }

    fn profile() -> Profile {
        let wasm = encoded(TEXT);
        let mut output = blake3::hash(&wasm).as_bytes().to_vec();
        COUNTS.iter().for_each(|count| output.extend(count.to_le_bytes()));
        gathered(&wasm, &[output]).unwrap().0
    }

    fn known(text: &str) -> Known {
        let wasm = encoded(text);
        profile().known(&wasm, &Module::parse(&wasm).unwrap()).unwrap()
    }

    fn ir(text: &str) -> String {
        let wasm = encoded(text);
        let module = Module::parse(&wasm).unwrap();
        Program::new(module, Layout::of_core(&wasm).unwrap(), known(text), false).text().unwrap().ir
    }

    #[test]
    fn branches_and_functions_have_their_counts() {
        let ir = ir(TEXT);
        for part in [
            "@f0(ptr %vm, i32 %a0) #0 !prof !{!\"function_entry_count\", i64 10} {",
            "label %else3, !prof !{!\"branch_weights\", i32 7, i32 3}",
            "@f1(ptr %vm, i32 %a0) #0 !prof !{!\"function_entry_count\", i64 12} {",
            // The default of a short table is LLVM's default, in front.
            "i32 0, label %end3 i32 1, label %end2 ], !prof !{!\"branch_weights\", i32 6, i32 2, i32 4}",
            // That of a long one is a case, as its index is bounded before.
            "!prof !{!\"branch_weights\", i32 0, i32 1, i32 2, i32 3, i32 4, i32 5}",
            "@f3(ptr %vm) #0 cold !prof !{!\"function_entry_count\", i64 0} {",
            "!\"ProfileSummary\"",
        ] {
            assert!(ir.contains(part), "{part} in {ir}");
        }
    }

    #[test]
    fn counts_of_other_branches_are_stale() {
        // The count of branches, where one leads, and a name that was not counted.
        let more = TEXT.replace("(call $never)", "(call $never) (if (local.get 0) (then))");
        let elsewhere = TEXT.replace("br_table 0 1 0 (", "br_table 1 0 0 (");
        let other = TEXT.replace("(func $short", "(func $new");
        for (text, function, stale) in [(more, 0, 1), (elsewhere, 1, 1), (other, 1, 0)] {
            let known = known(&text);
            let missing = known.functions.iter().map(Option::is_none).collect::<Vec<_>>();
            let expected = (0..4).map(|index| index == function).collect::<Vec<_>>();
            assert_eq!((missing, known.stale), (expected, stale), "{text}");
            assert!(!ir(&text).contains(&format!("@f{function}(ptr %vm, i32 %a0) #0 !prof")));
        }
    }

    #[test]
    fn functions_with_the_same_name_are_told_apart_by_their_branches_and_order() {
        let wasm = encoded(TEXT);
        let module = Module::parse(&wasm).unwrap();
        let shapes = profile().to_string();
        let shape = shapes.lines().find_map(|line| line.strip_prefix("if\t")).unwrap();
        let shape = shape.split(' ').next().unwrap();
        let text = format!("if\nif\tffffff 9 5/4\nif\t{shape} 8 4/4\nif\t{shape} 7 4/3\n");
        let known = Profile::parse(&text).unwrap().known(&wasm, &module).unwrap();
        assert_eq!(known.functions[0].as_ref().map(|counts| counts.calls), Some(8));
        let text = "if\nif\tffffff 9 5/4\n";
        let known = Profile::parse(text).unwrap().known(&wasm, &module).unwrap();
        assert_eq!(known.functions[0].as_ref().map(|counts| counts.calls), Some(0));
    }
}
