//! Running a component, which the program does without a command.

pub mod execute;
mod extension_grants;
mod load;
pub mod outcome;
pub mod program;
mod settings;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, TypedValueParser};
use sqlite_wasm_runtime::limits::units::parse_duration;

use super::directories::{DirectoryOption, parse_directory};
use super::values::{parse_grant, parse_size};

/// Options for running a component.
#[derive(Debug, Default, clap::Args)]
pub struct RunOptions {
    /// Grant access to a directory; `:ro` is read-only. GUEST is its name in the
    /// sandbox. If the name of the directory ends in `:ro`, append `:rw` or `:ro`
    #[arg(
        long,
        value_name = "HOST[::GUEST][:ro|:rw]",
        value_parser = OsStringValueParser::new().try_map(parse_directory)
    )]
    pub dir: Vec<DirectoryOption>,

    /// Do not grant the working directory and the database
    #[arg(long)]
    pub no_default_dirs: bool,

    /// Stop when memory exceeds this limit [default: 4G]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub max_memory: Option<usize>,

    /// Stop after this time: seconds, or a number with `ms`, `s`, `m` or `h`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Search for extensions in this directory first
    #[arg(long, value_name = "DIR")]
    pub extension_dir: Vec<PathBuf>,

    /// Load an extension at start-up: a name, or the path of a file
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub load: Vec<String>,

    /// Grant an extension access to `sql`, `sql:ro`, `dir:PATH[:ro]` or `env:VARIABLE`
    #[arg(long, value_name = "NAME=WORDS", value_parser = parse_grant)]
    pub grant: Vec<String>,

    /// Read grants for extensions from a TOML file: `[NAME]`, `grants = ["sql"]`
    #[arg(long, value_name = "FILE")]
    pub grants: Vec<PathBuf>,

    /// Memory limit of each extension [default: 512M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_memory: Option<usize>,

    /// Time limit of one call to an extension [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub extension_timeout: Option<Duration>,

    /// Limit on the data that one call to an extension returns [default: 128M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_value: Option<usize>,

    /// Limit on the text that an extension prints [default: 64K]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_log: Option<usize>,

    /// Run the native code in this `.cwasm`, no matter who created it
    #[arg(long, value_name = "FILE")]
    pub allow_native: Vec<PathBuf>,

    /// Do not use the cache of compiled code
    #[arg(long)]
    pub no_cache: bool,

    /// Do not use Landlock and seccomp, for kernels and tools that conflict with them
    #[arg(long)]
    pub no_second_wall: bool,

    /// Print the versions of this program, wasmtime and SQLite
    #[arg(long)]
    pub version: bool,
}
