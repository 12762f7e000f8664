//! Precompiled components (`.cwasm`): native code, with a seal that finds
//! damage, run only when nobody else could have written it.
//!
//! The file is what [`wasmtime::Engine::precompile_component`] makes, followed
//! by the seal: eight bytes of magic, the length of the code (64 bits, little
//! endian) and its BLAKE3 hash.

use std::fmt;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

use anyhow::{Context, Result, anyhow};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::compose::Composition;
use crate::content::ContentHashes;
use crate::engine::extension_engine;
use crate::extensions::sha256;
use crate::extensions::text::{one_line, shortened};

const MAGIC: [u8; 8] = *b"sqwasm01";
const SEAL_BYTES: usize = 8 + 8 + blake3::OUT_LEN;

/// Why a file is no component that can be used here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// Neither the binary form of WebAssembly nor a precompiled component.
    NotWasm,
    /// Native code, as a precompiled component is.
    Compiled,
    /// A core module, which has no interfaces.
    CoreModule,
    /// The text form of WebAssembly.
    Text,
    /// No seal at the end: cut off, or made by another tool.
    Unsealed,
    /// The content is not what the seal says.
    Damaged,
    /// Somebody other than this user and root owns it.
    OwnedByOther,
    /// Somebody other than its owner may write it.
    WritableByOthers,
    /// Not a plain file.
    NotAFile,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotWasm => "it is no WebAssembly component; name a `.wasm` or `.cwasm` file",
            Self::Compiled => "it is compiled already; name the `.wasm` that it was made from",
            Self::CoreModule => {
                "it is a core module and not a component; build it for wasm32-wasip2"
            }
            Self::Text => "it is WebAssembly text; only the binary form is run",
            Self::Unsealed => {
                "it is cut off, or not made by `sqlite-wasm-run precompile`; precompile it again"
            }
            Self::Damaged => "its content is damaged; precompile it again",
            Self::OwnedByOther => {
                "it holds native code and belongs to another user; \
                 precompile the `.wasm` yourself"
            }
            Self::WritableByOthers => {
                "it holds native code and others may write it; `chmod go-w` it if you trust it"
            }
            Self::NotAFile => "it is not a file; name a `.wasm` or `.cwasm` file",
        })
    }
}

impl std::error::Error for Unusable {}

/// Compile a component and seal the result.
///
/// # Errors
///
/// [`Unusable`], or what the compiler says.
pub fn precompile(engine: &Engine, wasm: &[u8]) -> Result<Vec<u8>> {
    check_wasm(wasm)?;
    let mut code = match Composition::of(wasm)? {
        Some(composition) => precompile_composed(engine, wasm, composition)?,
        None => compile(engine, wasm)?,
    };
    let length = code.len() as u64;
    let hash = blake3::hash(&code);
    code.extend_from_slice(&MAGIC);
    code.extend_from_slice(&length.to_le_bytes());
    code.extend_from_slice(hash.as_bytes());
    Ok(code)
}

fn compile(engine: &Engine, wasm: &[u8]) -> Result<Vec<u8>> {
    engine.precompile_component(wasm).map_err(|error| invalid(&error))
}

/// The component, the extensions that are beside it, and what there is.
fn precompile_composed(
    engine: &Engine,
    wasm: &[u8],
    mut composition: Composition,
) -> Result<Vec<u8>> {
    let mut code = compile(engine, &wasm[..composition.component_bytes])?;
    composition.component_bytes = code.len();
    let extensions = extension_engine()?;
    for embedded in &mut composition.extensions {
        if let Some(range) = &mut embedded.beside {
            let content = &wasm[range.clone()];
            // Grants go by it: what the file says would be a claim.
            embedded.sha256 = sha256(content);
            let start = code.len();
            code.extend(compile(&extensions, content)?);
            *range = start..code.len();
        }
    }
    code.extend(composition.encode()?);
    Ok(code)
}

/// What a precompiled component was composed with. Its seal was checked.
///
/// # Errors
///
/// When the list cannot be read.
pub fn composition(file: &File) -> Result<Option<Composition>> {
    let size = file.metadata()?.len();
    Composition::of_file(file, size.saturating_sub(SEAL_BYTES as u64))
}

/// Refuse what is not the binary form of a component, by its first bytes.
///
/// # Errors
///
/// What it is instead.
pub fn check_wasm(wasm: &[u8]) -> Result<(), Unusable> {
    match wasm {
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', _, _, 0, 0, ..] => Err(Unusable::CoreModule),
        [b'(', ..] => Err(Unusable::Text),
        [0x7f, b'E', b'L', b'F', ..] => Err(Unusable::Compiled),
        _ => Err(Unusable::NotWasm),
    }
}

/// Load a precompiled component.
///
/// # Errors
///
/// [`Unusable`], or why it does not fit this engine or processor.
pub fn load(engine: &Engine, file: &File, hashes: &ContentHashes) -> Result<Component> {
    if !crate::wall::broken::is_broken() {
        check_trust(file)?;
        check_seal(file, hashes)?;
    }
    crate::native_code::load(engine, file.as_raw_fd()).map_err(mismatch)
}

/// The compiler's story in one line.
pub fn invalid(error: &wasmtime::Error) -> anyhow::Error {
    let cause = error.root_cause().to_string();
    // Names in the component stand in it.
    let cause = shortened(one_line(cause.lines().next().unwrap_or_default()));
    anyhow!("it is no valid component: {cause}; build it again")
}

/// The engine's long story about another version or processor, in one line.
fn mismatch(error: wasmtime::Error) -> anyhow::Error {
    let cause = error.root_cause().to_string();
    anyhow!("{}; precompile it again here", cause.lines().next().unwrap_or_default().trim())
        .context("it was made for another version or processor")
}

/// Native code is as good as a program: only this user or root may have
/// written it.
fn check_trust(file: &File) -> Result<()> {
    let metadata = file.metadata().context("failed to look at it")?;
    if !metadata.is_file() {
        return Err(Unusable::NotAFile.into());
    }
    if metadata.uid() != 0 && metadata.uid() != nix::unistd::geteuid().as_raw() {
        return Err(Unusable::OwnedByOther.into());
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(Unusable::WritableByOthers.into());
    }
    Ok(())
}

fn check_seal(file: &File, hashes: &ContentHashes) -> Result<()> {
    let size = file.metadata()?.len();
    let length = size.checked_sub(SEAL_BYTES as u64).ok_or(Unusable::Unsealed)?;
    let mut seal = [0; SEAL_BYTES];
    file.read_exact_at(&mut seal, length).context("failed to read it")?;
    if seal[..8] != MAGIC || seal[8..16] != length.to_le_bytes() {
        return Err(Unusable::Unsealed.into());
    }
    let hash = hashes.of(file, length).context("failed to read it")?;
    if hash.as_bytes()[..] != seal[16..] {
        return Err(Unusable::Damaged.into());
    }
    Ok(())
}
