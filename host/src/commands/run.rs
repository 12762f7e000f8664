//! Running a component, which the program does without a command.

pub mod execute;
mod extension_grants;
mod load;
pub mod outcome;
mod program;
mod settings;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, TypedValueParser};

use super::directories::{DirectoryOption, parse_directory};
use super::values::{parse_duration, parse_grant, parse_size};

/// Options for running a component.
#[derive(Debug, Default, clap::Args)]
pub struct RunOptions {
    /// Grant a directory; `:ro` for reading only. GUEST is its name inside. A
    /// name that ends with `:ro` itself is followed by `:rw` or one more `:ro`
    #[arg(
        long,
        value_name = "HOST[::GUEST][:ro|:rw]",
        value_parser = OsStringValueParser::new().try_map(parse_directory)
    )]
    pub dir: Vec<DirectoryOption>,

    /// Grant neither the working directory nor the database
    #[arg(long)]
    pub no_default_dirs: bool,

    /// Stop when the component's memory grows over this [default: 4G]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub max_memory: Option<usize>,

    /// Stop after this time, in seconds, or with `ms`, `s`, `m` or `h`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Look for extensions in this directory first
    #[arg(long, value_name = "DIR")]
    pub extension_dir: Vec<PathBuf>,

    /// Load an extension before anything else
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub load: Vec<String>,

    /// Let an extension use something: `sql`, `sql:ro`, `dir:PATH[:ro]`, `env:VARIABLE`
    #[arg(long, value_name = "NAME=WORDS", value_parser = parse_grant)]
    pub grant: Vec<String>,

    /// Grant extensions what a TOML file says: `[NAME]`, `grants = ["sql"]`
    #[arg(long, value_name = "FILE")]
    pub grants: Vec<PathBuf>,

    /// Memory of an extension at most [default: 512M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_memory: Option<usize>,

    /// Time for one call of an extension [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub extension_timeout: Option<Duration>,

    /// What one call of an extension gives at most [default: 128M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_value: Option<usize>,

    /// What an extension prints at most [default: 64K]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_log: Option<usize>,

    /// Take native code from this `.cwasm`, whoever has made it
    #[arg(long, value_name = "FILE")]
    pub allow_native: Vec<PathBuf>,

    /// Compile anew, and keep nothing
    #[arg(long)]
    pub no_cache: bool,

    /// Do without Landlock and seccomp: for kernels and tools that they disturb
    #[arg(long)]
    pub no_second_wall: bool,

    /// Print the versions of this program, wasmtime and SQLite
    #[arg(long)]
    pub version: bool,
}
