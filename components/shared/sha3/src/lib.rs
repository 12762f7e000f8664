//! SHA-3 in four sizes, of bytes and of SQLite's values. The extensions `sha3` and `sha3query` share it.
#![forbid(unsafe_code)]

mod keccak;

use sqlite_wasm_kit::Value;

/// The length of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 28 bytes.
    Bits224,
    /// 32 bytes.
    Bits256,
    /// 48 bytes.
    Bits384,
    /// 64 bytes.
    Bits512,
}

impl Size {
    /// The length that a caller gives; none if no hash has it.
    pub fn from_bits(bits: i64) -> Option<Self> {
        match bits {
            224 => Some(Self::Bits224),
            256 => Some(Self::Bits256),
            384 => Some(Self::Bits384),
            512 => Some(Self::Bits512),
            _ => None,
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::Bits224 => 28,
            Self::Bits256 => 32,
            Self::Bits384 => 48,
            Self::Bits512 => 64,
        }
    }

    /// How many bytes are absorbed at once.
    const fn rate(self) -> usize {
        200 - 2 * self.bytes()
    }
}

/// A hash in progress (the sponge of FIPS 202).
pub struct Running {
    size: Size,
    state: keccak::State,
    /// What will be absorbed next, as far as it is known.
    block: [u8; MAX_RATE],
    filled: usize,
}

/// Bytes of the state that the shortest hash absorbs at once.
const MAX_RATE: usize = Size::Bits224.rate();

impl Running {
    /// A hash of nothing yet.
    pub fn new(size: Size) -> Self {
        Self { size, state: [0; 25], block: [0; MAX_RATE], filled: 0 }
    }

    /// Add bytes.
    pub fn update(&mut self, mut content: &[u8]) {
        while !content.is_empty() {
            let free = &mut self.block[self.filled..self.size.rate()];
            let (now, later) = content.split_at(free.len().min(content.len()));
            free[..now.len()].copy_from_slice(now);
            self.filled += now.len();
            if self.filled == self.size.rate() {
                self.absorb();
            }
            content = later;
        }
    }

    fn absorb(&mut self) {
        let (lanes, _) = self.block[..self.size.rate()].as_chunks();
        for (lane, bytes) in self.state.iter_mut().zip(lanes) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        keccak::permute(&mut self.state);
        self.filled = 0;
    }

    /// Add one value, in shathree's encoding.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.update(b"N"),
            Value::Integer(number) => self.tagged(b'I', number.to_be_bytes()),
            Value::Real(number) => self.tagged(b'F', number.to_be_bytes()),
            Value::Text(bytes) => self.sized('T', bytes),
            Value::Blob(bytes) => self.sized('B', bytes),
        }
    }

    /// Add eight bytes of an integer or real, after a letter for its class.
    fn tagged(&mut self, tag: u8, number: [u8; 8]) {
        let mut content = [tag; 9];
        content[1..].copy_from_slice(&number);
        self.update(&content);
    }

    /// Add bytes, after a letter for their class and their length.
    pub fn sized(&mut self, tag: char, content: &[u8]) {
        self.update(format!("{tag}{}:", content.len()).as_bytes());
        self.update(content);
    }

    /// The hash of all that was added.
    pub fn finish(mut self) -> Vec<u8> {
        let rate = self.size.rate();
        self.block[self.filled..rate].fill(0);
        // The suffix of SHA-3, then the padding's first and last bit.
        self.block[self.filled] |= 0b110;
        self.block[rate - 1] |= 0x80;
        self.absorb();
        self.state.map(u64::to_le_bytes).as_flattened()[..self.size.bytes()].to_vec()
    }
}
