//! Precompiled components (`.cwasm`): native code with a [`Seal`]. The runner
//! only runs code that this user's runner or root has made.
//!
//! The file is the output of [`wasmtime::Engine::precompile_component`],
//! followed by the seal. In a composed program the native code of the bundled
//! extensions and their list come before the seal.

use std::fmt;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

use anyhow::{Result, anyhow};
use wasmtime::Engine;

use crate::address_space::Reservation;
use crate::compiler::{Compiler, EngineKind};
use crate::compose::Composition;
use crate::extensions::sha256;
use crate::extensions::text::{one_line, shortened};
use crate::key::Key;
use crate::seal::{SEAL_BYTES, Seal};

/// Why a file is not a usable component.
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
    /// Has no seal at the end: truncated, or made by another tool.
    Unsealed,
    /// The content does not match the seal.
    Damaged,
    /// Undamaged, but neither sealed with this user's key nor writable by root
    /// alone.
    Foreign,
    /// Native code that SQL or a component has named.
    ChosenBySql,
    /// Not a plain file.
    NotAFile,
    /// Compiled for more address space than this process can reserve.
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
/// `key`. Code without a key runs only with `--allow-native`.
///
/// # Errors
///
/// [`Unusable`], or the compiler's error.
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

/// Compile the component and the bundled extensions, and append their list.
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
        if let Some(range) = &mut embedded.beside {
            let content = &wasm[range.clone()];
            // Computed here, since grants refer to it and the file could claim
            // any.
            embedded.sha256 = sha256(content);
            let start = code.len();
            code.extend(compiler.compile(kind.of_extensions(), content)?.into_bytes()?);
            *range = start..code.len();
        }
    }
    code.extend(composition.encode()?);
    Ok(code)
}

/// Refuse bytes that do not begin as the binary form of a component does.
///
/// # Errors
///
/// The form that the bytes have instead.
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

/// The compiler's message for this cause in one line.
pub(crate) fn invalid_because(cause: &str) -> anyhow::Error {
    // The message quotes names from the component.
    let cause = shortened(one_line(cause.lines().next().unwrap_or_default()));
    anyhow!("it is no valid component: {cause}; build it again")
}

/// The engine's words about another version or processor, in one line.
pub fn mismatch(engine: &Engine, error: &wasmtime::Error) -> anyhow::Error {
    let cause = error.root_cause().to_string();
    // Wasmtime reports this cause only in the text of its error.
    if cause.contains("memory reservation") && Reservation::of(engine) != Reservation::Full {
        return Unusable::FullReservation.into();
    }
    anyhow!("{}; precompile it again here", cause.lines().next().unwrap_or_default().trim())
        .context("it was made for another version or processor")
}

/// The seal at the end of `content`, which must match it.
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

/// Whether root owns the file and this user cannot write it: then it is as
/// trustworthy as the system's programs. Root can write every file, so for root
/// only the key counts.
pub fn is_of_system(file: &File) -> bool {
    let Ok(metadata) = file.metadata() else { return false };
    let is_roots = metadata.uid() == 0 && metadata.mode() & 0o022 == 0;
    is_roots && !nix::unistd::geteuid().is_root() && !is_writable(file)
}

/// Whether this user can write the file, by its access control list or
/// otherwise. True where the system reports neither.
fn is_writable(file: &File) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;
    // By its descriptor, since the name could lead to another file by now.
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let writable = accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS);
    !matches!(writable, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS))
}
