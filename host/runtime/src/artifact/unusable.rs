//! Why a file is not a usable component.

use std::fmt;

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
    /// Native code that does not check the time, without the component that it
    /// was compiled from.
    WithoutSource,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotWasm => "it is not a WebAssembly component; name a `.wasm` or `.cwasm` file",
            Self::Compiled => "it is already compiled; name the `.wasm` that it was made from",
            Self::CoreModule => {
                "it is a core module and not a component; build it for wasm32-wasip2"
            }
            Self::Text => "it is WebAssembly text; only the binary form is run",
            Self::Unsealed => {
                "it is truncated, or not made by `sqlite-wasm-run precompile`; precompile it again"
            }
            Self::Damaged => "its content is damaged; precompile it again",
            Self::Foreign => {
                "it holds native code that was not compiled with this user's key; \
                 name the `.wasm` that it was made from, or trust it with `--allow-native FILE`"
            }
            Self::ChosenBySql => {
                "native code can only be loaded from the command line or by name; \
                 load the `.wasm` that it was made from"
            }
            Self::NotAFile => "it is not a file; name a `.wasm` or `.cwasm` file",
            Self::FullReservation => {
                "it is compiled for 4 GiB of address space, and this process has less; \
                 name its `.wasm`, or raise the limit (`ulimit -v`)"
            }
            Self::WithoutSource => {
                "its code does not check the time, as a limit of time demands, and the `.wasm` \
                 that it was compiled from is not beside it; put it there, or name it"
            }
        })
    }
}

impl std::error::Error for Unusable {}
