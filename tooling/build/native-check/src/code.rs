//! The code as instructions and pieces.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};

use crate::facts::{Facts, Piece, Role, Subject};

/// The decoded code.
pub struct Code<'a> {
    /// Its bytes and constants.
    pub bytes: &'a [u8],
    /// Where the constants begin.
    pub text: i64,
    /// What it may rely on.
    pub facts: &'a Facts,
    instructions: Vec<Instruction>,
    /// For each byte of the code, one more than the position of the instruction that starts there.
    positions: Vec<u32>,
    pieces: BTreeMap<u32, &'a Piece>,
}

impl<'a> Code<'a> {
    /// Decode it.
    ///
    /// # Errors
    ///
    /// When two pieces start at the same position, or one where no instruction does.
    pub fn new(subject: &Subject<'a>) -> Result<Self> {
        let text = subject.code.get(..subject.text).context("the code is longer than the image")?;
        let decoder = Decoder::with_ip(64, text, 0, DecoderOptions::NONE);
        let instructions: Vec<Instruction> = decoder.into_iter().collect();
        let mut positions = vec![0; text.len()];
        for (index, instruction) in instructions.iter().enumerate() {
            positions[instruction.ip() as usize] = index as u32 + 1;
        }
        let mut pieces = BTreeMap::new();
        for piece in subject.pieces {
            let is_start = positions.get(piece.start as usize).is_some_and(|it| *it > 0);
            ensure!(is_start, "`{}` does not start with an instruction", piece.name);
            let before = pieces.insert(piece.start, piece);
            ensure!(before.is_none(), "`{}` starts where another piece does", piece.name);
        }
        Ok(Self {
            bytes: subject.code,
            text: subject.text as i64,
            facts: subject.facts,
            instructions,
            positions,
            pieces,
        })
    }

    /// The instruction at a position.
    pub fn at(&self, place: u32) -> Option<&Instruction> {
        let position = self.positions.get(place as usize)?.checked_sub(1)?;
        self.instructions.get(position as usize)
    }

    /// Where the piece that starts at a position ends.
    pub fn end(&self, start: u32) -> u32 {
        let mut next = self.pieces.range(start + 1..);
        next.next().map_or(self.positions.len() as u32, |(place, _)| *place)
    }

    /// What starts at a position.
    pub fn role(&self, place: u32) -> Option<Role> {
        self.pieces.get(&place).map(|piece| piece.role)
    }

    /// All pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &'a Piece> {
        self.pieces.values().copied()
    }

    /// The instructions of a piece in their order.
    pub fn piece(&self, start: u32) -> Vec<&Instruction> {
        let end = self.end(start);
        let mut found = Vec::new();
        let mut at = start;
        while let Some(instruction) = self.at(at).filter(|_| at < end) {
            found.push(instruction);
            at = instruction.next_ip() as u32;
        }
        found
    }

    /// The constants that a piece compares something with.
    pub fn constants(&self, start: u32) -> impl Iterator<Item = i64> {
        let piece = self.piece(start).into_iter();
        let compared = piece.filter(|it| it.mnemonic() == Mnemonic::Cmp);
        compared.filter_map(|it| it.try_immediate(1).ok()).map(u64::cast_signed)
    }

    /// The positions in a piece where ways meet, but for those of tables.
    pub fn leaders(&self, start: u32, end: u32) -> BTreeSet<u32> {
        let mut leaders = BTreeSet::from([start]);
        for instruction in self.piece(start) {
            let is_branch =
                instruction.op_count() == 1 && instruction.op0_kind() == OpKind::NearBranch64;
            if is_branch && !instruction.is_call_near() {
                let target = instruction.near_branch64();
                leaders.extend(u32::try_from(target).ok().filter(|it| (start..end).contains(it)));
            }
        }
        leaders
    }
}
