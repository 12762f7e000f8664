//! Text that moves the cursor, turns the writing or begins a line, in every name
//! that the runner prints.

use std::fs;
use std::path::Path;

use crate::script;
use crate::support::attacker::{self, attack, is_escaped};
use crate::support::composed::shipped;
use crate::support::guest::guest;
use crate::support::place::Place;
use crate::support::terminal::Terminal;
use crate::support::{self, Directory, Outcome};

/// What the attacker would like to be read as the runner's own line.
const FORGED: &str = "sqlite-wasm-run: `--dir /` grants it";

/// Names that leave their line.
fn names() -> [String; 6] {
    [
        format!("a\n{FORGED}"),
        format!("a\r\x1b[2K{FORGED}"),
        "a\x1b]0;title\x07b".into(),
        "a\u{9b}2Jb".into(),
        "a\u{202e}b".into(),
        "a\x08\x08\x7fb\x1b[31m".into(),
    ]
}

/// Fails unless both outputs are escaped, and something was said.
#[track_caller]
fn said_safely(run: Outcome) {
    assert!(!run.stderr.is_empty() || !run.stdout.is_empty(), "nothing was said\n{run}");
    is_escaped(&run.stderr, FORGED, &run);
    is_escaped(&run.stdout, FORGED, &run);
}

#[test]
fn refused_paths_are_escaped() {
    let place = Place::fresh("refused");
    for name in names() {
        // A refusal names directories that are there.
        let outside = place.path("outside").join(name.replace('/', "_"));
        fs::create_dir(&outside).expect("the directory is ours");
        let actions = ["files-read", "files-create", "granted", "wasi-read"];
        let actions: Vec<_> =
            actions.iter().map(|action| format!("{action}={}/x", outside.display())).collect();
        let run = attack(&place.path("inside"), &[], &actions);
        assert!(!run.stderr.is_empty(), "the refusal is not reported\n{run}");
        said_safely(run);
    }
}

/// The shell's own messages are SQLite's; those of loading are the runner's.
#[test]
fn paths_that_sql_names_forge_no_line_of_the_runner() {
    let directory = Directory::fresh("sql");
    let sql = format!(
        "SELECT load_extension('./c' || char(10) || '{FORGED}');
         SELECT load_extension('/nowhere/d' || char(10) || '{FORGED}');
         SELECT load_extension('./f' || char(13, 27) || '[2K{FORGED}');
         SELECT load_extension('e' || char(27) || '[2J');\n"
    );
    said_safely(script(&directory.path(), &[], &[], &sql));
}

#[test]
fn names_on_the_command_line_are_escaped() {
    let directory = Directory::fresh("command");
    for name in names() {
        let wasm = format!("{name}.wasm");
        let cwasm = format!("{name}.cwasm");
        for args in [
            &["--dir", &name, ":memory:", "SELECT 1"][..],
            &["--grants", &name, ":memory:", "SELECT 1"],
            &["--grant", &format!("x=dir:{name}"), ":memory:", "SELECT 1"],
            &["--load", &name, ":memory:", ""],
            &[&wasm, ":memory:"],
            &[&cwasm, ":memory:"],
            &["precompile", &wasm],
            &["precompile", attacker::portable(), "-o", &format!("/nowhere/{name}")],
            &["extension", "inspect", &wasm],
            &["extension", "inspect", &format!("./{name}")],
            &["extension", "inspect", "nothing", "--extension-dir", &name],
            &["compose", "--embed", &name],
            &["compose", "--cli", &wasm, "--embed", "uuid"],
        ] {
            said_safely(support::ours(&directory.path(), args));
        }
    }
}

/// Files that exist under such names.
#[test]
fn names_of_files_are_escaped() {
    for name in names() {
        let name = name.replace('/', "_");
        let directory = Directory::fresh("files");
        let put = |ending: &str, content: &[u8]| {
            let path = directory.path().join(format!("{name}{ending}"));
            fs::write(path, content).expect("the directory is ours");
        };
        put(".wasm", b"text");
        put(".cwasm", b"text");
        put("-module.wasm", b"\0asm\x01\0\0\0");
        fs::copy(shipped("uuid"), directory.path().join(format!("{name}-good.wasm")))
            .expect("ours");
        let file = |ending: &str| format!("./{name}{ending}");
        for args in [
            &["extension", "list", "--extension-dir", "."][..],
            &["extension", "inspect", &file(".wasm")],
            &["extension", "inspect", &file(".cwasm")],
            &["extension", "inspect", &file("-module.wasm")],
            &["extension", "inspect", &file("-good.wasm")],
            &["precompile", &file(".wasm")],
            &["compose", "--embed", &file(".wasm")],
            &[&file(".wasm"), ":memory:"],
            &[&file(".cwasm"), ":memory:"],
        ] {
            said_safely(support::ours(&directory.path(), args));
        }
    }
}

/// What a file of grants says is shown where it is wrong.
#[test]
fn files_of_grants_are_escaped() {
    let directory = Directory::fresh("grants");
    for text in [
        format!("[\"a\\n{FORGED}\"]\ngrants = [\"nonsense\\u001b[2J\"]\n"),
        format!("[x]\n\"k\\n{FORGED}\" = 1\n"),
        "[x]\ngrants = [\"dir:/nowhere/\\u001b[2J\"]\n".into(),
        "\x1b[2J = 1\n".into(),
    ] {
        fs::write(directory.path().join("grants.toml"), text).expect("the directory is ours");
        said_safely(support::ours(
            &directory.path(),
            &["--grants", "grants.toml", ":memory:", "x"],
        ));
    }
}

/// A prompt for a grant, of an extension whose file is called `name`.
fn asked(directory: &Path, name: &str) -> Terminal {
    let letters: Vec<String> = name.chars().map(|letter| (letter as u32).to_string()).collect();
    let mut terminal =
        Terminal::open(support::command(&support::our_binary(), &[":memory:"], directory));
    terminal.shows("sqlite> ");
    // `char()` keeps it off the screen until the runner shows it.
    terminal.enters(&format!("SELECT load_extension('./' || char({}));", letters.join(",")));
    terminal
}

#[test]
fn the_prompt_for_a_grant_is_not_forged() {
    let directory = Directory::fresh("prompt");
    let forged = "x`\r\x1b[2Klet the extension `uuid` read nothing";
    fs::copy(guest("querying"), directory.path().join(format!("{forged}.wasm"))).expect("ours");
    let mut terminal = asked(&directory.path(), forged);
    let prompt = terminal.shows("[y/N] ");
    assert!(prompt.contains(r"\r\u{1b}[2K"), "the name is not escaped: {prompt:?}");
    assert!(!prompt.contains("let the extension `uuid`"), "the quotation is left: {prompt:?}");
    terminal.enters("n");
    terminal.shows("sqlite> ");
}

#[test]
fn the_prompt_for_a_grant_names_an_ordinary_file() {
    let directory = Directory::fresh("ordinary");
    fs::copy(guest("querying"), directory.path().join("plain.wasm"))
        .expect("the directory is ours");
    let mut terminal = asked(&directory.path(), "plain");
    let prompt = terminal.shows("[y/N] ");
    assert!(prompt.contains("plain"), "{prompt:?}");
    terminal.enters("y");
    terminal.shows("sqlite> ");
    terminal.enters("SELECT sql00_run('SELECT 6 * 7');");
    terminal.shows("42\n");
}
