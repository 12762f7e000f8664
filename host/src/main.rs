//! The command `sqlite-wasm-run`.

mod arguments;
mod commands;

use std::process::ExitCode;

use anyhow::Result;
use sqlite_wasm_run::exit_code;

use arguments::{Command, Sorted};
use commands::run;

fn main() -> ExitCode {
    match try_main() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            run::failure_code(&error).into()
        }
    }
}

fn try_main() -> Result<ExitCode> {
    let mut words = Vec::new();
    for word in std::env::args_os().skip(1) {
        match word.into_string() {
            Ok(word) => words.push(word),
            Err(word) => {
                eprintln!("error: the argument `{}` is no UTF-8", word.display());
                return Ok(exit_code::ExitCode::Usage.into());
            }
        }
    }
    let Sorted { cli, component, shell } = match arguments::parse(words) {
        Ok(sorted) => sorted,
        Err(error) => {
            error.print()?;
            let is_help = error.exit_code() == 0;
            let usage = exit_code::ExitCode::Usage.into();
            return Ok(if is_help { ExitCode::SUCCESS } else { usage });
        }
    };
    match cli.command {
        Some(Command::Precompile(command)) => command.execute(),
        Some(Command::Completions(command)) => Ok(command.execute()),
        Some(Command::Man(command)) => command.execute(),
        None if cli.run.version => run::print_versions(&cli.run, component.as_deref()),
        None => run::execute(&cli.run, component.as_deref(), shell),
    }
}
