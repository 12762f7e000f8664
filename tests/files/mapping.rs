//! Files in the component's memory: database pages by `PRAGMA mmap_size`, and
//! what becomes of a mapping when a file changes, is cut, or the program ends.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use sqlite_wasm_runtime::artifact::component::Loader;
use sqlite_wasm_runtime::filesystem::grants::{Access, Grant};
use sqlite_wasm_runtime::filesystem::stdio::{Stdio, Stream};
use sqlite_wasm_runtime::runner::{self, Options, Outcome};

use crate::support::session::Session;
use crate::support::{self, Directory, End, Input, strace};

/// A database of a hundred pages and more.
const TABLE: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    INSERT INTO t SELECT value, hex(zeroblob(1000)) FROM generate_series(1, 500);";

const MAPPED: &str = "PRAGMA mmap_size=100000000; PRAGMA cache_size=5;";

fn filled(name: &str, mode: &str) -> Directory {
    let directory = Directory::fresh(name);
    let sql = format!("PRAGMA journal_mode={mode}; {TABLE}");
    support::natively(&directory.path(), &["test.db", &sql]).exits_with(0);
    directory
}

fn ours(directory: &Path) -> Session {
    Session::start(&support::our_binary(), &["test.db"], directory)
}

#[test]
fn the_size_is_answered_as_natively() {
    let directory = filled("answers", "delete");
    let sql = "PRAGMA mmap_size; PRAGMA mmap_size=1000; PRAGMA mmap_size; PRAGMA mmap_size=-1;
        SELECT count(*) FROM t; PRAGMA mmap_size=1099511627776; SELECT sum(length(b)) FROM t;
        PRAGMA mmap_size=0; SELECT sum(length(b)) FROM t; PRAGMA mmap_size;";
    let native = support::natively(&directory.path(), &["test.db", sql]);
    support::ours(&directory.path(), &["test.db", sql]).exits_with(0).prints(&native.out());
}

/// With pages mapped, next to nothing is read.
#[test]
fn mapped_pages_are_not_read() {
    let directory = filled("reads", "delete");
    let reads = |sql: &str| {
        let options = ["-y", "-e", "trace=pread64", "-P", "test.db"].map(str::to_owned);
        let args = ["test.db", sql, "SELECT sum(length(b)) FROM t"];
        let binary = support::our_binary();
        let traced = strace::run(&options, &binary, &args, &directory.path(), &Input::Nothing);
        assert!(traced.run.out().ends_with("1000000\n"), "{}", traced.run);
        traced.calls.len()
    };
    assert!(reads("PRAGMA mmap_size=0") > 200);
    assert!(reads("PRAGMA mmap_size=100000000") < 20);
}

#[test]
fn changes_by_others_are_seen_in_mapped_pages() {
    for mode in ["delete", "wal"] {
        let directory = filled("others", mode);
        let path = directory.path();
        let mut session = ours(&path);
        session.answers(MAPPED, "100000000\n");
        let mut total = 1_000_000;
        for number in 1..20 {
            session.answers("SELECT sum(length(b)) FROM t;", &format!("{total}\n"));
            let changes = format!(
                "UPDATE t SET b = b || 'x' WHERE a > 490;
                 INSERT INTO t SELECT NULL, zeroblob(1000) FROM generate_series(1, {number});"
            );
            support::natively(&path, &["test.db", &changes]).exits_with(0);
            let grown = "SELECT sum(length(b)) FROM t";
            total = support::natively(&path, &["test.db", grown]).out().trim().parse().unwrap();
        }
        support::natively(&path, &["test.db", "DELETE FROM t WHERE a > 10; VACUUM;"]).exits_with(0);
        session.answers("SELECT sum(length(b)) FROM t; PRAGMA integrity_check;", "20000\nok\n");
    }
}

#[test]
fn what_is_written_is_seen_in_mapped_pages() {
    for mode in ["delete", "wal"] {
        let directory = filled("own", mode);
        let mut session = ours(&directory.path());
        session.answers(MAPPED, "100000000\n");
        session.answers("SELECT sum(length(b)) FROM t;", "1000000\n");
        session.answers("UPDATE t SET b = b || 'yy'; SELECT sum(length(b)) FROM t;", "1001000\n");
        session.answers("BEGIN; DELETE FROM t; ROLLBACK; SELECT count(*) FROM t;", "500\n");
        session.answers("DELETE FROM t WHERE a > 5; VACUUM; SELECT count(*) FROM t;", "5\n");
        session.answers("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA integrity_check;", {
            if mode == "wal" { "0|0|0\nok\n" } else { "0|-1|-1\nok\n" }
        });
        assert_eq!(session.finish().0, End::Exited(0));
        support::natively(&directory.path(), &["test.db", "PRAGMA integrity_check"]).prints("ok\n");
    }
}

/// A program that keeps no lock cuts the database. Natively that is a signal;
/// for us the pages are empty, as they are for who reads them.
#[test]
fn a_database_that_is_cut_in_use_is_found_damaged() {
    let directory = filled("cut", "delete");
    let mut session = ours(&directory.path());
    session.answers(MAPPED, "100000000\n");
    session.answers("SELECT sum(length(b)) FROM t;", "1000000\n");
    let whole = fs::read(directory.path().join("test.db")).expect("the directory is ours");
    let file = fs::File::options().write(true).open(directory.path().join("test.db"));
    let mut file = file.expect("the directory is ours");
    file.set_len(4096).expect("the directory is ours");
    session.answers_with("SELECT sum(length(b)) FROM t;", "database disk image is malformed (11)");
    // When it is back, it is back for us too.
    file.write_all(&whole).expect("the directory is ours");
    let change = "PRAGMA user_version=5";
    support::natively(&directory.path(), &["test.db", change]).exits_with(0);
    session.answers("SELECT sum(length(b)) FROM t;", "1000000\n");
}

/// What is mapped counts as memory; without enough of it pages are read.
#[test]
fn a_database_that_does_not_fit_in_memory_is_read() {
    let directory = filled("limit", "delete");
    let more = "INSERT INTO t SELECT NULL, zeroblob(100000) FROM generate_series(1, 1000);";
    support::natively(&directory.path(), &["test.db", more]).exits_with(0);
    let words = ["--max-memory", "50M", "test.db", MAPPED, "SELECT sum(length(b)) FROM t;"];
    let run = support::ours(&directory.path(), &words);
    run.exits_with(0).prints("100000000\n101000000\n").keeps_quiet();
}

/// On such a file system WAL would be unsafe. It is recognised by what the
/// system says of it, which is changed here to what it says of 9p.
#[test]
fn where_memory_cannot_be_shared_wal_is_refused_and_the_way_out_named() {
    let directory = filled("9p", "delete");
    let on_9p = |words: &[&str]| {
        let options = ["-e", "trace=fstatfs", "-e", "inject=fstatfs:poke_exit=@arg2=97190201"];
        let words = [&["test.db"], words].concat();
        let options = options.map(str::to_owned);
        let binary = support::our_binary();
        strace::run(&options, &binary, &words, &directory.path(), &Input::Nothing).run
    };
    const WAY_OUT: &str = "begin with `PRAGMA locking_mode=exclusive`, or use `PRAGMA \
        journal_mode=delete`";
    on_9p(&["PRAGMA journal_mode=wal"]).exits_with(0).prints("delete\n").complains(WAY_OUT);
    on_9p(&[MAPPED, "SELECT count(*) FROM t"]).exits_with(0).prints("0\n500\n").keeps_quiet();
    on_9p(&["PRAGMA locking_mode=exclusive; PRAGMA journal_mode=wal;"])
        .prints("exclusive\nwal\n")
        .keeps_quiet();
    on_9p(&["SELECT count(*) FROM t"]).exits_with(14).complains(WAY_OUT).complains("(14)");
    on_9p(&["PRAGMA locking_mode=exclusive; SELECT count(*) FROM t; PRAGMA journal_mode=delete;"])
        .exits_with(0)
        .prints("exclusive\n500\ndelete\n")
        .keeps_quiet();
}

/// What is mapped into this process, of the database in `directory`.
fn mapped_here(directory: &Path) -> Vec<String> {
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux tells what is mapped");
    let directory = directory.to_str().expect("the path is UTF-8");
    maps.lines().filter(|line| line.contains(directory)).map(str::to_owned).collect()
}

/// Gives a script, and when that is done looks at what is mapped.
struct Watching<'a> {
    script: io::Cursor<&'a [u8]>,
    directory: std::path::PathBuf,
}

impl Read for Watching<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.script.read(buffer)?;
        if count == 0 {
            assert_eq!(mapped_here(&self.directory).len(), 2, "the wal-index and the database");
        }
        Ok(count)
    }
}

/// Nothing takes it away in order: the program is ended in its middle.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_stays_mapped_when_a_component_has_ended() {
    let directory = filled("ended", "wal");
    let path = directory.path();
    let script = format!("{MAPPED} SELECT count(*) FROM t;\n");
    let shell = Loader::new(None).and_then(|loader| loader.load(&support::own_component()));
    let shell = shell.expect("the component belongs to this program");
    for closed in [false, true] {
        let script = Vec::leak(script.clone().into_bytes());
        let watching = Watching { script: io::Cursor::new(script), directory: path.clone() };
        let output: Box<dyn Write + Send> =
            if closed { Box::new(Closed) } else { Box::new(io::sink()) };
        let mut options = Options::new(Stdio {
            input: Stream::new(Box::new(watching), false),
            output: Stream::new(output, false),
            error: Stream::new(Box::new(io::sink()), false),
        });
        options.grants.add(Grant::open(&path, &path, Access::ReadWrite).expect("it is ours"));
        let database = path.join("test.db").into_os_string().into_string();
        options.arguments = vec!["sqlite3".into(), database.expect("the path is UTF-8").into()];
        let outcome = runner::run(&shell, options).expect("it can be started");
        match outcome {
            Outcome::Exited(0) => assert!(!closed),
            Outcome::BrokenPipe => assert!(closed),
            other => panic!("{other:?}"),
        }
        assert_eq!(mapped_here(&path), Vec::<String>::new());
    }
}
