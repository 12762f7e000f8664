//! A function as Cranelift stores it in its cache: `CachedFunc`, written by postcard.

use anyhow::{Context, Result, ensure};

use crate::image::Trap;

/// A reference to another function, instead of the four bytes at `offset`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The position in the code.
    pub offset: u64,
    /// Cranelift's `Reloc`.
    pub kind: u64,
    /// The index of the name of the other function.
    pub name: u64,
    /// Added to the address of the other function.
    pub addend: i64,
}

/// A range of code that comes from one position in the module (`MachSrcLoc`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The range in the code.
    pub start: u32,
    /// Its end.
    pub end: u32,
    /// The position, from where the function begins.
    pub position: u32,
}

/// What is read from a stored function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Cranelift's version, which it compares.
    pub version: Vec<u8>,
    /// The machine code.
    pub code: Vec<u8>,
    /// The other functions that it calls.
    pub relocations: Vec<Relocation>,
}

/// Fields without content between traps and sources: call sites, patchable call sites, handlers.
const EMPTY_BEFORE_SOURCES: [u8; 3] = [0; 3];

/// Between sources and alignment: debug tags, their pool, stack maps, frame layout, unwind information.
const EMPTY_BEFORE_ALIGNMENT: [u8; 5] = [0; 5];

/// And at the end: nops, text of the code, labels of values, starts and edges of blocks.
const EMPTY_AT_END: [u8; 5] = [0; 5];

impl Blob {
    /// Read what comes before the traps.
    ///
    /// # Errors
    ///
    /// When the form is another one.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader(bytes);
        let version = reader.bytes()?.to_vec();
        let code = reader.bytes()?.to_vec();
        let count = reader.number()?;
        let relocations = (0..count).map(|_| reader.relocation()).collect::<Result<_>>()?;
        Ok(Self { version, code, relocations })
    }

    /// The bytes for the cache.
    pub fn encode(&self, traps: &[Trap], sources: &[Source], alignment: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.code.len() + 4 * traps.len() + 1024);
        put_bytes(&mut bytes, &self.version);
        put_bytes(&mut bytes, &self.code);
        put(&mut bytes, self.relocations.len() as u64);
        for relocation in &self.relocations {
            put(&mut bytes, relocation.offset);
            put(&mut bytes, relocation.kind);
            // An external name, of the kind that a user of Cranelift chooses.
            bytes.extend([0, 0]);
            put(&mut bytes, relocation.name);
            let addend = relocation.addend;
            put(&mut bytes, ((addend << 1) ^ (addend >> 63)).cast_unsigned());
        }
        put(&mut bytes, traps.len() as u64);
        for trap in traps {
            put(&mut bytes, trap.offset.into());
            bytes.push(trap.code);
        }
        bytes.extend(EMPTY_BEFORE_SOURCES);
        put(&mut bytes, sources.len() as u64);
        for source in sources {
            for number in [source.start, source.end, source.position] {
                put(&mut bytes, number.into());
            }
        }
        bytes.extend(EMPTY_BEFORE_ALIGNMENT);
        put(&mut bytes, alignment.into());
        bytes.extend(EMPTY_AT_END);
        bytes
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    put(bytes, content.len() as u64);
    bytes.extend(content);
}

/// The rest of a stored function.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Result<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.0.split_first().context("a stored function ends early")?;
            self.0 = rest;
            ensure!(shift < 64, "a number of a stored function is too long");
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = usize::try_from(self.number()?)?;
        let split = self.0.split_at_checked(length);
        let (bytes, rest) = split.context("a stored function ends early")?;
        self.0 = rest;
        Ok(bytes)
    }

    fn relocation(&mut self) -> Result<Relocation> {
        let (offset, kind) = (self.number()?, self.number()?);
        let is_user_name = self.number()? == 0 && self.number()? == 0;
        ensure!(is_user_name, "a stored function refers to something else than a function");
        let (name, addend) = (self.number()?, self.number()?);
        let addend = (addend >> 1).cast_signed() ^ -((addend & 1).cast_signed());
        Ok(Relocation { offset, kind, name, addend })
    }
}
