//! The hash, in four sizes; also of the extension `sha3query`.

use keccak_sha3::{Digest, Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use sqlite_wasm_kit::Value;

/// How long a hash is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Bits224,
    Bits256,
    Bits384,
    Bits512,
}

impl Size {
    pub fn from_bits(bits: i64) -> Option<Self> {
        match bits {
            224 => Some(Self::Bits224),
            256 => Some(Self::Bits256),
            384 => Some(Self::Bits384),
            512 => Some(Self::Bits512),
            _ => None,
        }
    }
}

/// A hash in progress.
pub enum Running {
    Bits224(Sha3_224),
    Bits256(Sha3_256),
    Bits384(Sha3_384),
    Bits512(Sha3_512),
}

impl Running {
    pub fn new(size: Size) -> Self {
        match size {
            Size::Bits224 => Self::Bits224(Sha3_224::new()),
            Size::Bits256 => Self::Bits256(Sha3_256::new()),
            Size::Bits384 => Self::Bits384(Sha3_384::new()),
            Size::Bits512 => Self::Bits512(Sha3_512::new()),
        }
    }

    pub fn update(&mut self, content: &[u8]) {
        match self {
            Self::Bits224(hash) => hash.update(content),
            Self::Bits256(hash) => hash.update(content),
            Self::Bits384(hash) => hash.update(content),
            Self::Bits512(hash) => hash.update(content),
        }
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

    /// Add a number of eight bytes, after a letter for its class.
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

    pub fn finish(self) -> Vec<u8> {
        match self {
            Self::Bits224(hash) => hash.finalize().to_vec(),
            Self::Bits256(hash) => hash.finalize().to_vec(),
            Self::Bits384(hash) => hash.finalize().to_vec(),
            Self::Bits512(hash) => hash.finalize().to_vec(),
        }
    }
}
