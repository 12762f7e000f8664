//! Precompiled components (`.cwasm`): native code with a [`Seal`]. The runner
//! only runs code that this user's runner or root has made.
//!
//! The file is the output of [`wasmtime::Engine::precompile_component`],
//! followed by the seal. In a composed program the native code of the bundled
//! extensions and their list come before the seal.

pub mod cache;
pub mod compiler;
pub mod component;
pub mod engine;
pub(crate) mod file_hashes;
pub(crate) mod native_code;
pub mod perf;
pub(crate) mod processor;
pub mod seal;
pub(crate) mod sha256;
pub mod trace;
pub(crate) mod unusable;

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

use anyhow::{Result, anyhow};
use wasmtime::Engine;

use crate::artifact::seal::{SEAL_BYTES, Seal};
pub use crate::artifact::unusable::Unusable;

/// What LLVM's code in an artifact has at its end (`host/native`), where no code reads it.
pub const LLVM_MARK: &[u8] = b"sqlite-wasm-run: machine code by LLVM";

/// Whether LLVM made code in a `.cwasm`, which need not be trusted.
pub fn is_by_llvm(code: &[u8]) -> bool {
    code.windows(LLVM_MARK.len()).any(|piece| piece == LLVM_MARK)
}
use crate::limits::address_space::Reservation;
use crate::words::shown::{one_line, shortened};

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

/// The compiler's message for this cause in one line.
pub fn invalid(cause: &str) -> anyhow::Error {
    // The message quotes names from the component.
    let cause = shortened(one_line(cause.lines().next().unwrap_or_default()));
    anyhow!("it is not a valid component: {cause}; build it again")
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
pub fn verified_seal(content: &[u8]) -> Result<Seal, Unusable> {
    let seal = Seal::at_end(content, content.len() as u64)?;
    if seal.is_of(&content[..content.len() - SEAL_BYTES]) {
        Ok(seal)
    } else {
        Err(Unusable::Damaged)
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
