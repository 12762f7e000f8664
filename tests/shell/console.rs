//! Standard input and output of a script: order, interruption, time and exit
//! codes are those of the native shell.

use std::fs;
use std::path::Path;

use crate::support::session::Session;
use crate::support::{self, Directory, ENDLESS, ENDLESS_CALL, End, Input, Outcome};

fn start(args: &[&str], directory: &Directory) -> Session {
    Session::start(&support::our_binary(), args, &directory.path())
}

/// What a script prints to one pipe that is both standard output and standard
/// error, and how it ends.
fn in_one_pipe(program: &Path, args: &[&str], script: &str) -> (End, String) {
    let directory = Directory::fresh("one-pipe");
    let mut session = Session::start(program, args, &directory.path());
    session.try_send(script);
    session.finish()
}

#[test]
fn errors_appear_where_they_happen() {
    let script = "SELECT 'a';\nSELECT bad;\n.print b\n.bogus\nSELECT 'c';\nSELECT * FROM none;\n";
    let (end, text) = in_one_pipe(&support::our_binary(), &[":memory:"], script);
    assert_eq!((end, text), in_one_pipe(&support::native(), &[":memory:"], script));
}

/// Native errors of a line overtake its rows; ours must not.
#[test]
fn errors_appear_where_they_happen_within_a_line() {
    let script = "SELECT 'a'; SELECT 'b'; SELECT abs(-9223372036854775808); SELECT 'c';\n";
    let (_, text) = in_one_pipe(&support::our_binary(), &[":memory:"], script);
    assert_eq!(text, "a\nb\nRuntime error near line 1: integer overflow\n");
}

#[test]
fn errors_of_arguments_appear_where_they_happen() {
    let args = [":memory:", "SELECT 'a'; SELECT 'b'", ".print c", "SELECT 'd'; SELECT bad"];
    let (end, text) = in_one_pipe(&support::our_binary(), &args, "");
    assert!(text.starts_with("a\nb\nc\nd\nError"), "{text}");
    assert_eq!(end, End::Exited(1));
}

#[test]
fn an_error_does_not_overtake_long_output() {
    let script = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 100000)
        SELECT i FROM c; SELECT abs(-9223372036854775808);\nSELECT 'end';\n";
    let (_, text) = in_one_pipe(&support::our_binary(), &[":memory:"], script);
    let expected = ["100000", "Runtime error near line 1: integer overflow", "end"];
    let last: Vec<_> = text.lines().skip(99_999).collect();
    assert!(last.len() == 3 && last[0] == expected[0] && last[2] == expected[2], "{last:?}");
    assert!(last[1].ends_with("integer overflow"), "{last:?}");
}

#[test]
fn a_refused_path_is_reported_where_it_happens() {
    let script = "SELECT 'a'; SELECT readfile('/etc/passwd') IS NULL; SELECT 'b';\n";
    let (_, text) = in_one_pipe(&support::our_binary(), &[":memory:"], script);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0] == "a" && lines[1].contains("--dir /etc"), "it overtook:\n{text}");
}

#[test]
fn traces_and_logs_appear_where_they_happen() {
    let script = ".trace stderr\nSELECT 'a';\nSELECT 'b';\n.trace off\n.echo on\nSELECT 'c';\n";
    let (end, text) = in_one_pipe(&support::our_binary(), &[":memory:"], script);
    assert_eq!((end, text), in_one_pipe(&support::native(), &[":memory:"], script));
}

/// Each line is done before the next one is waited for.
#[test]
fn output_appears_before_more_input_is_waited_for() {
    let directory = Directory::fresh("before");
    let mut session = start(&[":memory:"], &directory);
    session.send("SELECT 'first';\n");
    assert_eq!(session.wait_for("first"), "");
    session.send("SELECT bad;\n");
    session.wait_for("error here");
    session.send(".print third\n");
    assert_eq!(session.wait_for("third"), "");
}

/// Editors such as Emacs talk to `sqlite3 -interactive` through a pipe.
#[test]
fn an_interactive_session_through_a_pipe_has_prompts() {
    let script = "SELECT 1;\nSELECT\n2;\n.print 'three'\nSELECT bad;\nSELECT 'x\n';\n.exit 3\n";
    let args = ["-interactive", ":memory:"];
    let ours = in_one_pipe(&support::our_binary(), &args, script);
    assert_eq!(ours, in_one_pipe(&support::native(), &args, script));
}

/// Sends the endless statement and one more, and interrupts the first.
fn interrupted(program: &Path, args: &[&str], after: &str) -> (End, String) {
    let directory = Directory::fresh("interrupted");
    let mut session = Session::start(program, args, &directory.path());
    session.send(&format!(".print before\n{ENDLESS}\n{after}\n"));
    session.wait_for("before");
    session.wait_until_busy();
    session.interrupt();
    session.finish()
}

/// What was printed without prompts, which a pipe may go without.
fn without_prompts(text: &str) -> String {
    text.replace("sqlite> ", "").trim().to_owned()
}

#[test]
fn a_script_ends_with_its_interrupted_statement_as_natively() {
    for args in [&[":memory:"][..], &["-bail", ":memory:"]] {
        let after = "SELECT 'after';";
        let ours = interrupted(&support::our_binary(), args, after);
        assert!(ours.1.contains("interrupted"), "{}", ours.1);
        assert_eq!(ours, interrupted(&support::native(), args, after));
    }
}

#[test]
fn an_interactive_shell_lives_on_after_an_interrupted_statement() {
    for (after, code) in [("SELECT 'after';", 1), ("SELECT 'after';\n.exit 7", 7)] {
        let args = ["-interactive", ":memory:"];
        let (end, text) = interrupted(&support::our_binary(), &args, after);
        assert_eq!(end, End::Exited(code));
        assert_eq!(without_prompts(&text), "Runtime error: interrupted (9)\nafter");
        let native = interrupted(&support::native(), &args, after);
        assert_eq!((end, without_prompts(&text)), (native.0, without_prompts(&native.1)));
    }
}

#[test]
fn each_of_several_statements_can_be_interrupted() {
    let directory = Directory::fresh("several");
    let mut session = start(&["-interactive", ":memory:"], &directory);
    for round in ["one", "two", "three"] {
        session.send(&format!(".print {round}\n{ENDLESS}\n.print after-{round}\n"));
        session.wait_for(round);
        session.wait_until_busy();
        session.interrupt();
        let output = session.wait_for(&format!("after-{round}"));
        assert_eq!(without_prompts(&output), "Runtime error: interrupted (9)");
    }
    session.send(".exit 5\n");
    assert_eq!(session.wait().0, End::Exited(5));
}

/// Where the statement does not notice, the second Ctrl-C ends the program.
#[test]
fn a_second_interrupt_ends_the_program_as_natively() {
    for args in [&["-interactive", ":memory:"][..], &[":memory:"]] {
        let ends = [support::our_binary(), support::native()].map(|program| {
            let directory = Directory::fresh("second");
            let mut session = Session::start(&program, args, &directory.path());
            session.send(&format!(".print before\n{ENDLESS_CALL}\nSELECT 'after';\n"));
            session.wait_for("before");
            session.wait_until_busy();
            session.interrupt();
            session.wait_until_busy();
            session.interrupt();
            let (end, text) = session.wait();
            assert!(!text.contains("after"), "it went on: {text}");
            end
        });
        assert_eq!(ends, [End::Exited(1); 2]);
    }
}

#[test]
fn a_script_that_waits_for_input_ends_as_natively() {
    let ends = [support::our_binary(), support::native()].map(|program| {
        let directory = Directory::fresh("idle");
        let mut session = Session::start(&program, &[":memory:"], &directory.path());
        session.answers("SELECT 'first';", "first\n");
        session.interrupt();
        session.try_send("SELECT 'not run';\nSELECT 'nor this';\n");
        session.wait()
    });
    assert_eq!(ends[0], (End::Exited(0), "Program interrupted.\n".to_owned()));
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn an_interactive_shell_that_waits_for_input_goes_on_as_natively() {
    let answers = [support::our_binary(), support::native()].map(|program| {
        let directory = Directory::fresh("idle-interactive");
        let mut session =
            Session::start(&program, &["-interactive", ":memory:"], &directory.path());
        session.ask("SELECT 'first';");
        session.interrupt();
        without_prompts(&session.ask("SELECT 'goes on';"))
    });
    assert_eq!(answers, ["goes on"; 2]);
}

#[test]
fn an_interrupted_argument_ends_with_the_native_code() {
    let ends = [support::our_binary(), support::native()].map(|program| {
        let directory = Directory::fresh("argument");
        let session =
            Session::start(&program, &[":memory:", ENDLESS, "SELECT 2"], &directory.path());
        session.wait_until_busy();
        session.interrupt();
        session.wait()
    });
    assert_eq!(ends[0], ends[1]);
    assert!(ends[0].1.contains("interrupted"), "{}", ends[0].1);
}

#[test]
fn an_interrupted_change_is_undone() {
    let directory = Directory::fresh("undone");
    let table = "CREATE TABLE t(a); INSERT INTO t VALUES (1);";
    support::natively(&directory.path(), &["test.db", table]).exits_with(0);
    let mut session = start(&["-interactive", "test.db"], &directory);
    let endless = ENDLESS.replace("SELECT count(*)", "INSERT INTO t SELECT i");
    session.send(&format!("PRAGMA cache_size=5;\n.print before\n{endless}\n.print after\n"));
    session.wait_for("before");
    session.wait_until_busy();
    session.interrupt();
    assert!(session.wait_for("after").contains("interrupted"));
    let printed = session.ask("SELECT count(*) FROM t;");
    assert_eq!(without_prompts(&printed), "1");
    drop(session);
    support::natively(&directory.path(), &["test.db", "PRAGMA integrity_check; SELECT a FROM t"])
        .prints("ok\n1\n");
}

/// The seconds behind a word of `.timer`'s line.
fn seconds(line: &str, word: &str) -> f64 {
    let mut words = line.split_whitespace().skip_while(|found| *found != word);
    let number = words.nth(1).and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("no {word} time in {line:?}"))
}

#[test]
fn the_timer_shows_true_times() {
    let directory = Directory::fresh("timer");
    let mut session = start(&[":memory:"], &directory);
    session.answers(".timer on", "");
    let finite = ENDLESS.replace("FROM c)", "FROM c WHERE i < 2000000)");
    let line = session.ask(&finite);
    let line = line.trim_start_matches("2000000\n");
    assert!(line.starts_with("Run Time: real "), "{line}");
    let (real, user, system) = (seconds(line, "real"), seconds(line, "user"), seconds(line, "sys"));
    assert!(user > 0.01 && user < real + 0.05, "it computes all the time: {line}");
    assert!(system < real + 0.05, "{line}");
    let writes = "SELECT sum(writefile('file', zeroblob(10000000))) FROM generate_series(1, 20);";
    let line = session.ask(writes);
    assert!(seconds(&line, "sys") > 0.0, "it writes 200 MB: {line}");
}

/// Both end the same, with the same output.
#[track_caller]
fn as_natively(args: &[&str], script: &str) -> Outcome {
    let directory = Directory::fresh("codes");
    fs::write(directory.path().join("bad.sql"), "SELECT bad;\n").expect("the directory is ours");
    fs::write(directory.path().join("exit.sql"), ".exit 9\nSELECT 1;\n")
        .expect("the directory is ours");
    let input = Input::Bytes(script.as_bytes());
    let run = |program: &Path| support::run(program, args, &directory.path(), &input);
    let (ours, native) = (run(&support::our_binary()), run(&support::native()));
    // The shell names itself by its path in some messages.
    let name =
        |run: &Outcome| run.err().replace(&support::native().display().to_string(), "sqlite3");
    assert!(
        (ours.end, ours.out(), name(&ours)) == (native.end, native.out(), name(&native)),
        "the two differ\n{ours}\n\n{native}"
    );
    ours
}

#[test]
fn exit_codes_of_scripts_are_native() {
    let codes = [
        ("", 0),
        ("SELECT 1;", 0),
        (".exit", 0),
        (".exit 0", 0),
        (".exit 1", 1),
        (".exit 7\nSELECT 'not run';", 7),
        (".exit 255", 255),
        (".exit 256", 0),
        (".exit 300", 44),
        (".exit -1", 255),
        (".exit word", 0),
        (".quit", 0),
        (".quit 3", 0),
        ("SELECT bad;\nSELECT 'goes on';", 1),
        ("SELECT bad;\n.exit 0", 1),
        (".bogus\nSELECT 'goes on';", 1),
        (".read missing.sql\nSELECT 'goes on';", 1),
        (".read bad.sql\nSELECT 'goes on';", 1),
        (".read exit.sql\nSELECT 'not run';", 9),
        (".bail on\nSELECT bad;\nSELECT 'not run';", 1),
        (".bail on\n.read bad.sql\nSELECT 'not run';", 1),
        ("SELECT 'incomplete'", 0),
        ("SELECT 'unfinished", 1),
    ];
    for (script, code) in codes {
        as_natively(&[":memory:"], script).exits_with(code);
    }
}

#[test]
fn exit_codes_of_arguments_are_native() {
    let cases: &[&[&str]] = &[
        &[":memory:", "SELECT 1"],
        &[":memory:", "SELECT bad", "SELECT 'not run'"],
        &[":memory:", "SELECT abs(-9223372036854775808)"],
        &[":memory:", "CREATE TABLE t(a CHECK (a > 0)); INSERT INTO t VALUES (0)"],
        &[":memory:", ".exit 4", "SELECT 'not run'"],
        &[":memory:", ".bogus", "SELECT 'not run'"],
        &[":memory:", ".read bad.sql", "SELECT 'not run'"],
        &[":memory:", ".read exit.sql"],
        &["-bail", ":memory:", "SELECT bad", "SELECT 'not run'"],
        &["-cmd", ".exit 6", ":memory:", "SELECT 'not run'"],
        &["-cmd", "SELECT bad", ":memory:", "SELECT 'goes on'"],
        &["-bail", "-cmd", "SELECT bad", ":memory:", "SELECT 'not run'"],
        &["-init", "bad.sql", ":memory:", "SELECT 'goes on'"],
        &["-init", "exit.sql", ":memory:", "SELECT 'goes on'"],
        &["missing/test.db", "SELECT 1"],
        &["bad.sql", "SELECT count(*) FROM sqlite_schema"],
        &["-batch", "-header", "-csv", ":memory:", "SELECT 1 AS a, 2 AS b"],
        &["-safe", ":memory:", "ATTACH 'x.db' AS x"],
        &["-bogus", ":memory:", "SELECT 1"],
        &["--bogus", ":memory:", "SELECT 1"],
        &[".", "SELECT 1"],
        &["-readonly", ".", "SELECT count(*) FROM sqlite_schema"],
        &["-separator"],
        &["-cmd"],
    ];
    for args in cases {
        as_natively(args, "");
    }
}

/// The devices that scripts use for the standard streams.
#[test]
fn devices_are_read_as_natively() {
    let script = "SELECT 1;\nSELECT 2;\n";
    as_natively(&[":memory:", ".read /dev/stdin"], script).exits_with(0).prints("1\n2\n");
    as_natively(&[":memory:", ".read /dev/null", "SELECT 3"], script).prints("3\n");
    let import = &[":memory:", ".import /dev/stdin t", "SELECT count(*) FROM t"];
    as_natively(import, "a\n1\n2\n").prints("2\n");
}

#[test]
fn errors_of_scripts_end_a_bailing_shell_as_natively() {
    for script in ["SELECT bad;\nSELECT 'not run';", "SELECT 1;\n.bogus\nSELECT 'not run';"] {
        let run = as_natively(&["-bail", ":memory:"], script).exits_with(1);
        assert!(!run.out().contains("not run"), "it went on\n{run}");
    }
}

/// The home is the one of the user database, whatever `$HOME` says; only the
/// directory for configurations lies there.
#[test]
fn the_home_is_that_of_the_user_database_as_natively() {
    for file in [".sqliterc", ".config/sqlite3/sqliterc"] {
        let output = [support::our_binary(), support::native()].map(|program| {
            let directory = Directory::fresh("home");
            let path = directory.path().join("home").join(file);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the directory is ours");
            fs::write(path, ".print started\n").expect("the directory is ours");
            let mut command = support::command(&program, &[":memory:"], &directory.path());
            command.env("HOME", directory.path().join("home"));
            let run = support::finish(command, &Input::Bytes(b"SELECT 1;\n"));
            (run.end, run.out().into_owned(), run.err().into_owned())
        });
        assert_eq!(output[0], output[1]);
        assert!(output[0].1.contains("started") || file == ".sqliterc", "{output:?}");
    }
}

/// With its own configuration directory.
#[test]
fn the_start_up_file_is_read_from_the_configuration_directory() {
    for args in [&[":memory:", "SELECT 1 AS a"][..], &["-interactive", ":memory:"]] {
        let output = [support::our_binary(), support::native()].map(|program| {
            let directory = Directory::fresh("config");
            let config = directory.path().join("config/sqlite3");
            fs::create_dir_all(&config).expect("the directory is ours");
            fs::write(config.join("sqliterc"), ".headers on\n.mode csv\n").expect("it is ours");
            let mut command = support::command(&program, args, &directory.path());
            command.env("XDG_CONFIG_HOME", directory.path().join("config"));
            let run = support::finish(command, &Input::Bytes(b"SELECT 2 AS b;\n"));
            let place = directory.path().display().to_string();
            let text = |text: &str| without_prompts(text).replace(&place, "PLACE");
            (run.end, text(&run.out()), text(&run.err()))
        });
        assert_eq!(output[0], output[1]);
    }
}
