//! A component that is not SQLite, and tries to escape: no file, no network, no
//! environment and no program beyond what is granted; and SQLite's shell starts
//! no program either.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;

use crate::support::other_user::allow;
use crate::support::place::{Place, SECRET, fail_for};
use crate::support::{self, End, Input, Outcome, hostile};

/// Runs the hostile component in `inside`.
fn attempt(place: &Place, grants: &[&str], actions: &[String]) -> Outcome {
    let mut args = grants.to_vec();
    args.push(hostile::component());
    args.extend(actions.iter().map(String::as_str));
    place.run(&args)
}

/// Runs it, and fails if any action was done.
fn refused(place: &Place, grants: &[&str], actions: &[String]) -> Outcome {
    let run = attempt(place, grants, actions).exits_with(0);
    assert!(
        !run.out().contains("done") && run.out().contains("refused"),
        "something was allowed\n{run}"
    );
    run
}

fn done(place: &Place, grants: &[&str], actions: &[String]) -> Outcome {
    let run = attempt(place, grants, actions).exits_with(0);
    assert!(
        !run.out().contains("refused") && run.out().contains("done"),
        "something was refused\n{run}"
    );
    run
}

#[test]
fn files_outside_are_closed_to_any_component() {
    let place = Place::fresh("files");
    let (inside, outside) = (place.name("inside"), place.name("outside"));
    symlink("../outside", place.path("inside/directory-link")).expect("the directory is ours");
    symlink("../outside/new", place.path("inside/link")).expect("the directory is ours");
    let run = refused(
        &place,
        &[],
        &[
            format!("read={outside}/secret.sql"),
            format!("read={inside}/../outside/secret.sql"),
            format!("read={inside}/directory-link/secret.sql"),
            format!("write={outside}/secret.sql"),
            format!("write={inside}/../outside/new"),
            format!("write={inside}/directory-link/new"),
            format!("write={inside}/link"),
            format!("list={outside}"),
            format!("list={inside}/.."),
            format!("list={inside}/directory-link"),
            "list=/".into(),
            "read=/etc/passwd".into(),
            "read=/proc/self/environ".into(),
        ],
    );
    place.is_closed_to(&[run]);
}

#[test]
fn nothing_is_carried_over_the_border() {
    let place = Place::fresh("border");
    let (inside, outside) = (place.name("inside"), place.name("outside"));
    fs::write(place.path("inside/mine"), "mine").expect("the directory is ours");
    let run = refused(
        &place,
        &[],
        &[
            format!("hard-link={outside}/secret.sql::{inside}/got"),
            format!("hard-link={inside}/../outside/secret.sql::{inside}/got"),
            format!("hard-link={inside}/mine::{inside}/../outside/new"),
            format!("move={inside}/../outside/secret.sql::{inside}/got"),
            format!("move={inside}/mine::{inside}/../outside/new"),
            format!("move={inside}/mine::{outside}/new"),
        ],
    );
    place.is_closed_to(&[run]);
}

#[test]
fn links_that_a_component_makes_do_not_lead_out() {
    let place = Place::fresh("links");
    let (inside, outside) = (place.name("inside"), place.name("outside"));
    let targets = [format!("{outside}/secret.sql"), "../outside/secret.sql".into()];
    for (number, target) in targets.iter().enumerate() {
        let action = format!("link={inside}/made-{number}::{target}");
        let run = attempt(&place, &[], &[action]).exits_with(0);
        let out = run.out();
        assert!(
            !out.contains("read: done") && !out.contains("write: done"),
            "through a link\n{run}"
        );
        place.is_closed_to(&[run]);
    }
}

#[test]
fn a_granted_directory_is_open_to_any_component() {
    let place = Place::fresh("granted");
    let (inside, outside) = (place.name("inside"), place.name("outside"));
    let actions = [
        format!("write={inside}/new"),
        format!("read={inside}/new"),
        format!("move={inside}/new::{inside}/newer"),
        format!("read={outside}/secret.sql"),
        format!("list={outside}"),
    ];
    let run = done(&place, &["--dir", &outside], &actions);
    assert!(run.out().contains(SECRET), "the secret was granted\n{run}");
}

#[test]
fn a_directory_granted_for_reading_is_not_written_by_any_component() {
    let place = Place::fresh("read-only");
    let outside = place.name("outside");
    let grant = format!("{outside}:ro");
    let actions = [
        format!("write={outside}/new"),
        format!("write={outside}/secret.sql"),
        format!("hard-link={outside}/secret.sql::{outside}/new"),
        format!("move={outside}/secret.sql::{outside}/new"),
        format!("move={outside}/secret.sql::{}/new", place.name("inside")),
    ];
    let run = refused(&place, &["--dir", &grant], &actions);
    place.is_closed_to(&[run]);
    done(&place, &["--dir", &grant], &[format!("read={outside}/secret.sql")]);
}

#[test]
fn without_default_directories_there_is_no_file_at_all() {
    let place = Place::fresh("none");
    let inside = place.name("inside");
    let actions = [format!("list={inside}"), format!("write={inside}/new"), "list=.".into()];
    refused(&place, &["--no-default-dirs"], &actions);
}

/// Even a server on this machine is out of reach.
/// An address that is not a multiple of the page size, or where something else is mapped.
#[test]
fn a_file_is_mapped_where_it_may_be_and_nowhere_else() {
    let place = Place::fresh("map");
    fs::write(place.path("inside/data"), "x".repeat(200_000)).expect("the directory is ours");
    let action = format!("map={}/data", place.name("inside"));
    attempt(&place, &[], &[action]).exits_with(0).keeps_quiet().prints(
        "half a page: refused 11\n\
         beside a page: refused 11\n\
         nothing: refused 11\n\
         beside an offset: refused 11\n\
         a page: done ()\n\
         the same page: done ()\n\
         another part of the file: refused 11\n\
         another file: refused 11\n\
         a page too many: refused 11\n\
         mapped: xxxxxx\n\
         unmapped: [0, 0, 0, 0, 0, 0]\n",
    );
}

#[test]
fn the_network_is_closed() {
    let place = Place::fresh("network");
    let server = TcpListener::bind("127.0.0.1:0").expect("this machine has a loopback");
    let address = server.local_addr().expect("it is bound");
    refused(&place, &[], &[format!("connect={address}")]);
    server.set_nonblocking(true).expect("our own socket");
    assert!(server.accept().is_err(), "a connection came through");
}

#[test]
fn programs_cannot_be_started() {
    let place = Place::fresh("programs");
    refused(&place, &[], &["run=/bin/true".into()]);
}

/// HOME and the two that name the shell's own files are what sqlite3 needs.
#[test]
fn the_environment_is_not_visible() {
    let place = Place::fresh("environment");
    let args = [hostile::component(), "environment"];
    let mut command = support::command(&support::our_binary(), &args, &place.path("inside"));
    command.env("PASSWORD", SECRET).env("PATH", SECRET).env("SQLITE_TMPDIR", SECRET);
    let run = support::finish(command, &Input::Nothing).exits_with(0);
    let allowed = ["HOME", "XDG_CONFIG_HOME", "SQLITE_HISTORY"];
    for line in run.out().lines() {
        let name = line.split('=').next().unwrap_or_default();
        assert!(allowed.contains(&name), "`{name}` is visible\n{run}");
    }
}

/// Scripts which would run `made`, a program that leaves a file behind.
const STARTERS: &[&str] = &[
    ".shell ./made",
    ".system ./made",
    ".sh ./made",
    ".excel\nSELECT 1;",
    ".www\nSELECT 1;",
    ".once -e\nSELECT 1;",
    ".once -x\nSELECT 1;",
    ".once -w\nSELECT 1;",
    ".once --bom -x\nSELECT 1;",
    ".output -e\nSELECT 1;\n.output",
    ".output -x\nSELECT 1;\n.output",
    ".once |./made\nSELECT 1;",
    ".once '|./made'\nSELECT 1;",
    ".output |./made\nSELECT 1;\n.output",
    ".read '|./made'",
    ".import '|./made' t",
    "SELECT edit('text');",
    "SELECT edit('text', './made');",
    ".load ./made",
    ".load ./library entry",
    "SELECT load_extension('./made');",
    "SELECT load_extension('./library', 'entry');",
    "ATTACH 'file:x?vfs=unix' AS x;",
];

/// A directory with a program and a library, both of which anybody may execute.
fn with_programs(name: &str) -> Place {
    let place = Place::fresh(name);
    let text = place.path("inside/text");
    fs::write(&text, "#!/bin/sh\n: >ran\n").expect("the directory is ours");
    allow(&text, 0o755);
    support::copy_program(&text, &place.path("inside/made"));
    support::copy_program(&support::native(), &place.path("inside/library.so"));
    place
}

/// Runs each script in a new shell, which could find the program as its
/// editor and browser too.
fn started(place: &Place, program: &std::path::Path, script: &str) -> Outcome {
    let mut command = support::command(program, &[":memory:"], &place.path("inside"));
    command.env("PATH", "/usr/bin:/bin").env("VISUAL", "./made").env("EDITOR", "./made");
    support::finish(command, &Input::Bytes(format!("{script}\n.print lives on\n").as_bytes()))
}

#[test]
fn the_shell_starts_no_program() {
    let place = with_programs("shell");
    let program = support::our_binary();
    let runs: Vec<_> = STARTERS.iter().map(|script| started(&place, &program, script)).collect();
    assert!(!place.path("inside/ran").exists(), "a program was started");
    place.is_closed_to(&runs);
    let died = |run: &&Outcome| !run.out().ends_with("lives on\n");
    fail_for(runs.iter().filter(died), "did not live on");
}

#[test]
fn each_refusal_to_start_a_program_is_one_clear_line() {
    let place = with_programs("clear");
    let program = support::our_binary();
    let runs: Vec<_> = STARTERS.iter().map(|script| started(&place, &program, script)).collect();
    let unclear = |run: &&Outcome| run.end == End::Exited(0) || run.err().lines().count() != 1;
    fail_for(runs.iter().filter(unclear), "gave no single line, or no failure");
}

/// The other side: natively some of these scripts do start the program.
#[test]
fn the_scripts_would_start_programs_natively() {
    let place = with_programs("native");
    for script in [".shell ./made", ".once |./made\nSELECT 1;", "SELECT edit('x', './made');"] {
        let ran = place.path("inside/ran");
        let _ = fs::remove_file(&ran);
        let run = started(&place, &support::native(), script);
        assert!(ran.exists(), "nothing was started\n{run}");
    }
}
