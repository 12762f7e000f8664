//! From LLVM's object to the image: one piece of bytes that runs at any address.
//!
//! The linker accepts code and constants, references between them that do not depend on the
//! address, and nothing else: no data that is written, no symbol of a library.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail, ensure};
use object::elf::{R_X86_64_64, R_X86_64_PC32, R_X86_64_PLT32, SHF_ALLOC, SHF_WRITE};
use object::read::elf::{ElfFile64, ElfSection64, ElfSymbol64};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget,
};
use object::{SectionFlags, SectionIndex, SymbolKind};
use sqlite_wasm_native::image::{CODE_MARK, Piece, Trap};

/// The largest frame that a function may have, in bytes: so far the check of the stack may be
/// passed, once for the function and once for a leaf that it calls.
const MAX_FRAME: u64 = 2048;

/// What the linker found.
pub struct Linked {
    /// The code, then constants.
    pub code: Vec<u8>,
    /// The size of the code alone.
    pub text: usize,
    /// The instructions that trap on purpose.
    pub traps: Vec<Trap>,
    /// Symbols by their names.
    pub symbols: BTreeMap<String, u32>,
    /// The largest frame that a function may have.
    pub frame: u64,
    /// The functions that have a larger one, with the reason why they cannot be in the image.
    pub refused: BTreeMap<u32, String>,
}

impl Linked {
    /// Which function is where. Code that wasmtime calls before or after a function has `None`: it has its own frame.
    pub fn pieces(&self) -> Vec<Piece> {
        let symbols = self.symbols.iter().filter(|(_, start)| (**start as usize) < self.text);
        let mut pieces: Vec<_> = symbols
            .map(|(name, start)| Piece { start: *start, function: function(name) })
            .collect();
        pieces.push(Piece { start: self.text as u32, function: None });
        pieces.sort_by_key(|piece| (piece.start, piece.function.is_none()));
        pieces.dedup_by_key(|piece| piece.start);
        pieces
    }
}

/// The function of a symbol: `f7`, or `f7.…` for a part of it that LLVM separated.
fn function(symbol: &str) -> Option<u32> {
    symbol.strip_prefix('f')?.split('.').next()?.parse().ok()
}

type Object64<'a> = ElfFile64<'a, Endianness>;

/// Link the object.
///
/// # Errors
///
/// When it has anything that the image cannot have.
pub fn link(bytes: &[u8]) -> Result<Linked> {
    let object = Object64::parse(bytes).context("LLVM's object cannot be read")?;
    let mut code = Vec::new();
    let (places, text) = placed(&object, &mut code)?;
    ensure!(text > 0, "the object has no code");
    for section in object.sections() {
        if let Some(place) = places.get(&section.index()) {
            relocate(&object, &section, *place, &places, &mut code)?;
        }
    }
    code.extend(CODE_MARK);
    let symbols = symbols(&object, &places)?;
    let (frame, refused) = frames(&object, &places, &symbols)?;
    Ok(Linked { text, traps: traps(&object, &places)?, frame, refused, code, symbols })
}

/// The order of sections: code that runs often lies together, code that does not at the end; constants
/// follow. `None` for another section.
fn rank(name: &str) -> Option<usize> {
    const CODE: [&str; 3] = [".text.hot.", ".text", ".text.unlikely."];
    let rank = CODE.iter().position(|known| *known == name);
    rank.or_else(|| name.starts_with(".rodata").then_some(CONSTANTS))
}

/// The first rank of sections with constants.
const CONSTANTS: usize = 3;

/// Copy sections, the code first; each with its position, and the size of the code.
fn placed(
    object: &Object64<'_>,
    code: &mut Vec<u8>,
) -> Result<(HashMap<SectionIndex, u64>, usize)> {
    let (mut places, mut text) = (HashMap::new(), 0);
    let mut sections: Vec<_> = object.sections().collect();
    sections.sort_by_key(|section| section.name().ok().and_then(rank));
    for section in sections {
        let SectionFlags::Elf { sh_flags: flags } = section.flags() else { continue };
        let name = section.name()?;
        if flags & u64::from(SHF_ALLOC) == 0 || section.size() == 0 {
            continue;
        }
        ensure!(flags & u64::from(SHF_WRITE) == 0, "the object has data in `{name}`");
        let rank = rank(name);
        let rank = rank.with_context(|| format!("the object has a section `{name}`"))?;
        code.resize(code.len().next_multiple_of(section.align().max(1) as usize), 0xcc);
        places.insert(section.index(), code.len() as u64);
        code.extend(section.data()?);
        if rank < CONSTANTS {
            text = code.len();
        }
    }
    Ok((places, text))
}

/// The position of a symbol or section in the image.
fn target(
    object: &Object64<'_>,
    target: RelocationTarget,
    places: &HashMap<SectionIndex, u64>,
) -> Result<u64> {
    let RelocationTarget::Symbol(index) = target else { bail!("a reference has no symbol") };
    let symbol = object.symbol_by_index(index)?;
    let name = symbol.name().unwrap_or_default();
    let section = symbol.section_index();
    let section = section.with_context(|| format!("`{name}` is not defined"))?;
    let place = places.get(&section).with_context(|| format!("`{name}` is outside"))?;
    Ok(place + symbol.address())
}

fn relocate(
    object: &Object64<'_>,
    section: &ElfSection64<'_, '_, Endianness>,
    place: u64,
    places: &HashMap<SectionIndex, u64>,
    code: &mut [u8],
) -> Result<()> {
    for (offset, relocation) in section.relocations() {
        let RelocationFlags::Elf { r_type: kind } = relocation.flags() else {
            bail!("a reference is of an unknown kind");
        };
        ensure!(
            matches!(kind, R_X86_64_PC32 | R_X86_64_PLT32),
            "a reference of kind {kind} depends on the address"
        );
        let at = place + offset;
        let value = target(object, relocation.target(), places)?.cast_signed()
            + relocation.addend()
            - at.cast_signed();
        let bytes = code.get_mut(at as usize..at as usize + 4);
        let bytes = bytes.context("a reference lies outside")?;
        bytes.copy_from_slice(&i32::try_from(value)?.to_le_bytes());
    }
    Ok(())
}

fn symbols(
    object: &Object64<'_>,
    places: &HashMap<SectionIndex, u64>,
) -> Result<BTreeMap<String, u32>> {
    let mut symbols = BTreeMap::new();
    for symbol in object.symbols() {
        let place = symbol.section_index().and_then(|section| places.get(&section));
        if let (Some(place), Ok(name)) = (place, symbol.name())
            && !name.is_empty()
        {
            symbols.insert(name.to_owned(), u32::try_from(place + symbol.address())?);
        }
    }
    Ok(symbols)
}

/// What a list has as an address: the position in the image.
fn address(
    object: &Object64<'_>,
    relocation: &Relocation,
    places: &HashMap<SectionIndex, u64>,
) -> Result<u32> {
    let is_address = matches!(relocation.flags(), RelocationFlags::Elf { r_type: R_X86_64_64 });
    ensure!(is_address, "a list has a reference of an unknown kind");
    let place = target(object, relocation.target(), places)?.cast_signed();
    Ok(u32::try_from(place + relocation.addend())?)
}

/// `.traps`: the address and the reason of each, 8 bytes.
fn traps(object: &Object64<'_>, places: &HashMap<SectionIndex, u64>) -> Result<Vec<Trap>> {
    let Some(section) = object.section_by_name(".traps") else { return Ok(Vec::new()) };
    let data = section.data()?;
    let mut traps = Vec::new();
    for (offset, relocation) in section.relocations() {
        let code = data.get(offset as usize + 8).context("a trap has no reason")?;
        traps.push(Trap { offset: address(object, &relocation, places)?, code: *code });
    }
    ensure!(traps.len() * 16 == data.len(), "a trap has no address");
    traps.sort_unstable();
    Ok(traps)
}

/// `.stack_sizes`, one for each section of code: the address and the size of the frame of each function. The largest frame, and the
/// functions whose frames are larger than they may be.
fn frames(
    object: &Object64<'_>,
    places: &HashMap<SectionIndex, u64>,
    symbols: &BTreeMap<String, u32>,
) -> Result<(u64, BTreeMap<u32, String>)> {
    let (mut largest, mut listed, mut refused) = (0, 0, BTreeMap::new());
    for section in object.sections().filter(|section| section.name() == Ok(".stack_sizes")) {
        let data = section.data()?;
        for (offset, relocation) in section.relocations() {
            let address = address(object, &relocation, places)?;
            let size = number(data.get(offset as usize + 8..).context("a frame has no size")?);
            listed += 1;
            if size <= MAX_FRAME {
                largest = largest.max(size);
                continue;
            }
            let reason = format!("its frame has {size} bytes, more than {MAX_FRAME}");
            let names = symbols.iter().filter(|(_, start)| **start == address);
            let function = names.filter_map(|(name, _)| function(name)).next();
            refused.insert(function.with_context(|| format!("of a helper, {reason}"))?, reason);
        }
    }
    // Pieces of assembler have no size.
    let is_function = |it: &ElfSymbol64<'_, '_, _>| it.kind() == SymbolKind::Text && it.size() > 0;
    let functions = object.symbols().filter(is_function).count();
    ensure!(functions <= listed, "LLVM listed {listed} frames of {functions}");
    Ok((largest, refused))
}

/// An unsigned LEB128 integer.
fn number(data: &[u8]) -> u64 {
    let end = data.iter().position(|byte| byte & 0x80 == 0).unwrap_or(0);
    data.iter().take(end + 1).rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
}
