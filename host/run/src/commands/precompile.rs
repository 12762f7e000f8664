//! `precompile`: a `.cwasm` from a `.wasm`, ahead of time.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use sqlite_wasm_runtime::artifact::compiler::Compiler;
use sqlite_wasm_runtime::limits::address_space::Form;
use sqlite_wasm_runtime::sandbox::Recipe;

use super::{loader, write_whole};
use sqlite_wasm_runtime::words::complaint::complain;

/// Compile a component ahead of time
#[derive(Debug, clap::Args)]
pub struct Precompile {
    /// The component to compile
    #[arg(value_name = "IN.wasm")]
    input: PathBuf,

    /// Output file [default: the name of the input with `.cwasm`]
    #[arg(short, long, value_name = "OUT.cwasm")]
    output: Option<PathBuf>,

    /// For programs with signal handlers of their own (`SQLITE_WASM_TRAPS=checked`)
    #[arg(long)]
    checked: bool,

    /// All code by Cranelift, also where LLVM's code is shipped
    #[arg(long)]
    cranelift: bool,
}

impl Precompile {
    /// Write the result completely or not at all.
    pub fn execute(self) -> Result<ExitCode> {
        let output = self.output.unwrap_or_else(|| self.input.with_extension("cwasm"));
        let form = if self.checked { Form::Unsignalled } else { Form::Full };
        let recipe = Recipe::of_user().without_cache();
        let mut loader = loader(&recipe, form.reservation())?;
        if self.cranelift {
            loader = loader.compiler(Compiler::default().by_cranelift());
        }
        if loader.key().is_none() {
            complain(
                "warning: there is no key to sign the result with, so it runs only with \
                 `--allow-native`; set `XDG_STATE_HOME` to a directory of your own",
            );
        }
        let code = loader.precompile(&self.input)?;
        write_whole(&output, &code)?;
        Ok(ExitCode::SUCCESS)
    }
}
