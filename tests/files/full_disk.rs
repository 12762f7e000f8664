//! A full disk: SQLITE_FULL, and nothing that was committed is lost.
//!
//! The disk is a small tmpfs in its own mount namespace, which ends with the
//! processes in it.

use std::path::Path;

use nix::unistd::geteuid;

use crate::support::{self, Directory, End, Input, Outcome};

/// Size of the disk: some hundred pages.
const DISK_BYTES: usize = 2 << 20;

/// Fills any disk.
const TOO_MUCH: &str = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c
    WHERE i < 100000) INSERT INTO t SELECT hex(zeroblob(100)) FROM c;";

/// What is in the database, and whether it is whole.
const STATE: &str = "SELECT count(*), min(a) FROM t; PRAGMA integrity_check;";

/// Mounts the disk over the working directory, then runs the script `$1` there,
/// in which `$OURS` and `$NATIVE` are the two shells.
///
/// In a chroot `/` is not a mount point: it cannot and need not be made private.
const ON_THE_DISK: &str = r#"
mount --make-rprivate / 2>/dev/null
mount -t tmpfs -o size="$DISK_BYTES" tmpfs "$PWD" || exit 99
cd "$PWD" && sh -c "$1"
"#;

/// Runs a script of `sh` on a new small disk.
fn on_a_small_disk(name: &str, script: &str) -> Outcome {
    let directory = Directory::fresh(name);
    let mut words = vec!["--mount", "--propagation", "unchanged"];
    if !geteuid().is_root() {
        words.push("--map-root-user");
    }
    words.extend(["sh", "-c", ON_THE_DISK, "sh", script]);
    let mut command = support::command("unshare".as_ref(), &words, &directory.path());
    command
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("DISK_BYTES", DISK_BYTES.to_string())
        .env("OURS", support::our_binary())
        .env("NATIVE", support::native());
    let run = support::finish(command, &Input::Nothing);
    let mounted = run.end != End::Exited(99) && !run.err().starts_with("unshare:");
    assert!(mounted, "a small disk cannot be mounted here; run the tests as root\n{run}");
    run
}

/// Runs the same script with us and with the native shell as `$SQLITE`; both
/// must print the same, which is returned.
fn as_natively(name: &str, script: &str) -> String {
    let [ours, native] = ["OURS", "NATIVE"]
        .map(|program| on_a_small_disk(name, &format!("SQLITE=${program}\n{script}")));
    assert!(
        (ours.out(), ours.err()) == (native.out(), native.err()),
        "the two differ\n{ours}\n\n{native}"
    );
    ours.out().into_owned()
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_lost() {
    let script = format!(
        r#"$SQLITE t.db "CREATE TABLE t(a); INSERT INTO t VALUES ('kept')"
        $SQLITE t.db "{TOO_MUCH}"; echo "exit $?"
        $NATIVE t.db "{STATE}"
        $SQLITE t.db "INSERT INTO t VALUES ('more')"; echo "exit $?"
        $NATIVE t.db "{STATE}""#
    );
    let output = as_natively("insert", &script);
    assert_eq!(output, "exit 13\n1|kept\nok\nexit 0\n2|kept\nok\n");
}

#[test]
fn a_full_disk_has_sqlites_own_message() {
    let script = format!(r#"$OURS t.db "CREATE TABLE t(a)" "{TOO_MUCH}""#);
    on_a_small_disk("message", &script)
        .exits_with(13)
        .prints("")
        .complains("database or disk is full (13)");
}

/// With a small cache the disk is full in the middle of a statement, with a
/// large one at its commit.
#[test]
fn it_makes_no_difference_when_the_disk_is_found_full() {
    for cache in [5, 2000] {
        for mode in ["delete", "truncate", "persist", "memory"] {
            let script = format!(
                r#"$SQLITE t.db "CREATE TABLE t(a); INSERT INTO t VALUES ('kept')"
                $SQLITE t.db "PRAGMA cache_size={cache}" "PRAGMA journal_mode={mode}" "{TOO_MUCH}"
                echo "exit $?"
                $NATIVE t.db "{STATE}""#
            );
            let output = as_natively("mode", &script);
            assert_eq!(output, format!("{mode}\nexit 13\n1|kept\nok\n"));
        }
    }
}

#[test]
fn a_script_goes_on_after_a_full_disk() {
    let script = format!(
        r#"cat >script.sql <<'END'
CREATE TABLE t(a);
INSERT INTO t VALUES ('kept');
BEGIN;
INSERT INTO t VALUES ('not kept');
{TOO_MUCH}
INSERT INTO t VALUES ('a transaction that is rolled back is over');
SELECT count(*) FROM t;
END
        $SQLITE t.db <script.sql; echo "exit $?"
        $NATIVE t.db "{STATE}""#
    );
    let output = as_natively("script", &script);
    assert!(output.ends_with("ok\n") && output.contains("exit 1\n"), "{output}");
}

/// Nothing is left at all: not even a journal can be made.
#[test]
fn a_disk_without_a_byte_left_can_still_be_read() {
    let script = format!(
        r#"$SQLITE t.db "CREATE TABLE t(a); INSERT INTO t VALUES ('kept')"
        cat /dev/zero >filler 2>/dev/null
        $SQLITE t.db "SELECT a FROM t"; echo "exit $?"
        $SQLITE t.db "INSERT INTO t VALUES (zeroblob(10000))"; echo "exit $?"
        $SQLITE t.db "{STATE}"
        rm filler
        $SQLITE t.db "INSERT INTO t VALUES ('more')"; echo "exit $?"
        $NATIVE t.db "{STATE}""#
    );
    let output = as_natively("filled", &script);
    assert_eq!(output, "kept\nexit 0\nexit 13\n1|kept\nok\nexit 0\n2|kept\nok\n");
}

/// `PRAGMA journal_size_limit`, chunks and vacuuming ask for room too.
#[test]
fn other_writers_tell_of_a_full_disk_as_natively() {
    let prepare = "CREATE TABLE t(a); WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1
        FROM c WHERE i < 5000) INSERT INTO t SELECT hex(zeroblob(100)) FROM c;";
    for words in [
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        ".backup copy.db",
        ".save copy.db",
        ".clone copy.db",
        "CREATE INDEX i ON t(a)",
        "SELECT writefile('copy', zeroblob(3000000)) IS 3000000",
        "UPDATE t SET a = a || hex(zeroblob(100))",
    ] {
        let script = format!(
            r#"$SQLITE t.db "{prepare}"; $SQLITE t.db "{words}"; echo "exit $?"
            $NATIVE t.db "{STATE}""#
        );
        as_natively("others", &script);
    }
}

#[test]
fn a_composed_program_that_does_not_fit_leaves_nothing() {
    let cli = support::portable_component();
    let script = format!(
        r#"head -c 1000000 /dev/zero >filler
        $OURS compose --embed series --cli '{}'; echo "exit $?"
        ls"#,
        cli.display()
    );
    on_a_small_disk("composed", &script)
        .prints("exit 120\nfiller\n")
        .complains("failed to write `composed.wasm`: No space left on device");
}

/// A sort that does not fit in memory needs a file; the directory for it is full.
#[test]
fn a_full_directory_for_temporary_files_is_reported() {
    let sort = "PRAGMA temp_store=file; PRAGMA cache_size=5; CREATE TEMP TABLE u AS
        WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 50000)
        SELECT hex(zeroblob(100)) AS a FROM c;";
    let script = format!(
        r#"export TMPDIR="$PWD" SQLITE_TMPDIR="$PWD"
        $OURS :memory: "{sort}"; echo "exit $?"
        find . ! -type d"#
    );
    let run = on_a_small_disk("temporary", &script);
    run.prints("exit 13\n").complains("database or disk is full (13)");
}

/// Output that cannot be written is an error.
#[test]
fn output_to_a_full_device_is_as_natively() {
    let full = Path::new("/dev/full");
    assert!(full.exists(), "Linux has `/dev/full`");
    let directory = Directory::fresh("output");
    let [ours, native] = [support::our_binary(), support::native()].map(|program| {
        let script = r#""$0" :memory: "SELECT 1" >/dev/full; echo "exit $?""#;
        let words = ["-c", script, program.to_str().expect("its path is UTF-8")];
        support::run("/bin/sh".as_ref(), &words, &directory.path(), &Input::Nothing)
    });
    assert!(ours.out() == native.out(), "the two differ\n{ours}\n\n{native}");
}
