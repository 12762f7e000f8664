//! `ulimit -v`: where the system gives little address space, everything still
//! works, with code that checks addresses; and what does not fit says why.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::composed::Composed;
use crate::support::{self, Directory, Input, Outcome};

/// Less than one memory of 4 GiB, in KiB.
const LITTLE: u32 = 4_000_000;

/// Room for one memory of 4 GiB and not for two, in KiB.
const ROOM_FOR_ONE: u32 = 6_000_000;

/// Runs the program with at most this many KiB of address space.
fn limited(kib: u32, directory: &Path, args: &[&str]) -> Outcome {
    limited_with_cache(kib, directory, args, None)
}

fn limited_with_cache(kib: u32, directory: &Path, args: &[&str], cache: Option<&Path>) -> Outcome {
    let program = support::our_binary();
    let script = format!(r#"ulimit -v {kib}; exec "$0" "$@""#);
    let words = [&["-c", &script, text(&program)], args].concat();
    let mut command = support::command("/bin/sh".as_ref(), &words, directory);
    if let Some(cache) = cache {
        command.env("XDG_CACHE_HOME", cache);
    }
    support::finish(command, &Input::Nothing)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The component next to the program, which the other form is compiled from.
fn has_portable_shell() {
    support::existing(support::our_binary().with_file_name("cli.wasm"), "`make build` copies it");
}

/// A directory for the run with little address space, and one for the control.
struct Pair {
    little: Directory,
    control: Directory,
}

impl Pair {
    fn fresh(name: &str) -> Self {
        has_portable_shell();
        Self { little: Directory::fresh(name), control: Directory::fresh(name) }
    }

    /// Fails unless both runs end well, in silence, and print the same.
    #[track_caller]
    fn agrees(&self, args: &[&str]) -> Outcome {
        let control = support::ours(&self.control.path(), args).exits_with(0).keeps_quiet();
        let run = limited(LITTLE, &self.little.path(), args).exits_with(0).keeps_quiet();
        run.prints(&control.out())
    }
}

const TABLE: &str = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, amount REAL);
    WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 20000)
    INSERT INTO t SELECT i, printf('%08x', i * 2654435761 % 4294967296), i / 64.0 FROM c;";

#[test]
fn the_shell_works_with_little_address_space() {
    let pair = Pair::fresh("shell");
    let sql = [
        TABLE,
        "SELECT count(*), sum(amount), max(name) FROM t;",
        "SELECT substr(name, 1, 1) AS first, count(*) FROM t GROUP BY first ORDER BY 2, 1;",
        "SELECT count(*) FROM t AS a JOIN t AS b ON b.name = a.name;",
        "UPDATE t SET amount = -amount WHERE id % 3 = 0; SELECT sum(amount) FROM t;",
        "PRAGMA integrity_check; SELECT hex(sha3(name, 256)) FROM t LIMIT 3;",
    ]
    .concat();
    let run = pair.agrees(&["--max-memory", "64M", "test.db", &sql]);
    assert!(run.out().starts_with("20000|"), "{run}");
}

#[test]
fn two_extensions_work_with_little_address_space() {
    let pair = Pair::fresh("extensions");
    let options = ["--max-memory", "64M", "--load", "uuid", "--load", "series"];
    let sql = "SELECT count(*), count(DISTINCT uuid_str(printf('%032x', value)))
            FROM generate_series(1, 3000);
        SELECT uuid_str('00112233445566778899aabbccddeeff');
        SELECT name, starts FROM extension_stats ORDER BY name;";
    let run = pair.agrees(&[&options[..], &[":memory:", sql]].concat());
    assert!(run.out().contains("3000|3000\n00112233-4455-6677-8899-aabbccddeeff\n"), "{run}");
}

/// What the host maps over the memory is inside it.
#[test]
fn files_are_mapped_with_little_address_space() {
    let pair = Pair::fresh("mapped");
    let write = ["PRAGMA journal_mode = wal;", TABLE].concat();
    let checks = "PRAGMA wal_checkpoint; SELECT count(*), sum(amount) FROM t; PRAGMA quick_check;";
    pair.agrees(&["--max-memory", "512M", "test.db", &write, checks]);
    let mapped = "PRAGMA mmap_size = 100000000; SELECT sum(length(name)), sum(amount) FROM t;
        UPDATE t SET name = name || id; SELECT max(name) FROM t;";
    pair.agrees(&["--max-memory", "512M", "test.db", mapped, checks]);
}

#[test]
fn rows_are_sorted_on_disk_with_little_address_space() {
    let pair = Pair::fresh("sort");
    let sql = "PRAGMA cache_size = 10; PRAGMA temp_store = file; CREATE INDEX n ON t(name, amount);
        SELECT count(*), min(place), max(place) FROM
            (SELECT row_number() OVER (ORDER BY name DESC, amount) AS place FROM t);
        VACUUM; PRAGMA integrity_check;";
    pair.agrees(&["--max-memory", "64M", "test.db", TABLE, sql]);
}

#[test]
fn memory_grows_to_the_limit_and_not_beyond() {
    let pair = Pair::fresh("growth");
    pair.agrees(&["--max-memory", "64M", ":memory:", "SELECT length(hex(zeroblob(9000000)))"]);
    for directory in [pair.control.path(), pair.little.path()] {
        let setup = "CREATE TABLE t(a); INSERT INTO t VALUES ('committed')";
        support::ours(&directory, &["test.db", setup]).exits_with(0);
    }
    let args = [
        "--max-memory",
        "64M",
        "test.db",
        "BEGIN; INSERT INTO t VALUES ('not committed'); SELECT length(hex(zeroblob(50000000)))",
    ];
    let control = support::ours(&pair.control.path(), &args);
    let run = limited(LITTLE, &pair.little.path(), &args);
    assert_eq!(run.err(), control.err(), "{run}\n{control}");
    run.exits_with(123).prints("").complains("out of memory").complains("`--max-memory` sets it");
    pair.agrees(&["test.db", "SELECT a FROM t; PRAGMA integrity_check"]);
}

/// Without `--max-memory` the limit is what the system gives.
#[test]
fn what_the_address_space_limits_is_not_blamed_on_an_option() {
    let pair = Pair::fresh("default");
    let large = "SELECT length(hex(zeroblob(150000000)))";
    let args = [":memory:", large];
    support::ours(&pair.control.path(), &args).exits_with(0).prints("300000000\n");
    let run = limited(500_000, &pair.little.path(), &args).exits_with(123).prints("");
    run.complains("out of memory").complains("ulimit -v").complains("address space");
    let small = [":memory:", "SELECT length(hex(zeroblob(10000000)))"];
    limited(500_000, &pair.little.path(), &small).exits_with(0).prints("20000000\n").keeps_quiet();
}

/// An extension's memory is moved when it outgrows what was reserved.
#[test]
fn an_extension_grows_with_little_address_space() {
    let pair = Pair::fresh("extension-growth");
    let sql = "CREATE TABLE t AS SELECT zeroblob(90000000) AS a;
        SELECT hex(crypto_sha256(a)), hex(crypto_md5(a || 'x')) FROM t;
        SELECT hex(crypto_sha256('after'));";
    let run = pair.agrees(&["--load", "crypto", ":memory:", sql]);
    assert_eq!(run.out().lines().count(), 2, "{run}");
    let sql = "SELECT length(crypto_encode(zeroblob(8000000), 'hex'))";
    let args = ["--extension-memory", "20M", "--load", "crypto", ":memory:", sql];
    let control = support::ours(&pair.control.path(), &args);
    let run = limited(LITTLE, &pair.little.path(), &args).exits_with(7);
    assert_eq!(run.err(), control.err(), "{run}\n{control}");
    run.complains("--extension-memory");
}

#[test]
fn a_precompiled_file_that_does_not_fit_names_the_way_out() {
    has_portable_shell();
    let directory = Directory::fresh("precompiled");
    let (compiled, portable) = (support::own_component(), support::portable_component());
    for component in [&compiled, &portable] {
        let run = support::ours(&directory.path(), &[text(component), ":memory:", "SELECT 1"]);
        run.exits_with(0).prints("1\n");
    }
    let run = |component: &Path| {
        limited(LITTLE, &directory.path(), &[text(component), ":memory:", "SELECT 1"])
    };
    run(&portable).exits_with(0).prints("1\n").keeps_quiet();
    let refused = run(&compiled).exits_with(121).prints("");
    assert_eq!(refused.err().lines().count(), 1, "{refused}");
    refused.complains("4 GiB of address space").complains("`.wasm`").complains("ulimit -v");
}

/// The compiled files in a cache, without copies of what was compiled before.
fn compiled(cache: &Path) -> Vec<PathBuf> {
    let directory = cache.join("sqlite-wasm-run/compiled");
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    // The settings of the engine stand behind the content's hash.
    paths
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains('-')))
        .collect()
}

#[test]
fn one_compiled_form_serves_every_limit() {
    has_portable_shell();
    let directory = Directory::fresh("cache");
    let cache = directory.path().join("cache");
    let run = |kib, limit| {
        let args = ["--max-memory", limit, ":memory:", "SELECT 1"];
        limited_with_cache(kib, &directory.path(), &args, Some(&cache))
            .exits_with(0)
            .prints("1\n")
            .keeps_quiet();
    };
    run(10_000_000, "64M");
    assert_eq!(compiled(&cache), Vec::<PathBuf>::new(), "the shell beside the program fits");
    run(LITTLE, "64M");
    assert_eq!(compiled(&cache).len(), 1);
    for (kib, limit) in [(LITTLE, "100M"), (LITTLE, "4G"), (1_000_000, "64M"), (400_000, "32M")] {
        run(kib, limit);
    }
    assert_eq!(compiled(&cache).len(), 1, "{:?}", compiled(&cache));
}

/// A composed program has a memory for each of its parts.
#[test]
fn a_composed_program_works_with_little_address_space() {
    has_portable_shell();
    let composed = Composed::with("composed", &["series", "uuid", "define"]);
    let sql = "SELECT sum(value) FROM generate_series(1, 100);
        SELECT define('twice', '2 * ?1'); SELECT twice(21), length(uuid4());";
    let control = composed.run(&[":memory:", sql]).exits_with(0).keeps_quiet();
    control.prints("5050\n\n42|36\n");
    for kib in [LITTLE, ROOM_FOR_ONE] {
        // To compile it takes more than the limit of memory below leaves.
        let args = ["composed.wasm", ":memory:", "SELECT 1"];
        limited(kib, &composed.directory(), &args).exits_with(0).prints("1\n");
        let args = ["composed.wasm", "--max-memory", "64M", ":memory:", sql];
        let run = limited(kib, &composed.directory(), &args);
        run.exits_with(0).prints("5050\n\n42|36\n").keeps_quiet();
        let args = ["composed.cwasm", ":memory:", "SELECT 1"];
        limited(kib, &composed.directory(), &args).exits_with(121).complains("`.wasm`");
    }
}

/// The message names the cause, and no signal ends the program.
#[test]
fn too_little_address_space_is_reported() {
    has_portable_shell();
    let directory = Directory::fresh("too-little");
    let args = ["--max-memory", "64M", ":memory:", "SELECT 1"];
    limited(400_000, &directory.path(), &args).exits_with(0).prints("1\n").keeps_quiet();
    // The memory needs more than one of these steps, so that it fails first.
    let limits = (5..50).rev().map(|step| step * 8_000);
    let first_failure = limits
        .map(|kib| limited(kib, &directory.path(), &args))
        .find(|run| run.end != support::End::Exited(0))
        .expect("40 MB are not enough");
    first_failure.exits_with(120).prints("").complains("ulimit -v").complains("address space");
}
