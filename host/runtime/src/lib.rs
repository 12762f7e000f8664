//! Runs SQLite's shell, and other command-line components, in a WebAssembly
//! sandbox.
//!
//! ```no_run
//! use sqlite_wasm_runtime::artifact::component::Loader;
//! use sqlite_wasm_runtime::runner::{Options, run};
//! use sqlite_wasm_runtime::filesystem::stdio::Stdio;
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
//!
//! Without the feature `run` the library only describes, compiles and composes components, as the helper does.

// What is left is there for what runs.
#![cfg_attr(not(feature = "run"), allow(dead_code, unused_imports))]

pub mod artifact;
pub mod contract;
#[cfg(feature = "run")]
pub mod database;
#[cfg(feature = "run")]
pub mod extensions;
pub mod filesystem;
#[cfg(feature = "run")]
pub mod imports;
pub mod installation;
pub mod limits;
#[cfg(feature = "run")]
pub mod runner;
#[cfg(feature = "run")]
pub mod sandbox;
pub mod wall;
pub mod words;
