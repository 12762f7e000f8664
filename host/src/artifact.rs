//! Precompiled components (`.cwasm`): native code, with a [`Seal`] that tells
//! who has made it, run only where that was this user's runner, or root.
//!
//! The file is what [`wasmtime::Engine::precompile_component`] makes, for a
//! composed program followed by that of the bundled extensions and the list of
//! them, and the seal at its end.

use std::fmt;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

use anyhow::{Result, anyhow};
use wasmtime::Engine;

use crate::address_space::Reservation;
use crate::compiler::{Compiler, EngineKind};
use crate::compose::{Composition, Placement};
use crate::extensions::sha256;
use crate::extensions::text::{one_line, shortened};
use crate::key::Key;
use crate::seal::{SEAL_BYTES, Seal};

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
    /// Whole, and neither sealed with this user's key nor root's alone.
    Foreign,
    /// Native code, named by SQL or by a component.
    ChosenBySql,
    /// Not a plain file.
    NotAFile,
    /// Compiled for more address space than this process has.
    FullReservation,
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
            Self::Foreign => {
                "it holds native code that was not compiled with this user's key; \
                 name the `.wasm` that it was made from, or trust it with `--allow-native FILE`"
            }
            Self::ChosenBySql => {
                "native code is loaded from the command line or by a name only; \
                 load the `.wasm` that it was made from"
            }
            Self::NotAFile => "it is not a file; name a `.wasm` or `.cwasm` file",
            Self::FullReservation => {
                "it is compiled for 4 GiB of address space, and this process gets less; \
                 name its `.wasm`, or raise the limit (`ulimit -v`)"
            }
        })
    }
}

impl std::error::Error for Unusable {}

/// Compile a component for the engine of this kind and seal the result with
/// `key`. Without one only `--allow-native` makes it run.
///
/// # Errors
///
/// [`Unusable`], or what the compiler says.
pub fn precompile(
    compiler: &Compiler,
    kind: EngineKind,
    wasm: &[u8],
    key: Option<&Key>,
) -> Result<Vec<u8>> {
    check_wasm(wasm)?;
    let mut code = match Composition::of(wasm)? {
        Some(composition) => precompile_composed(compiler, kind, wasm, composition)?,
        None => compiler.compile(kind, wasm)?.into_bytes()?,
    };
    let seal = Seal::new(&code, wasm, key);
    code.extend_from_slice(seal.bytes());
    Ok(code)
}

/// The component, the extensions that are beside it, and what there is.
fn precompile_composed(
    compiler: &Compiler,
    kind: EngineKind,
    wasm: &[u8],
    mut composition: Composition,
) -> Result<Vec<u8>> {
    let component = &wasm[..composition.component_bytes];
    let mut code = compiler.compile(kind, component)?.into_bytes()?;
    composition.component_bytes = code.len();
    for embedded in &mut composition.extensions {
        if let Placement::Bundled { range, .. } = &mut embedded.placement {
            let content = &wasm[range.clone()];
            // Grants go by it: what the file says would be a claim.
            embedded.sha256 = sha256(content);
            let start = code.len();
            code.extend(compiler.compile(kind.of_extensions(), content)?.into_bytes()?);
            *range = start..code.len();
        }
    }
    code.extend(composition.encode()?);
    Ok(code)
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

/// The compiler's message in one line.
pub fn invalid(error: &wasmtime::Error) -> anyhow::Error {
    invalid_because(&error.root_cause().to_string())
}

/// The same for this cause.
pub(crate) fn invalid_because(cause: &str) -> anyhow::Error {
    // Names in the component stand in it.
    let cause = shortened(one_line(cause.lines().next().unwrap_or_default()));
    anyhow!("it is no valid component: {cause}; build it again")
}

/// The engine's words about another version or processor, in one line.
pub fn mismatch(engine: &Engine, error: &wasmtime::Error) -> anyhow::Error {
    let cause = error.root_cause().to_string();
    // Nothing but wasmtime's text tells this cause from others.
    if cause.contains("memory reservation") && Reservation::of(engine) != Reservation::Full {
        return Unusable::FullReservation.into();
    }
    anyhow!("{}; precompile it again here", cause.lines().next().unwrap_or_default().trim())
        .context("it was made for another version or processor")
}

/// The seal at the end of `content`, which is whole.
///
/// # Errors
///
/// [`Unusable::Unsealed`] or [`Unusable::Damaged`].
pub fn whole(content: &[u8]) -> Result<Seal, Unusable> {
    let seal = Seal::at_end(content, content.len() as u64)?;
    match seal.is_of(&content[..content.len() - SEAL_BYTES]) {
        true => Ok(seal),
        false => Err(Unusable::Damaged),
    }
}

/// The seal at the end of a file.
///
/// # Errors
///
/// [`Unusable::Unsealed`], or when it cannot be read.
pub fn seal_of(file: &File) -> Result<Seal> {
    let size = file.metadata()?.len();
    let mut tail = [0; SEAL_BYTES];
    let start = size.checked_sub(SEAL_BYTES as u64).ok_or(Unusable::Unsealed)?;
    file.read_exact_at(&mut tail, start)?;
    Ok(Seal::at_end(&tail, size)?)
}

/// Whether root has made the file and this user could not have: then it is as
/// good as the other programs of the system. Root itself can write every file,
/// and goes by the key.
pub fn is_of_system(file: &File) -> bool {
    let Ok(metadata) = file.metadata() else { return false };
    let is_roots = metadata.uid() == 0 && metadata.mode() & 0o022 == 0;
    is_roots && !nix::unistd::geteuid().is_root() && !is_writable(file)
}

/// Whether this user may write the file, by its access control list or
/// otherwise; it may where the system does not say.
fn is_writable(file: &File) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;
    // By its descriptor, so that it is this very file.
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let writable = accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS);
    !matches!(writable, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS))
}
