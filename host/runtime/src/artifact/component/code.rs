//! Checked native code: a file that no component can change, or bytes in this
//! process's memory.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use anyhow::{Context, Result};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::artifact;
use crate::artifact::native_code;
use crate::artifact::seal::{SEAL_BYTES, Seal};
use crate::contract::composition::Composition;

/// Longest file of native code, in bytes: enough for the largest `.wasm`.
const MAX_CODE_BYTES: u64 = 4 << 30;

/// Native code, followed by its checked seal.
#[derive(Clone)]
pub enum Code {
    /// A file of the cache, which no grant reaches, or of root.
    File(Arc<File>),
    /// The checked bytes.
    Bytes(Arc<Vec<u8>>),
}

impl Code {
    /// The whole content of a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(file: &File) -> Result<Vec<u8>> {
        let mut content = Vec::with_capacity(file.metadata()?.len().min(MAX_CODE_BYTES) as usize);
        file.take(MAX_CODE_BYTES).read_to_end(&mut content).context("failed to read it")?;
        Ok(content)
    }

    /// Load the code as a component for `engine`.
    ///
    /// # Errors
    ///
    /// When it was made for another version or processor.
    pub fn component(&self, engine: &Engine) -> Result<Component> {
        let loaded = match self {
            Self::File(file) => native_code::map(engine, file.as_raw_fd()),
            Self::Bytes(bytes) => native_code::load(engine, bytes),
        };
        loaded.map_err(|error| artifact::mismatch(engine, &error))
    }

    /// Load the bundled extension at `range` as a component.
    ///
    /// # Errors
    ///
    /// As [`Self::component`].
    pub fn part(&self, engine: &Engine, range: Range<usize>) -> Result<Component> {
        let loaded = match self {
            Self::File(file) => native_code::load_part(engine, file, range),
            Self::Bytes(bytes) => {
                let part = bytes.get(range).context("its list of extensions is damaged")?;
                native_code::load(engine, part)
            }
        };
        loaded.map_err(|error| artifact::mismatch(engine, &error))
    }

    /// The seal of the code.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn seal(&self) -> Result<Seal> {
        match self {
            Self::File(file) => artifact::seal_of(file),
            Self::Bytes(bytes) => Ok(Seal::at_end(bytes, bytes.len() as u64)?),
        }
    }

    /// The list of embedded extensions, if it was composed.
    ///
    /// # Errors
    ///
    /// When the list cannot be read.
    pub fn composition(&self) -> Result<Option<Composition>> {
        match self {
            Self::File(file) => {
                let size = file.metadata()?.len();
                Composition::of_file(file, size.saturating_sub(SEAL_BYTES as u64))
            }
            Self::Bytes(bytes) => {
                Composition::of_native(&bytes[..bytes.len().saturating_sub(SEAL_BYTES)])
            }
        }
    }
}
