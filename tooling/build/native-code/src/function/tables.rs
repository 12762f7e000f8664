//! `br_table`: a few comparisons, or a jump by a table.
//!
//! A processor never reads beyond a table, not even where it guesses: the index is a byte, or bounded by an instruction
//! that it does not guess. LLVM then assumes only what always holds.

use std::collections::BTreeMap;

use anyhow::Result;
use wasmparser::BrTable;

use super::{Translation, Value};
use crate::profile;

/// From this many targets on, LLVM makes a table of a `switch`.
const MIN_TABLE: usize = 4;

/// From this many targets on, a table whose index is a byte has a target for each byte, and needs no bound. It takes 1 KiB.
const MIN_BYTE_TABLE: usize = 48;

/// How many values a byte has.
const BYTES: usize = 256;

impl Translation<'_> {
    pub(super) fn branch_table(&mut self, table: &BrTable<'_>) -> Result<()> {
        let index = self.pop()?;
        let targets = table.targets().collect::<Result<Vec<_>, _>>()?;
        if targets.len() < MIN_TABLE {
            self.comparisons(&index, &targets, table.default())?;
        } else {
            self.jump(&index, targets, table.default())?;
        }
        self.reachable = false;
        Ok(())
    }

    fn comparisons(&mut self, index: &Value, targets: &[u32], default: u32) -> Result<()> {
        let mut weights = self.branch.to_vec();
        // LLVM's default is in front.
        let last = weights.pop();
        weights.splice(..0, last);
        let otherwise = self.branch(default)?;
        let mut cases = String::new();
        for (case, depth) in targets.iter().enumerate() {
            cases += &format!(" i32 {case}, label %{}", self.branch(*depth)?);
        }
        let weights = profile::weights(&weights);
        self.line(format_args!("switch i32 {index}, label %{otherwise} [{cases} ]{weights}"));
        Ok(())
    }

    /// Splits the edge to each target by a block, as LLVM does not split those of a jump by a table. It would set the
    /// registers of all targets before the jump: in `sqlite3VdbeExec` two thirds of the instructions that start an opcode.
    fn jump(&mut self, index: &Value, mut targets: Vec<u32>, default: u32) -> Result<()> {
        let count = targets.len();
        targets.push(default);
        let has_each_byte = index.is_byte && (MIN_BYTE_TABLE..BYTES).contains(&count);
        if has_each_byte {
            targets.resize(BYTES, default);
        }
        let never = self.fresh("never");
        let mut weights = self.branch.to_vec();
        weights.insert(0, 0);
        weights.resize(1 + targets.len(), 0);

        let wide = self.assign(format_args!("zext i32 {index} to i64"));
        let index = if has_each_byte {
            self.assign(format_args!("call i64 asm \"\", \"=r,0\"(i64 {wide})"))
        } else {
            self.assign(format_args!(
                "call i64 asm \"cmpl $2, ${{0:k}}\\0A\\09cmovael $2, ${{0:k}}\", \
                 \"=r,0,r,~{{flags}}\"(i64 {wide}, i32 {count})"
            ))
        };
        let mut edges = BTreeMap::new();
        let mut cases = String::new();
        for (case, depth) in targets.into_iter().enumerate() {
            let edge = edges.entry(depth).or_insert_with(|| self.fresh("edge"));
            cases += &format!(" i64 {case}, label %{edge}");
        }
        let targets = edges.keys().map(|depth| self.branch(*depth)).collect::<Result<Vec<_>>>()?;
        let weights = profile::weights(&weights);
        self.line(format_args!("switch i64 {index}, label %{never} [{cases} ]{weights}"));
        for (edge, target) in edges.values().zip(targets) {
            self.label(edge);
            // LLVM removes an empty block.
            self.line(format_args!("call void asm sideeffect \"\", \"\"() nomerge"));
            self.line(format_args!("br label %{target}"));
        }
        self.label(&never);
        self.line(format_args!("unreachable"));
        Ok(())
    }
}
