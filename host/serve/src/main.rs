//! The program `sqlite-wasm-serve`: databases for many clients, each in its own sandbox.

mod auth;
mod config;
mod connections;
mod databases;
mod descriptors;
mod events;
mod feed;
mod hrana;
mod http;
mod large;
mod listen;
mod metrics;
mod page;
mod pg;
mod routes;
mod server;
mod session;
mod shares;
mod sockets;
mod start;

use std::process::ExitCode;

use clap::Parser;
use sqlite_wasm_runtime::words::complaint::complain;

fn main() -> ExitCode {
    // `sqlite-wasm-run serve` starts this by a descriptor, which would be the name in `ps`.
    let _ = rustix::thread::set_name(c"sqlite-wasm-serve");
    let settings = config::Settings::parse();
    match start::run(settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Names of files and of users are in it.
            complain(format!("sqlite-wasm-serve: error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
