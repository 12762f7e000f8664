//! The prompt at a terminal for a grant that an extension needs: it names the
//! file and its content.

use std::fs;
use std::path::Path;

use crate::support::guest::guest;
use crate::support::terminal::Terminal;
use crate::support::{self, Directory, End};
use sha2::{Digest, Sha256};

const PROMPT: &str = "sqlite> ";

fn starting(directory: &Directory, args: &[&str]) -> Terminal {
    Terminal::open(support::command(&support::our_binary(), args, &directory.path()))
}

/// The extension at `path`, as a prompt names it.
fn named(name: &str, path: &Path) -> String {
    let content = fs::read(path).expect("the extension is there");
    let hash: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("let the extension `{name}` (`{}`, SHA-256 {}…)", path.display(), &hash[..16])
}

fn shipped(name: &str) -> std::path::PathBuf {
    support::our_binary().with_file_name("extensions").join(name).with_extension("wasm")
}

#[test]
fn the_user_is_prompted_for_a_grant() {
    let directory = Directory::fresh("asked");
    let csv = named("csv", &shipped("csv"));
    let prompt =
        format!("{csv} read the working directory (it says: `the CSV files that it reads`)?");
    let mut terminal = starting(&directory, &[]);
    terminal.shows(PROMPT);
    terminal.enters(".load csv");
    terminal.shows(&format!("{prompt} [y/N] "));
    terminal.enters("n");
    terminal.shows("Error: failed to load the extension `csv`: it needs a directory");
    terminal.shows(PROMPT);
    terminal.enters(".load csv");
    terminal.shows(&prompt);
    terminal.enters("y");
    terminal.shows(PROMPT);
    terminal.enters("CREATE VIRTUAL TABLE temp.t USING csv(data='a,b', header=no);");
    terminal.shows(PROMPT);
    terminal.enters("SELECT * FROM t;");
    terminal.shows("a|b\n");
}

/// Pasted text cannot answer the prompt that follows it.
#[test]
fn what_is_typed_ahead_does_not_answer_a_prompt() {
    let querying = guest("querying");
    let querying = querying.to_str().expect("a path in UTF-8");
    let guests = querying.trim_end_matches("/querying.wasm");
    let args = ["--extension-dir", guests, "--load", "csv", "--load", "querying"];
    let directory = Directory::fresh("ahead");
    let mut terminal = starting(&directory, &args);
    terminal.shows("let the extension `csv` (");
    terminal.types("y\ry\r");
    terminal.shows("let the extension `querying` (");
    terminal.shows("run any SQL on your connection? [y/N] ");
    terminal.enters("n");
    terminal.shows("failed to load the extension `querying`: it needs SQL");
    assert_eq!(terminal.ends().0, End::Exited(121));
}

/// A file name cannot look like another prompt.
#[test]
fn a_file_name_cannot_forge_the_prompt() {
    let directory = Directory::fresh("forged");
    let forged = "x` (shipped)\u{1b}[2K\rlet the extension `csv.wasm";
    fs::copy(shipped("csv"), directory.path().join(forged)).expect("the directory is ours");
    let mut terminal = starting(&directory, &[]);
    terminal.shows(PROMPT);
    terminal.enters(r#".load "./x` (shipped)\033[2K\rlet the extension `csv.wasm""#);
    terminal.shows(r"let the extension `x\u{60} ");
    let prompt = terminal.shows("[y/N] ");
    for part in [r"(shipped)\u{1b}[2K\rlet the extension \u{60}csv`", "SHA-256"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(prompt.matches('`').count(), 5, "{prompt}");
    terminal.enters("n");
    terminal.shows("it needs a directory");
}
