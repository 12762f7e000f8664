//! The program `sqlite-wasm-mcp`: databases for agents, by the Model Context Protocol. Each call
//! runs in its own sandbox.

mod audit;
mod calls;
mod catalog;
mod databases;
mod guard;
mod hints;
mod http;
mod lists;
mod options;
mod resources;
mod rows;
mod saved;
mod server;
mod start;
mod stdio;
mod tools;
mod values;

use std::process::ExitCode;

use clap::Parser;
use sqlite_wasm_runtime::words::complaint::complain;

fn main() -> ExitCode {
    // `sqlite-wasm-run mcp` starts this by a descriptor, which would be the name in `ps`.
    let _ = rustix::thread::set_name(c"sqlite-wasm-mcp");
    match start::run(options::Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Names of files and of tables are in it.
            complain(format!("sqlite-wasm-mcp: error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
