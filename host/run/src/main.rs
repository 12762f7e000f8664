//! The command `sqlite-wasm-run`.

mod allocator;
mod arguments;
mod commands;
mod entry;
#[cfg(target_arch = "x86_64")]
mod memory;

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use sqlite_wasm_runtime::filesystem::inherited;
use sqlite_wasm_runtime::wall::exit_code;

use arguments::{Cli, Command, Sorted};
use commands::run::execute::{execute, print_versions};
use commands::run::outcome::failure_code;
use sqlite_wasm_runtime::words::complaint::complain;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator::new();

fn main() -> ExitCode {
    inherited::close_inherited(&inherited::named_by(std::env::args_os().skip(1)));
    match try_main() {
        Ok(code) => code,
        Err(error) => {
            if is_broken_pipe(&error) {
                return exit_code::ExitCode::BrokenPipe.into();
            }
            complain(format!("error: {error:#}"));
            failure_code(&error).into()
        }
    }
}

fn try_main() -> Result<ExitCode> {
    let words = std::env::args_os().skip(1).collect();
    let Sorted { cli, component, shell } = match arguments::parse(words) {
        Ok(sorted) => sorted,
        Err(error) => return arguments::report(&error),
    };
    match cli.command {
        Some(Command::Compose(command)) => command.execute(),
        Some(Command::Precompile(command)) => command.execute(),
        Some(Command::Extension(command)) => command.execute(),
        Some(Command::Serve(command)) => command.execute(),
        Some(Command::Mcp(command)) => command.execute(),
        Some(Command::Doctor(command)) => command.execute(),
        Some(Command::Completions(command)) => Ok(command.execute(Cli::command())),
        Some(Command::Man(command)) => command.execute(Cli::command()),
        None if cli.run.version => print_versions(&cli.run, component.as_deref()),
        None => execute(&cli.run, component.as_deref(), shell),
    }
}

/// Whether the error is that the reader of the output went away.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
