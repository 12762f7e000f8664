//! An image: LLVM's code for a core module, with all that is needed to insert it.
//!
//! The file says for which module it is, and contains the rest compressed (xz, with its filter for code of x86): a sequence of
//! integers in LEB128 and of byte strings with their lengths. Sorted offsets are written as differences. Whoever reads an image has
//! compared its hash with a constant (`Packed::trusted`), so the checks here only find mistakes.

use std::io::{Read as _, Write as _};

use anyhow::{Context, Result, bail, ensure};
use lzma_rust2::{FilterType, XzOptions, XzReader, XzWriter};
use wasm_encoder::Encode as _;
use wasmparser::BinaryReader;

/// The first bytes of an image, with the version of its form.
const MARK: &[u8; 8] = b"swrnat\0\x06";

/// Maximum size of an image that is not compressed: three times that of the shell's.
const MAX_BYTES: usize = 16 << 20;

/// What the linker writes behind an image's code, for programs that check which code a file has
/// (`sqlite_wasm_runtime::artifact::LLVM_MARK`).
pub const CODE_MARK: &[u8] = b"sqlite-wasm-run: machine code by LLVM";

/// Where the code for a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// wasmtime's compiler makes it.
    Kept,
    /// Only the image calls it, or nobody.
    Internal,
    /// It begins at this offset of the image.
    Entry(u32),
}

/// A jump to a function that wasmtime's compiler makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The offset of the `jmp` in the image.
    pub offset: u32,
    /// Where it leads.
    pub callee: Callee,
}

/// A function that wasmtime's compiler makes and the image calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// The helper that fills a slot of the table.
    Fill,
    /// The helper in which wasmtime interrupts code whose time is over.
    Interrupt,
    /// A function of the module, counted from the first that it defines.
    Function(u32),
}

/// An instruction that may trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trap {
    /// Its offset in the image.
    pub offset: u32,
    /// Cranelift's code for the reason.
    pub code: u8,
}

/// Where the code of a function begins; the next piece ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its offset in the image.
    pub start: u32,
    /// The function, counted from the first that the module defines; `None` for a helper or constants.
    pub function: Option<u32>,
}

/// LLVM's code for one core module.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Image {
    /// BLAKE3 of the module.
    pub module: [u8; 32],
    /// Whether the code looks at the time (`epoch_interruption`).
    pub is_timed: bool,
    /// The positions that the code takes for granted (`pinned::Layout`).
    pub layout: Vec<u32>,
    /// For each function that the module defines.
    pub functions: Vec<Function>,
    /// The jumps out of the image.
    pub slots: Vec<Slot>,
    /// The instructions that may trap, by their offsets.
    pub traps: Vec<Trap>,
    /// Which function is where, by their offsets.
    pub pieces: Vec<Piece>,
    /// The code with its constants, which runs at any address.
    pub code: Vec<u8>,
}

/// The preset of xz that compresses best.
const BEST: u32 = 9;

const KEPT: u32 = u32::MAX;
const INTERNAL: u32 = u32::MAX - 1;
const FILL: u32 = u32::MAX;
const INTERRUPT: u32 = u32::MAX - 1;
const NO_FUNCTION: u32 = u32::MAX;

/// The file of an image.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'a> {
    /// BLAKE3 of the module.
    pub module: [u8; 32],
    /// As [`Image::is_timed`].
    pub is_timed: bool,
    compressed: &'a [u8],
}

impl<'a> Packed<'a> {
    /// The image in `bytes`, if one of `hashes` is theirs.
    ///
    /// # Errors
    ///
    /// When none is, or they are not an image.
    pub fn trusted(bytes: &'a [u8], hashes: &[[u8; 32]]) -> Result<Self> {
        let hash = blake3::hash(bytes);
        ensure!(
            hashes.iter().any(|known| hash == *known),
            "the image is not one of this program's"
        );
        Self::read(bytes)
    }

    fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = Reader(bytes);
        ensure!(reader.bytes(MARK.len())? == MARK, "this is not an image of this version");
        let module = reader.bytes(32)?.try_into()?;
        let is_timed = match reader.bytes(1)? {
            [0] => false,
            [1] => true,
            _ => bail!("the image is of a kind that this program does not know"),
        };
        Ok(Self { module, is_timed, compressed: reader.0 })
    }

    /// Decompress it.
    ///
    /// # Errors
    ///
    /// When it is damaged, larger than an image can be, or a position is out of range.
    pub fn image(&self) -> Result<Image> {
        let mut bytes = Vec::new();
        let mut decoder = XzReader::new(self.compressed, false).take(MAX_BYTES as u64 + 1);
        decoder.read_to_end(&mut bytes).context("the image is damaged")?;
        ensure!(bytes.len() <= MAX_BYTES, "the image is larger than {MAX_BYTES} bytes");
        let mut reader = Reader(&bytes);
        let image = Image::read(self, &mut reader)?;
        ensure!(reader.0.is_empty(), "the image is longer than its code");
        image.check()?;
        Ok(image)
    }
}

impl Image {
    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// When it is larger than [`Packed::image`] reads.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let rest = self.rest();
        ensure!(rest.len() <= MAX_BYTES, "the image is larger than {MAX_BYTES} bytes");
        let mut bytes = MARK.to_vec();
        bytes.extend(self.module);
        bytes.push(self.is_timed.into());
        let mut options = XzOptions::with_preset(BEST);
        options.prepend_pre_filter(FilterType::BcjX86, 0);
        // Instructions begin anywhere.
        options.lzma_options.pb = 0;
        let mut encoder = XzWriter::new(bytes, options)?;
        encoder.write_all(&rest)?;
        Ok(encoder.finish()?)
    }

    /// What is compressed.
    fn rest(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let numbers = |bytes: &mut Vec<u8>, numbers: Vec<u32>| numbers[..].encode(bytes);
        numbers(&mut bytes, self.layout.clone());
        let functions = self.functions.iter().map(|function| match function {
            Function::Kept => KEPT,
            Function::Internal => INTERNAL,
            Function::Entry(offset) => *offset,
        });
        numbers(&mut bytes, functions.collect());
        numbers(&mut bytes, self.slots.iter().map(|slot| slot.offset).collect());
        let callees = self.slots.iter().map(|slot| match slot.callee {
            Callee::Fill => FILL,
            Callee::Interrupt => INTERRUPT,
            Callee::Function(function) => function,
        });
        numbers(&mut bytes, callees.collect());
        numbers(&mut bytes, differences(self.traps.iter().map(|trap| trap.offset)));
        numbers(&mut bytes, self.traps.iter().map(|trap| trap.code.into()).collect());
        numbers(&mut bytes, differences(self.pieces.iter().map(|piece| piece.start)));
        let names = self.pieces.iter().map(|piece| piece.function.unwrap_or(NO_FUNCTION));
        numbers(&mut bytes, names.collect());
        self.code[..].encode(&mut bytes);
        bytes
    }

    /// Read a file.
    ///
    /// # Errors
    ///
    /// When it is not an image, or a position is out of range.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        Packed::read(bytes)?.image()
    }

    fn read(packed: &Packed<'_>, reader: &mut Reader<'_>) -> Result<Self> {
        let layout = reader.numbers()?;
        let functions = reader.numbers()?.into_iter().map(|number| match number {
            KEPT => Function::Kept,
            INTERNAL => Function::Internal,
            offset => Function::Entry(offset),
        });
        let functions = functions.collect();
        let slots = reader.pairs(Reader::numbers)?.into_iter().map(|(offset, callee)| {
            let callee = match callee {
                FILL => Callee::Fill,
                INTERRUPT => Callee::Interrupt,
                function => Callee::Function(function),
            };
            Slot { offset, callee }
        });
        let slots = slots.collect();
        let traps = reader.pairs(Reader::offsets)?.into_iter();
        let traps = traps.map(|(offset, code)| Ok(Trap { offset, code: code.try_into()? }));
        let traps = traps.collect::<Result<_>>()?;
        let pieces = reader.pairs(Reader::offsets)?.into_iter().map(|(start, function)| Piece {
            start,
            function: (function != NO_FUNCTION).then_some(function),
        });
        let pieces = pieces.collect();
        let length = reader.number()? as usize;
        let code = reader.bytes(length)?.to_vec();
        let Packed { module, is_timed, .. } = *packed;
        Ok(Self { module, is_timed, layout, functions, slots, traps, pieces, code })
    }

    fn check(&self) -> Result<()> {
        let inside = |offset: u32, bytes: usize| {
            (offset as usize).checked_add(bytes).is_some_and(|end| end <= self.code.len())
        };
        let entries = self.functions.iter().all(|function| match function {
            Function::Entry(offset) => inside(*offset, 1),
            Function::Kept | Function::Internal => true,
        });
        let slots = self.slots.iter().all(|slot| {
            let known = match slot.callee {
                Callee::Fill => true,
                Callee::Interrupt => self.is_timed,
                Callee::Function(function) => {
                    self.functions.get(function as usize).is_some_and(|it| *it == Function::Kept)
                }
            };
            inside(slot.offset, SLOT_BYTES) && known
        });
        let traps = self.traps.iter().all(|trap| inside(trap.offset, 1))
            && self.traps.is_sorted_by(|a, b| a.offset < b.offset);
        let is_known = |function: u32| self.functions.get(function as usize).is_some();
        let pieces =
            self.pieces.iter().all(|it| inside(it.start, 1) && it.function.is_none_or(is_known))
                && self.pieces.is_sorted_by(|a, b| a.start < b.start);
        ensure!(entries && slots && traps && pieces, "a position of the image lies outside");
        ensure!(
            self.slots.iter().any(|slot| slot.callee == Callee::Fill),
            "the image has no slot for the helper of the table"
        );
        Ok(())
    }
}

/// The size of a `jmp` with a distance of 32 bits.
pub const SLOT_BYTES: usize = 5;

/// Offsets as what each is behind the one before.
fn differences(offsets: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut before = 0;
    offsets.map(|offset| offset.wrapping_sub(std::mem::replace(&mut before, offset))).collect()
}

/// The rest of a file.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length).context("the image ends early")?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u32> {
        let mut reader = BinaryReader::new(self.0, 0);
        let number = reader.read_var_u32()?;
        self.0 = &self.0[reader.current_position()..];
        Ok(number)
    }

    fn numbers(&mut self) -> Result<Vec<u32>> {
        let length = self.number()?;
        (0..length).map(|_| self.number()).collect()
    }

    /// What [`differences`] returned.
    fn offsets(&mut self) -> Result<Vec<u32>> {
        let mut offset = 0_u32;
        let differences = self.numbers()?.into_iter();
        Ok(differences
            .map(|difference| {
                offset = offset.wrapping_add(difference);
                offset
            })
            .collect())
    }

    fn pairs(&mut self, first: fn(&mut Self) -> Result<Vec<u32>>) -> Result<Vec<(u32, u32)>> {
        let (first, second) = (first(self)?, self.numbers()?);
        ensure!(first.len() == second.len(), "a pair of the image is half");
        Ok(first.into_iter().zip(second).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Image {
        Image {
            module: [7; 32],
            is_timed: true,
            layout: vec![8, 16],
            functions: vec![Function::Kept, Function::Internal, Function::Entry(3)],
            slots: [(4, Callee::Fill), (9, Callee::Function(0)), (14, Callee::Interrupt)]
                .map(|(offset, callee)| Slot { offset, callee })
                .to_vec(),
            traps: vec![Trap { offset: 0, code: 253 }, Trap { offset: 3, code: 12 }],
            pieces: [(0, None), (3, Some(2)), (9, None)]
                .map(|(start, function)| Piece { start, function })
                .to_vec(),
            code: vec![0xcc; 19],
        }
    }

    #[test]
    fn an_image_is_read_as_it_was_written() {
        let bytes = image().encode().unwrap();
        let hash = blake3::hash(&bytes).into();
        let packed = Packed::trusted(&bytes, &[[0; 32], hash]).unwrap();
        assert_eq!((packed.module, packed.is_timed), (image().module, image().is_timed));
        assert_eq!(packed.image().unwrap(), image());
    }

    #[test]
    fn an_image_is_refused_if_any_byte_is_changed_or_missing() {
        let bytes = image().encode().unwrap();
        let hash = blake3::hash(&bytes).into();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(Packed::trusted(&changed, &[hash]).is_err(), "byte {at}");
            assert!(Packed::trusted(&bytes[..at], &[hash]).is_err(), "{at} bytes");
            assert!(Image::decode(&bytes[..at]).is_err(), "{at} bytes");
        }
        assert!(Packed::trusted(&bytes, &[]).is_err());
    }

    #[test]
    fn positions_outside_of_the_code_are_refused() {
        let refused = |change: fn(&mut Image)| {
            let mut image = image();
            change(&mut image);
            Image::decode(&image.encode().unwrap()).is_err()
        };
        assert!(refused(|image| image.functions[2] = Function::Entry(19)));
        assert!(refused(|image| image.slots[1].offset = 15));
        assert!(refused(|image| image.slots[1].callee = Callee::Function(1)));
        assert!(refused(|image| image.slots[1].callee = Callee::Function(3)));
        assert!(refused(|image| image.is_timed = false));
        assert!(refused(|image| image.traps[1].offset = 19));
        assert!(refused(|image| image.traps.swap(0, 1)));
        assert!(refused(|image| image.pieces[2].start = 19));
        assert!(refused(|image| image.pieces[1].function = Some(3)));
        assert!(refused(|image| image.pieces.swap(0, 1)));
    }
}
