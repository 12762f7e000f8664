//! Runs SQLite's shell, and other command-line components, in a WebAssembly
//! sandbox.
//!
//! ```no_run
//! use sqlite_wasm_runtime::component::Loader;
//! use sqlite_wasm_runtime::runner::{Options, run};
//! use sqlite_wasm_runtime::stdio::Stdio;
//!
//! # fn main() -> anyhow::Result<()> {
//! let loader = Loader::new(None)?;
//! let shell = loader.load("cli.wasm".as_ref())?;
//! let mut options = Options::new(Stdio::inherited());
//! options.arguments = vec!["sqlite3".into(), ":memory:".into(), "SELECT 1".into()];
//! println!("{:?}", run(&shell, options)?);
//! # Ok(())
//! # }
//! ```
//!
//! A component has what [`runner::Options`] grants: by default no files, no
//! network, no environment, and no input or output but the streams given.

pub mod address_space;
pub mod artifact;
mod bindings;
pub mod cache;
mod call_clock;
mod clock;
pub mod compiler;
pub mod component;
pub mod compose;
pub mod composition;
pub mod console;
pub mod contract;
mod data;
pub mod database;
pub mod deadline;
mod descriptors;
pub mod engine;
pub mod escape;
pub mod exit_code;
pub mod extensions;
mod file_hashes;
pub mod files;
pub mod forks;
mod fused;
pub mod grants;
pub mod key;
mod mapping;
mod masks;
mod memory;
mod native_code;
pub mod owner;
mod page;
pub mod process;
mod processor;
pub mod program_files;
mod received;
mod refusals;
pub mod runner;
pub mod sandbox;
pub mod seal;
mod sha256;
pub mod shell_arguments;
mod statement;
pub mod stdio;
mod stop;
pub mod temporary;
pub mod terminal;
mod text;
pub mod threads;
pub mod units;
mod unusable;
pub mod user_directories;
pub mod wall;
mod wasi;
mod wasi_files;
