//! `doctor`: properties of this machine and of a database that matter to a run.

mod database;
mod machine;
mod native;
mod version;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use sqlite_wasm_runtime::wall::exit_code;
use sqlite_wasm_runtime::words::escape::controls_escaped;

use super::extension_directories::extension_directories;
use super::{print, print_json};

/// Check what this machine offers, and a database
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// The database to look at; it is not changed
    #[arg(value_name = "DB")]
    database: Option<PathBuf>,

    /// Search for extensions in this directory first
    #[arg(long, value_name = "DIR")]
    extension_dir: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Ok,
    /// Good to know.
    Note,
    /// Data or safety are at risk, or something does not work.
    Problem,
}

/// What one check has found.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'static str>,
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: State::Ok, found: found.into(), remedy: None }
    }

    fn note(check: &'static str, found: impl Into<String>, remedy: &'static str) -> Self {
        Self { check, state: State::Note, found: found.into(), remedy: Some(remedy) }
    }

    fn problem(check: &'static str, found: impl Into<String>, remedy: &'static str) -> Self {
        Self { check, state: State::Problem, found: found.into(), remedy: Some(remedy) }
    }

    /// Two lines at most.
    fn lines(&self) -> String {
        let state = match self.state {
            State::Ok => "ok",
            State::Note => "note",
            State::Problem => "problem",
        };
        let line =
            format!("{state:8} {:12} {}\n", self.check, controls_escaped(self.found.clone()));
        let remedy = self.remedy.map(|remedy| format!("{:22}{remedy}\n", ""));
        line + &remedy.unwrap_or_default()
    }
}

impl Doctor {
    /// Print what the checks find.
    ///
    /// # Errors
    ///
    /// When the result cannot be printed.
    pub fn execute(self) -> Result<ExitCode> {
        let native = native::version();
        let mut findings = machine::check(&extension_directories(&self.extension_dir));
        findings.push(native::check(native));
        if let Some(path) = &self.database {
            findings.extend(database::check(path, native));
        }
        // Last, since it restricts this process.
        findings.extend(machine::check_second_wall());
        let printed = if self.json {
            print_json(&findings)?
        } else {
            print(findings.iter().map(Finding::lines).collect::<String>().as_bytes())
        };
        if findings.iter().any(|finding| finding.state == State::Problem) {
            Ok(exit_code::ExitCode::Problem.into())
        } else {
            Ok(printed)
        }
    }
}
