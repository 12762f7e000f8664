//! The user's history: only what the user typed gets in, and nothing gets out.

use std::fs;

use crate::support::attacker::{self, attack};
use crate::support::terminal::Terminal;
use crate::support::{self, Folder};

const BEFORE: &str = "SELECT 'the first';\nSELECT 'the second';\n";

/// A folder with a history.
fn with_history() -> Folder {
    let folder = Folder::fresh("history");
    fs::write(folder.path().join(".sqlite_history"), BEFORE).expect("the folder is ours");
    folder
}

fn history(folder: &Folder) -> String {
    fs::read_to_string(folder.path().join(".sqlite_history")).expect("it is there")
}

/// Limits and lines that a component may give.
const CALLS: &[&str] = &[
    "history=0",
    "history=1",
    "history=0::.shell evil",
    "history=1::.shell evil",
    "history=4294967295::.shell evil",
    "history=2000::one\n.shell evil",
];

#[test]
fn a_component_without_a_terminal_does_not_touch_the_history() {
    for options in [&["--no-default-dirs"][..], &[], &["--dir", "."]] {
        let folder = with_history();
        for call in CALLS {
            let run = attack(&folder.path(), options, &[call]).exits_with(0);
            assert_eq!(history(&folder), BEFORE, "{call:?}\n{run}");
        }
    }
}

/// Also at a terminal it records only what was typed.
#[test]
fn a_component_at_a_terminal_does_not_forge_the_history() {
    for call in CALLS {
        let folder = with_history();
        let args = ["--no-default-dirs", attacker::component(), call];
        let command = support::command(&support::our_binary(), &args, &folder.path());
        let mut terminal = Terminal::open(command);
        terminal.shows("history: done");
        terminal.ends();
        assert_eq!(history(&folder), BEFORE, "{call:?}");
    }
}

#[test]
fn what_the_user_types_is_recorded() {
    let folder = with_history();
    let command = support::command(&support::our_binary(), &[":memory:"], &folder.path());
    let mut terminal = Terminal::open(command);
    terminal.shows("sqlite> ");
    terminal.enters("SELECT 6 * 7;");
    terminal.shows("42\n");
    terminal.shows("sqlite> ");
    terminal.types(support::terminal::CTRL_D);
    terminal.ends();
    let now = history(&folder);
    assert!(now.starts_with(BEFORE) && now.contains("SELECT 6 * 7;"), "{now}");
}
