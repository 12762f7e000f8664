//! `compose`: extensions put into the CLI.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::builder::NonEmptyStringValueParser;
use sqlite_wasm_runtime::artifact::component::Loader;
use sqlite_wasm_runtime::contract::composition::{Composition, Contained};
use sqlite_wasm_runtime::extensions::compose::{Base, Composed, Extension, compose};
use sqlite_wasm_runtime::installation::program_files;
use sqlite_wasm_runtime::limits::address_space::Reservation;
use sqlite_wasm_runtime::sandbox::Recipe;
use sqlite_wasm_runtime::wall::exit_code;
use sqlite_wasm_runtime::words::escape::escaped;

use super::extension_directories::extension_directories;
use super::values::parse_output;
use super::{directory_of, extension, loader, print, print_json, second_wall, write_whole};
use sqlite_wasm_runtime::words::complaint::complain;

const DETAILS: &str = "\
An extension that needs no grant is fused with the shell: it becomes part of the
component, and calls to it are as cheap as possible. It has separate memory, but no
files, network or environment. If it traps, the program ends with a message that
names it, and an open transaction is rolled back when the database is next
opened. Its time and memory count towards `--timeout` and `--max-memory`. An
extension that imports the network cannot be fused and is refused.

An extension that needs a grant, such as SQL or a directory, is bundled: it is
stored in the same file and runs in a separate sandbox, as if it were loaded.
Options such as `--grant NAME=sql` or `--grant NAME=dir:PATH:ro` apply to it when
the program is run. If it traps, only the statement fails. It is started by its
first use, which is the opening of a connection if it connects at load.

`extension inspect` shows which extensions are fused and which are bundled.";

/// Combine the shell and extensions in one component
#[derive(Debug, clap::Args)]
#[command(after_long_help = DETAILS)]
pub struct Compose {
    /// Extensions: names, or paths of `.wasm` files
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required_unless_present = "list")]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    embed: Vec<String>,

    /// The shell, which may already be composed, or `database.wasm` of libraries and servers; next
    /// to this program if the name has no directory [default: cli.wasm]
    #[arg(long, value_name = "CLI.wasm")]
    cli: Option<PathBuf>,

    /// Output file
    #[arg(short, long, value_name = "OUT.wasm", default_value = "composed.wasm")]
    #[arg(value_parser = parse_output)]
    output: PathBuf,

    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,

    /// Also write the compiled form, OUT.cwasm
    #[arg(long)]
    precompile: bool,

    /// Search for extensions in this directory first
    #[arg(long, value_name = "DIR")]
    extension_dir: Vec<PathBuf>,

    /// List the extensions that can be added by name
    #[arg(long, conflicts_with_all = ["embed", "cli", "force", "precompile"])]
    list: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Compose {
    /// Write the result completely or not at all.
    pub fn execute(self) -> Result<ExitCode> {
        let directories = extension_directories(&self.extension_dir);
        if self.list {
            return extension::list(&directories, self.json);
        }
        let compiled = self.output.with_extension("cwasm");
        self.check_absent(&self.output)?;
        if self.precompile {
            self.check_absent(&compiled)?;
        }
        // The key cannot be read behind the wall.
        let mut recipe = Recipe::of_user();
        recipe.search_extensions(directories.clone());
        let loader = loader(&recipe, Reservation::Full)?;
        self.raise_wall(&directories)?;
        let composed = match self.composed(&directories, &recipe, &loader) {
            Ok(composed) => composed,
            Err(error) => {
                complain(format!("error: {error:#}"));
                return Ok(exit_code::ExitCode::Artifact.into());
            }
        };
        composed.warnings.iter().for_each(|warning| complain(format!("warning: {warning}")));
        write_whole(&self.output, &composed.wasm)?;
        if self.precompile {
            write_whole(&compiled, &loader.precompile_bytes(&self.output, &composed.wasm)?)?;
        }
        self.print_result(&composed.composition)
    }

    /// Raise the wall before the helper and the extensions' `describe` run.
    fn raise_wall(&self, directories: &[PathBuf]) -> Result<()> {
        let cli = self.base();
        let named = self.embed.iter().map(PathBuf::from);
        let read: Vec<_> = directories.iter().cloned().chain(cli).chain(named).collect();
        second_wall::raise_for_looking(&read, &[directory_of(&self.output).to_owned()])
    }

    /// Compose in memory. An error means that a component is unusable.
    fn composed(
        &self,
        directories: &[PathBuf],
        recipe: &Recipe,
        loader: &Loader,
    ) -> Result<Composed> {
        let path = self.base()?;
        let cli = Base::read(&path, loader)?;
        let mut extensions = recipe.extensions();
        let found =
            self.embed.iter().map(|name| Extension::find(name, directories, &mut extensions));
        let found = found.collect::<Result<Vec<_>>>()?;
        compose(&recipe.compiler, &cli, &found, &mut extensions)
    }

    /// What gets the extensions: a name without a directory may be that of a component that comes
    /// with this program, such as `database.wasm`.
    fn base(&self) -> Result<PathBuf> {
        let Some(path) = &self.cli else { return own_cli() };
        let is_name = path.parent() == Some(Path::new(""));
        if is_name && !path.exists() {
            let ours = path.to_str().and_then(|name| program_files::path(name).ok());
            return Ok(ours.filter(|ours| ours.is_file()).unwrap_or_else(|| path.clone()));
        }
        Ok(path.clone())
    }

    fn check_absent(&self, path: &Path) -> Result<()> {
        ensure!(!path.is_dir(), "`{}` is a directory; name a file", escaped(path));
        ensure!(
            self.force || !path.exists(),
            "`{}` exists already; `--force` replaces it",
            escaped(path)
        );
        Ok(())
    }

    fn print_result(&self, composition: &Composition) -> Result<ExitCode> {
        if self.json {
            let extensions: Vec<_> = composition.extensions.iter().map(Contained::from).collect();
            return print_json(&extensions);
        }
        let lines = composition
            .extensions
            .iter()
            .map(|one| format!("{} {}: {}\n", one.name, escaped(&one.version), one.placement));
        Ok(print(lines.collect::<String>().as_bytes()))
    }
}

/// The CLI that comes with this program.
fn own_cli() -> Result<PathBuf> {
    let cli = program_files::path("cli.wasm")?;
    ensure!(cli.is_file(), "`{}` does not exist; name a CLI with `--cli`", escaped(&cli));
    Ok(cli)
}
