//! LLVM's machine code for SQLite's own components, inside wasmtime's artifacts.
//!
//! `tooling/build/native-code` makes an *image* of a core module: LLVM's code for nearly all of its
//! functions, linked, with a list of entries and traps. This crate inserts it where wasmtime
//! would compile the module:
//!
//! 1. `rewrite`: each function of the image becomes three instructions that contain its index.
//! 2. `inject`: wasmtime compiles that; its cache of functions shows which of them is which, and in
//!    a second pass replies with the image instead of one of them, and a jump into the image
//!    instead of each other.
//!
//! Whatever does not fit gives an error, and the caller lets wasmtime compile the component itself.

pub mod component;
pub mod image;
#[cfg(feature = "inject")]
pub mod inject;
pub mod module;
pub mod pinned;
pub mod rewrite;
