//! Attacks on the sandbox: each gets nothing, and the same action works where it
//! is granted.
//!
//! A module for each way: names and links, files that are swapped, native code, malicious
//! extensions, a hostile component instead of the shell. What the attacker has is in
//! `support/attacker.rs`: a component that calls everything, native code with a seal made without
//! the key, composed files with any list, processes that change files meanwhile.

#[path = "../support/mod.rs"]
mod support;

mod cache_poisoning;
mod double_reads;
mod forged_text;
mod grants;
mod history;
mod hostile_component;
mod implicit_grants;
mod inspecting;
mod left_behind;
mod limits;
mod links;
mod loading_by_path;
mod malicious_extension;
mod malicious_manifests;
mod malicious_tables;
mod malicious_tokens;
mod native_code;
mod own_files;
mod program_files;
mod replies;
mod sandbox;
mod script_sections;
mod second_wall;
mod sql_read_only;
mod stolen_grants;
mod swapped_files;
mod swapped_names;
mod two_programs;

use std::path::Path;

use support::attacker::PAYLOAD_RAN;
use support::{End, Input, Outcome};

/// Runs a script in `directory` with options and environment variables.
fn script(directory: &Path, options: &[&str], variables: &[(&str, &str)], script: &str) -> Outcome {
    let args = [options, &[":memory:"]].concat();
    let mut command = support::command(&support::our_binary(), &args, directory);
    command.envs(variables.iter().copied());
    support::finish(command, &Input::Bytes(at_line_starts(script).as_bytes()))
}

/// The script with its lines not indented: commands of the shell begin a line.
fn at_line_starts(script: &str) -> String {
    script.lines().flat_map(|line| [line.trim_start(), "\n"]).collect()
}

/// Fails if native code of the attacker ran, or the program crashed or hung.
#[track_caller]
fn payload_did_not_run(run: Outcome) -> Outcome {
    assert_ne!(run.end, End::Exited(PAYLOAD_RAN), "native code of the attacker ran\n{run}");
    assert!(matches!(run.end, End::Exited(_)), "it crashed or hung\n{run}");
    run
}
