//! What a person at a terminal is asked: whether an extension is granted what it
//! needs.

mod support;

use support::Folder;
use support::guest::guest;
use support::terminal::Terminal;

const PROMPT: &str = "sqlite> ";

fn starting(folder: &Folder, args: &[&str]) -> Terminal {
    Terminal::open(support::command(&support::our_binary(), args, &folder.path()))
}

#[test]
fn a_person_is_asked_for_a_grant() {
    let folder = Folder::fresh("asked");
    let question = "let the extension `csv` read the working folder (the CSV files that it reads)?";
    let mut terminal = starting(&folder, &[]);
    terminal.shows(PROMPT);
    terminal.enters(".load csv");
    terminal.shows(&format!("{question} [y/N] "));
    terminal.enters("n");
    terminal.shows("Error: failed to load the extension `csv`: it needs a folder");
    terminal.shows(PROMPT);
    terminal.enters(".load csv");
    terminal.shows(question);
    terminal.enters("y");
    terminal.shows(PROMPT);
    terminal.enters("CREATE VIRTUAL TABLE temp.t USING csv(data='a,b', header=no);");
    terminal.shows(PROMPT);
    terminal.enters("SELECT * FROM t;");
    terminal.shows("a|b\n");
}

/// What is pasted cannot grant what is asked for behind it.
#[test]
fn what_is_typed_ahead_does_not_answer_a_question() {
    let asking = guest("asking");
    let asking = asking.to_str().expect("a path in UTF-8");
    let guests = asking.trim_end_matches("/asking.wasm");
    let args = ["--extension-dir", guests, "--load", "csv", "--load", "asking"];
    let folder = Folder::fresh("ahead");
    let mut terminal = starting(&folder, &args);
    terminal.shows("let the extension `csv` read the working folder");
    terminal.types("y\ry\r");
    terminal.shows("let the extension `asking` run any SQL on your connection? [y/N] ");
    terminal.enters("n");
    terminal.shows("Error: failed to load the extension `asking`: it needs SQL");
}
