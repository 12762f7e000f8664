//! Plays a tape: the schema, statements and values of one workload, which `tooling/bench` has
//! written, on one database. What is played and how it is timed is the same source for SQLite
//! compiled natively, for the crate `sqlite-sandbox` and for a component on our engine.
//!
//! Usage: `bench-loop [--crate DATABASE.cwasm] setup|check|time DATABASE < TAPE`
//!
//! The answer is a line of JSON.

#![forbid(unsafe_code)]

mod answers;
mod engine;
mod nearest;
mod tape;
mod times;

use std::error::Error;
use std::io::stdin;
use std::process::ExitCode;

use tape::Tape;

/// What one call does with the database.
#[derive(Clone, Copy)]
enum Mode {
    /// Make the schema and play, untimed.
    Setup,
    /// Play and show what was answered.
    Check,
    /// Play and show what it took.
    Time,
}

fn main() -> ExitCode {
    match run() {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("bench-loop: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, Box<dyn Error>> {
    let mut words = std::env::args().skip(1).peekable();
    let component = words.next_if_eq("--crate").and_then(|_| words.next());
    let mode = match words.next().as_deref() {
        Some("setup") => Mode::Setup,
        Some("check") => Mode::Check,
        Some("time") => Mode::Time,
        _ => {
            return Err(
                "usage: bench-loop [--crate DATABASE.cwasm] setup|check|time DATABASE < TAPE"
                    .into(),
            );
        }
    };
    let database = words.next().ok_or("no database is named")?;
    let tape = Tape::read(stdin().lock())?;
    match component {
        None => engine::direct(&database, mode, tape),
        Some(component) => engine::through_crate(&component, &database, mode, tape),
    }
}
