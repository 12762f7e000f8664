//! The two programs that share a database in a test: the runner and native SQLite.

use std::path::{Path, PathBuf};

use super::session::Session;
use super::{Input, Outcome};

/// One of the two; each test that names both runs them both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Who {
    Ours,
    Native,
}

use Who::{Native, Ours};

/// Every pair with the runner in it.
pub const PAIRS: [(Who, Who); 3] = [(Ours, Native), (Native, Ours), (Ours, Ours)];

impl Who {
    pub fn program(self) -> PathBuf {
        match self {
            Ours => super::our_binary(),
            Native => super::native(),
        }
    }

    /// A shell on `test.db`.
    pub fn open(self, directory: &Path) -> Session {
        Session::start(&self.program(), &["test.db"], directory)
    }

    /// Runs SQL on `test.db`.
    pub fn run(self, directory: &Path, sql: &str) -> Outcome {
        super::run(&self.program(), &["test.db", sql], directory, &Input::Nothing)
    }
}
