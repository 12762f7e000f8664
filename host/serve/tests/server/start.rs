//! What the server prints at its start, and what it logs.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::roles::users_file;
use crate::support::{Server, directory, program, run};
use crate::wire::Client;

#[test]
fn each_database_has_its_lines() {
    let directory = directory();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (a, b) = (path("a.db"), path("b.db"));
    let mut server = Server::start_in(directory, &[&b, &a, "--pg", "127.0.0.1:0"]);
    // The first URL was read with the token.
    let url = format!("http://{}/b/#token={}", server.address, server.token);
    assert_eq!(server.printed("listening at "), url);
    for name in ["a", "b"] {
        let line = format!("http://{}/{name}/ authToken {}", server.address, server.token);
        assert_eq!(server.printed("libSQL: url "), line);
    }
}

#[test]
fn a_directory_names_what_it_has() {
    let directory = directory();
    File::create(directory.path().join("shop.db")).unwrap();
    let root = directory.path().to_str().unwrap().to_owned();
    let mut server = Server::start_in(directory, &["--root", &root]);
    let url = format!("http://{}/shop/ ", server.address);
    assert!(server.printed("libSQL: url ").starts_with(&url));
    assert!(server.printed("each NAME.db in ").ends_with("is the database NAME, also later"));
}

/// One whose standard error is this file.
fn start_with_log(directory: TempDir, log: &Path, options: &[&str]) -> Server {
    let mut server = Command::new("sh");
    server.args(["-c", "log=$1; shift; exec \"$0\" \"$@\" 2>\"$log\""]);
    server.arg(program()).arg(log).arg(directory.path().join("shop.db"));
    Server::start_by(server, directory, options)
}

#[test]
fn statements_do_not_need_a_log_that_can_be_written() {
    let full = Path::new("/dev/full");
    let options = ["--slow-statement", "0.001ms", "--no-second-wall", "--pg", "127.0.0.1:0"];
    let mut server = start_with_log(directory(), full, &options);
    for _ in 0..3 {
        assert_eq!(server.query("SELECT 1"), [["1"]]);
        assert_eq!(Client::new(&server).rows("SELECT 1"), "1");
    }
    server.signal("-TERM");
    assert!(server.wait());
}

/// A statement that takes longer than the threshold is logged, and others are not.
#[test]
fn slow_statements_are_logged_as_json() {
    let directory = directory();
    let log = directory.path().join("log");
    let mut options = vec!["--slow-statement", "100ms", "--log-format", "json"];
    // A busy machine may need long for them.
    options.extend(["--statement-timeout", "300s", "--pg", "127.0.0.1:0"]);
    let mut server = start_with_log(directory, &log, &options);
    let counting = |rows: u32| {
        format!(
            "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c WHERE i < {rows})
             SELECT count(*) FROM c"
        )
    };
    server.query("SELECT 'quick'");
    server.query(&counting(3_000_000));
    Client::new(&server).rows(&counting(3_000_000));
    server.signal("-TERM");
    assert!(server.wait());
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let slow: Vec<_> =
        lines.iter().filter(|line| line["fields"]["message"] == "slow statement").collect();
    assert_eq!(slow.len(), 2, "{text}");
    let counted = ["3000000"; 2];
    for (line, count) in slow.into_iter().zip(counted) {
        assert!(line["fields"]["milliseconds"].as_u64().unwrap() >= 100, "{line}");
        assert!(line["fields"]["sql"].as_str().unwrap().contains(count), "{line}");
    }
    assert!(!text.contains("quick") && !text.contains(&server.token), "{text}");
}

/// Not by the first client.
#[test]
fn what_an_extension_lacks_is_reported_at_the_start() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    let database = database.to_str().unwrap();
    for (options, lacks) in [
        (&["--load", "csv"][..], "--grant csv=dir:PATH:ro"),
        (&["--load", "no-such-extension"], "no-such-extension"),
    ] {
        let (out, error, is_ok) = run(&[&[database, "--http", "127.0.0.1:0"], options].concat());
        assert!(!is_ok && out.is_empty() && error.contains(lacks), "{out}{error}");
    }
}

/// Whoever may write a directory above one can replace it.
#[test]
fn what_others_may_replace_is_not_trusted() {
    let directory = directory();
    let (public, inner) = (directory.path().join("pub"), directory.path().join("pub/in"));
    fs::create_dir_all(&inner).unwrap();
    fs::set_permissions(&inner, Permissions::from_mode(0o700)).unwrap();
    let database = directory.path().join("a.db");
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let users = path(&inner.join("users.toml"));
    fs::write(&users, "").unwrap();
    fs::set_permissions(&users, Permissions::from_mode(0o600)).unwrap();
    let (database, socket) = (path(&database), path(&inner));
    for options in [
        ["--users", &users, "--http", "127.0.0.1:0"],
        ["--unix", &socket, "--pg", "127.0.0.1:0"],
        ["--tls-cert", &users, "--tls-key", &users],
        ["--config", &users, "--http", "127.0.0.1:0"],
    ] {
        fs::set_permissions(&public, Permissions::from_mode(0o777)).unwrap();
        let (_, error, is_ok) = run(&[&[database.as_str()], &options[..]].concat());
        assert!(!is_ok && error.contains("pub` or may write it"), "{options:?} {error}");
    }
    // As /tmp is: others cannot rename what is not theirs.
    fs::set_permissions(&public, Permissions::from_mode(0o1777)).unwrap();
    Server::start_in(directory, &[&database, "--users", &users, "--unix", &socket]);
}

#[test]
fn names_in_errors_are_one_line() {
    let directory = directory();
    let name = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let database = name("a.db");
    let odd = name("x\n\u{1b}[2Jforged");
    let users = users_file(&directory, "[\"a\\nforged\\u001b[2J\"]\npassword = \"wrong\"\n");
    for options in [
        ["--users", &odd],
        ["--users", &users],
        ["--config", &odd],
        ["--root", &odd],
        ["--unix", &odd],
    ] {
        let databases = if options[0] == "--root" { &[][..] } else { &[database.as_str()] };
        let (_, error, is_ok) = run(&[databases, &options[..]].concat());
        assert!(
            !is_ok && (options[1] == users || error.contains("forged")),
            "{options:?} {error:?}"
        );
        assert!(!error.contains('\u{1b}'), "{options:?} {error:?}");
        assert_eq!(error.trim_end().lines().count(), 1, "{options:?} {error:?}");
    }
}

/// Neither of a certificate nor of a key.
#[test]
fn a_pipe_that_nobody_writes_to_does_not_block_the_start() {
    let directory = directory();
    let name = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (database, pipe, other) = (name("a.db"), name("pipe"), name("other"));
    let made = Command::new("mkfifo").args(["-m", "600", &pipe]).status().unwrap();
    assert!(made.success());
    fs::write(&other, "").unwrap();
    for [certificate, key] in [[&pipe, &other], [&pipe, &pipe]] {
        let options = [database.as_str(), "--tls-cert", certificate, "--tls-key", key];
        let (_, error, is_ok) = run(&options);
        assert!(!is_ok && error.contains("nobody writes to this pipe"), "{error}");
    }
}
