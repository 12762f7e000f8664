//! The user's history: only what the user typed gets in, and nothing gets out.

use std::fs;

use crate::support::attacker::{self, attack};
use crate::support::terminal::Terminal;
use crate::support::{self, Directory};

const BEFORE: &str = "SELECT 'the first';\nSELECT 'the second';\n";

/// A directory with a history.
fn with_history() -> Directory {
    let directory = Directory::fresh("history");
    fs::write(directory.path().join(".sqlite_history"), BEFORE).expect("the directory is ours");
    directory
}

fn history(directory: &Directory) -> String {
    fs::read_to_string(directory.path().join(".sqlite_history")).expect("it is there")
}

/// Limits and lines that a component may give.
const CALLS: &[&str] = &[
    "history=0",
    "history=1",
    "history=0::.shell malicious",
    "history=1::.shell malicious",
    "history=4294967295::.shell malicious",
    "history=2000::one\n.shell malicious",
];

#[test]
fn a_component_without_a_terminal_does_not_touch_the_history() {
    for options in [&["--no-default-dirs"][..], &[], &["--dir", "."]] {
        let directory = with_history();
        for call in CALLS {
            let run = attack(&directory.path(), options, &[call]).exits_with(0);
            assert_eq!(history(&directory), BEFORE, "{call:?}\n{run}");
        }
    }
}

/// Also at a terminal it records only what was typed.
#[test]
fn a_component_at_a_terminal_does_not_forge_the_history() {
    for call in CALLS {
        let directory = with_history();
        let args = ["--no-default-dirs", attacker::component(), call];
        let command = support::command(&support::our_binary(), &args, &directory.path());
        let mut terminal = Terminal::open(command);
        terminal.shows("history: done");
        terminal.ends();
        assert_eq!(history(&directory), BEFORE, "{call:?}");
    }
}

#[test]
fn what_the_user_types_is_recorded() {
    let directory = with_history();
    let command = support::command(&support::our_binary(), &[":memory:"], &directory.path());
    let mut terminal = Terminal::open(command);
    terminal.shows("sqlite> ");
    terminal.enters("SELECT 6 * 7;");
    terminal.shows("42\n");
    terminal.shows("sqlite> ");
    terminal.types(support::terminal::CTRL_D);
    terminal.ends();
    let now = history(&directory);
    assert!(now.starts_with(BEFORE) && now.contains("SELECT 6 * 7;"), "{now}");
}
