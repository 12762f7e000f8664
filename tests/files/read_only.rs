//! Files and directories that may not be read or written: what the native shell
//! says, and its exit code; and the permissions of files that we make.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use crate::support::other_user::{Stage, allow};
use crate::support::session::Session;
use crate::support::{self, Directory, hot_journal};

/// What is tried on each database, each in a new shell.
const ATTEMPTS: &[&str] = &[
    "SELECT count(*) FROM t",
    "INSERT INTO t VALUES (1, 2)",
    "CREATE TABLE u(a)",
    "PRAGMA user_version = 3",
    "PRAGMA journal_mode = truncate",
    "BEGIN IMMEDIATE",
    "BEGIN EXCLUSIVE",
    "VACUUM",
    "REINDEX",
    "CREATE TEMP TABLE u(a); INSERT INTO temp.u VALUES (1); SELECT a FROM u",
    "PRAGMA integrity_check",
    ".databases",
    ".dbinfo",
    "ATTACH 'test.db' AS x; DELETE FROM x.t",
    "ATTACH 'other.db' AS x; CREATE TABLE x.u(a)",
];

/// A directory in which permissions bind, for us and for the native shell.
struct Guarded {
    stage: Stage,
    directories: [PathBuf; 2],
}

impl Guarded {
    /// Both directories have a database, on which `prepare` works afterwards.
    fn with(prepare: impl Fn(&Path)) -> Self {
        let stage = Stage::set();
        let directories = ["ours", "native"].map(|name| {
            // Messages hold the path: it must be as long for both.
            let directory = stage.directory(&format!("{name}/place"));
            hot_journal::committed(&directory, "test.db");
            allow(&directory.join("test.db"), 0o666);
            prepare(&directory);
            directory
        });
        Self { stage, directories }
    }

    /// Fails unless both shells print the same and end with the same code.
    #[track_caller]
    fn agree(&self, args: &[&str]) {
        let [ours, native] = &self.directories;
        let ours = self.stage.run(&self.stage.ours(), args, ours);
        let native = self.stage.run(&self.stage.native(), args, native);
        let report = |run: &support::Outcome, name: &str| {
            let place = self.stage.path().join(name).display().to_string();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "PLACE");
            (run.end, text(&run.stdout), text(&run.stderr))
        };
        assert!(
            report(&ours, "ours") == report(&native, "native"),
            "the two differ\n{ours}\n\n{native}"
        );
    }

    #[track_caller]
    fn agree_on_all(&self) {
        for sql in ATTEMPTS {
            self.agree(&["test.db", sql]);
        }
    }
}

#[test]
fn a_read_only_file_is_as_natively() {
    Guarded::with(|directory| allow(&directory.join("test.db"), 0o444)).agree_on_all();
}

#[test]
fn a_file_in_a_read_only_directory_is_as_natively() {
    Guarded::with(|directory| allow(directory, 0o555)).agree_on_all();
}

#[test]
fn a_read_only_file_in_a_read_only_directory_is_as_natively() {
    let guarded = Guarded::with(|directory| {
        allow(&directory.join("test.db"), 0o444);
        allow(directory, 0o555);
    });
    guarded.agree_on_all();
}

#[test]
fn a_file_that_may_not_be_read_is_as_natively() {
    Guarded::with(|directory| allow(&directory.join("test.db"), 0o000)).agree_on_all();
    Guarded::with(|directory| allow(&directory.join("test.db"), 0o222)).agree_on_all();
}

#[test]
fn a_database_opened_for_reading_only_is_as_natively() {
    let guarded = Guarded::with(|_| {});
    for sql in ATTEMPTS {
        guarded.agree(&["-readonly", "test.db", sql]);
        guarded.agree(&["file:test.db?mode=ro", sql]);
        guarded.agree(&["file:test.db?immutable=1", sql]);
    }
}

#[test]
fn what_cannot_be_opened_is_as_natively() {
    let guarded = Guarded::with(|directory| {
        fs::create_dir(directory.join("directory")).expect("the directory is ours");
        fs::write(directory.join("text.db"), "no database, but long enough").expect("it is ours");
        fs::write(directory.join("empty.db"), "").expect("it is ours");
        allow(&directory.join("text.db"), 0o444);
        allow(&directory.join("empty.db"), 0o444);
        allow(directory, 0o555);
    });
    let names = [
        "missing.db",
        "directory",
        ".",
        "directory/missing.db",
        "missing/test.db",
        "test.db/below",
        "text.db",
        "empty.db",
        "file:missing.db?mode=rw",
        "file:missing.db?mode=ro",
    ];
    for name in names {
        guarded.agree(&[name, "SELECT count(*) FROM sqlite_schema"]);
        guarded.agree(&[name, "CREATE TABLE u(a)"]);
    }
}

/// Leaves a hot journal in both directories, then takes permissions away.
fn with_hot_journal(guard: impl Fn(&Path)) -> Guarded {
    Guarded::with(|directory| {
        fs::remove_file(directory.join("test.db")).expect("the directory is ours");
        hot_journal::leave(&support::native(), directory, "test.db", &directory.join("test.db"));
        for file in ["test.db", "test.db-journal"] {
            allow(&directory.join(file), 0o666);
        }
        guard(directory);
    })
}

#[test]
fn a_hot_journal_of_a_read_only_file_is_as_natively() {
    let guards: [fn(&Path); 5] = [
        |_| {},
        |directory| allow(&directory.join("test.db"), 0o444),
        |directory| allow(&directory.join("test.db-journal"), 0o444),
        |directory| allow(&directory.join("test.db-journal"), 0o000),
        |directory| allow(directory, 0o555),
    ];
    for guard in guards {
        for sql in [hot_journal::QUERY, "UPDATE t SET b = 1"] {
            with_hot_journal(guard).agree(&["test.db", sql]);
        }
    }
}

/// A user who may only read must not keep the owner out.
#[test]
fn a_journal_has_permissions_and_owner_of_its_database() {
    for program in [support::our_binary(), support::native()] {
        let directory = Directory::fresh("journal");
        let database = directory.path().join("test.db");
        hot_journal::committed(&directory.path(), "test.db");
        allow(&database, 0o640);
        if geteuid().is_root() {
            chown(&database, Some(12345), Some(12345)).expect("root may");
        }
        let session = hot_journal::changing(&program, &directory.path(), "test.db");
        let of = |name: &str| {
            let metadata = fs::metadata(directory.path().join(name)).expect("it is there");
            (metadata.mode(), metadata.uid(), metadata.gid())
        };
        assert_eq!(of("test.db-journal"), of("test.db"), "{}", program.display());
        drop(session);
    }
}

/// The permissions of files that are new are the native shell's, and the
/// user's umask holds.
#[test]
fn new_files_have_the_permissions_that_they_have_natively() {
    let script = "CREATE TABLE t(a); SELECT writefile('text', 'x'), writefile('both', 'x', 493);
        VACUUM INTO 'copy.db';\n.once printed\nSELECT 1;\n";
    let modes = [support::our_binary(), support::native()].map(|program| {
        let directory = Directory::fresh("new");
        let words =
            ["-c", "umask 027 && exec \"$0\" \"$@\"", program.to_str().expect("UTF-8"), "test.db"];
        let mut session = Session::start("/bin/sh".as_ref(), &words, &directory.path());
        session.ask(script);
        ["test.db", "copy.db", "text", "both", "printed"].map(|name| {
            let metadata = fs::metadata(directory.path().join(name));
            (name, format!("{:o}", metadata.expect("it was made").mode()))
        })
    });
    assert_eq!(modes[0], modes[1]);
}
