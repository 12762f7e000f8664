//! `compose`: extensions in the CLI, as a user makes and runs it. Nothing but
//! our program is there: no `PATH`, no compiler.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use crate::support::composed::{Composed, shipped};
use crate::support::guest::guest;
use crate::support::{self, Directory, Outcome};

/// One with an extension inside, one with SQL, and tables.
fn usual() -> &'static Composed {
    static USUAL: OnceLock<Composed> = OnceLock::new();
    USUAL.get_or_init(|| Composed::with("usual", &["sha3query", "sha3", "series", "uuid"]))
}

/// Run `compose` in an empty directory.
fn compose(args: &[&str]) -> (Directory, Outcome) {
    let directory = Directory::fresh("compose");
    let cli = support::portable_component();
    let cli = ["compose", "--cli", cli.to_str().expect("a path in UTF-8")];
    let outcome = support::ours(&directory.path(), &[&cli, args].concat());
    (directory, outcome)
}

/// Fails unless `compose` says this in one line and leaves no file behind.
#[track_caller]
fn refuses(args: &[&str], why: &str) {
    let (directory, outcome) = compose(args);
    let outcome = outcome.exits_with(121).complains(why);
    assert_eq!(outcome.err().lines().count(), 1, "{outcome}");
    let left = fs::read_dir(directory.path()).expect("it is there").count();
    assert_eq!(left, 0, "{outcome}");
}

#[test]
fn embedded_functions_are_there_and_are_the_extensions_own() {
    let hash = "3A985DA74FE225B2045C172D6BD390BD855F086E3E9D525B46BFE24511431532\n";
    usual().run(&[":memory:", "SELECT hex(sha3_256('abc'))"]).prints(hash).keeps_quiet();
    // The shell's own `sha3` says "SHA3 size should be one of".
    usual().run(&[":memory:", "SELECT sha3('abc', 100)"]).complains("sha3: ");
}

#[test]
fn they_are_there_before_the_first_statement() {
    let directory = usual().directory();
    fs::write(directory.join("start.sql"), "SELECT length(sha3_224('x'));\n").expect("it is ours");
    usual().run(&["-init", "start.sql", ":memory:", "SELECT 1"]).prints("28\n1\n");
    let both = [
        "-cmd",
        "SELECT length(uuid4())",
        ":memory:",
        "SELECT count(*) FROM generate_series(1, 9)",
    ];
    usual().run(&both).prints("36\n9\n").keeps_quiet();
}

#[test]
fn each_connection_has_them() {
    let script = "SELECT length(uuid4());\n.connection 1\nSELECT length(uuid4());\n.open other.db\nSELECT length(uuid4());\n";
    usual().run_script(&[":memory:"], script).prints("36\n36\n36\n").keeps_quiet();
}

#[test]
fn sql_of_a_bundled_extension_runs_on_the_connection() {
    let grant = ["--grant", "sha3query=sql:ro", ":memory:"];
    let script = "CREATE TABLE t(a); INSERT INTO t VALUES(1);\n\
                  SELECT length(sha3_query('SELECT a FROM t'));\n";
    usual().run_script(&grant, script).prints("32\n").keeps_quiet();
}

#[test]
fn what_uses_sql_has_an_instance_for_each_connection() {
    let querying = guest("querying");
    let composed = Composed::with("instances", &[querying.to_str().expect("UTF-8"), "uuid"]);
    let script = "SELECT sql00_count(); SELECT sql00_count();
.connection 1
.open other.db
SELECT sql00_count(), sql00_connects(), length(uuid4());
SELECT sql00_break();
SELECT sql00_count(), sql00_connects();
.connection 0
SELECT sql00_count(), sql00_connects(), length(uuid4());\n";
    // Its name is what its manifest says, whatever the file was called.
    let run = composed.run_script(&["--grant", "sql00=sql", "test.db"], script);
    assert_eq!(run.out(), "1\n2\n1|1|36\n1|1\n3|1|36\n", "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn what_connects_is_connected_when_the_database_is_opened() {
    let composed = Composed::with("connects", &["define", "sha3query"]);
    let state = "SELECT name, starts > 0, calls FROM extension_stats ORDER BY name;\n";
    // To connect is a call too; `sha3query` never connects, and is started by its first call.
    let script = format!(
        "{state}SELECT define('twice', ':n * 2');\nSELECT length(sha3_query('SELECT 1'));\n{state}"
    );
    let run = composed.run_script(&["connects.db"], &script);
    run.prints("define|1|1\nsha3query|0|0\n\n32\ndefine|1|2\nsha3query|1|1\n").keeps_quiet();
    let run = composed.run_script(&["connects.db"], "SELECT twice(4);\n");
    run.prints("8\n").keeps_quiet();
}

#[test]
fn what_needs_a_grant_is_left_out_without_it() {
    let directory = Directory::fresh("no-grants");
    // Away from the file that grants what is shipped.
    let program = directory.path().join("runner");
    support::copy_runner(&program);
    let file = usual().compiled();
    let args = [file.to_str().expect("UTF-8"), ":memory:", "SELECT length(uuid4())"];
    let run = support::run(&program, &args, &directory.path(), &support::Input::Nothing);
    let run = run.prints("36\n").complains("`sha3query`");
    assert!(run.err().contains("--grant sha3query=sql"), "{run}");
}

#[test]
fn loading_what_is_embedded_says_so() {
    let complaint = concat!("`uuid` ", env!("CARGO_PKG_VERSION"), " is embedded in this program");
    usual().run(&[":memory:", ".load uuid"]).complains(complaint);
    let path = shipped("uuid");
    fs::copy(path, usual().directory().join("mine.wasm")).expect("it is ours");
    usual().run(&[":memory:", ".load ./mine"]).complains("is embedded in this program");
}

#[test]
fn others_are_loaded_as_ever() {
    let load = ["--load", "text", ":memory:", "SELECT text_reverse('abc'), length(uuid4())"];
    usual().run(&load).prints("cba|36\n").keeps_quiet();
}

#[test]
fn composing_stacks() {
    let twice = Composed::with("twice", &["uuid", "sha3", "sha3query"]).again(&["series", "text"]);
    let sql = "SELECT length(uuid4()), text_reverse('ab'), length(sha3('a')), sum(value) \
               FROM generate_series(1, 10)";
    twice.run(&[":memory:", sql]).prints("36|ba|32|55\n").keeps_quiet();
    let load = ["--load", "fuzzy", ":memory:", "SELECT fuzzy_leven('a', 'b'), length(uuid4())"];
    twice.run(&load).prints("1|36\n").keeps_quiet();
    let query =
        ["--grant", "sha3query=sql:ro", ":memory:", "SELECT length(sha3_query('SELECT 1'))"];
    twice.run(&query).prints("32\n").keeps_quiet();
}

#[test]
fn the_portable_form_runs_too() {
    let file = usual().portable();
    let args = [file.to_str().expect("UTF-8"), ":memory:", "SELECT length(sha3('a'))"];
    support::ours(&usual().directory(), &args).prints("32\n").keeps_quiet();
    let uncached = [&["--no-cache"][..], &args].concat();
    support::ours(&usual().directory(), &uncached).prints("32\n").keeps_quiet();
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let composed = || {
        let (directory, outcome) = compose(&["--embed", "sha3,uuid,stats"]);
        outcome.exits_with(0);
        fs::read(directory.path().join("composed.wasm")).expect("it was made")
    };
    assert!(composed() == composed());
}

#[test]
fn thirty_extensions_fit_in_one() {
    let directory = Directory::fresh("thirty");
    let original = fs::read(shipped("uuid")).expect("it is there");
    let paths: Vec<String> = (0..30)
        .map(|number| {
            let path = directory.path().join(format!("e{number}.wasm"));
            fs::write(&path, renamed(&original, &format!("n{number:03}"))).expect("it is ours");
            path.to_str().expect("UTF-8").to_owned()
        })
        .collect();
    let names: Vec<&str> = paths.iter().map(String::as_str).collect();
    let composed = Composed::with("thirty-in-one", &names);
    let sql = "SELECT length(n0004()), length(n0174()), length(n0294())";
    composed.run(&[":memory:", sql]).prints("36|36|36\n").keeps_quiet();
}

/// The extension `uuid` by another name of four letters, as are its functions.
fn renamed(uuid: &[u8], name: &str) -> Vec<u8> {
    let renamed = replaced(uuid, b"uuid", name.as_bytes());
    // The compiler writes four letters as one integer.
    let number = |name: &str| {
        let bytes = name.as_bytes().try_into().expect("four letters");
        signed_leb128(i32::from_le_bytes(bytes))
    };
    replaced(&renamed, &number("uuid"), &number(name))
}

/// A positive integer as code encodes it.
fn signed_leb128(mut number: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x3f {
        bytes.push(number as u8 & 0x7f | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[test]
fn a_name_that_is_there_twice_is_the_newer_one_and_warned_of() {
    let directory = Directory::fresh("twins");
    let conformance = guest("conformance");
    let bytes = fs::read(&conformance).expect("it is there");
    let other = directory.path().join("other.wasm");
    fs::write(&other, replaced(&bytes, b"conformance", b"konformance")).expect("it is ours");
    let embed = format!("{},{}", conformance.display(), other.display());
    let (kept, outcome) = compose(&["--embed", &embed]);
    let outcome = outcome.exits_with(0);
    let warning = "warning: `conf_echo/1` of `konformance` replaces that of `conformance`";
    assert!(outcome.err().lines().any(|line| line == warning), "{outcome}");
    // A trap shows which of them replies.
    let trap = ["composed.wasm", ":memory:", "SELECT conf_blob(9000000000000)"];
    support::ours(&kept.path(), &trap).complains("extension `konformance` trapped");
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = bytes.to_vec();
    for place in 0..=replaced.len() - from.len() {
        if replaced[place..].starts_with(from) {
            replaced[place..place + to.len()].copy_from_slice(to);
        }
    }
    replaced
}

#[test]
fn an_extension_inside_has_no_part_of_the_shells_sandbox() {
    // What it imports of WASI is not what the CLI imports.
    let wasm = fs::read(usual().portable()).expect("it is there");
    let text = String::from_utf8_lossy(&wasm);
    assert!(text.contains("extension-wasi:cli/environment@"));
    assert!(text.contains("extension-wasi:cli/stdout@"));
}

#[test]
fn an_extension_that_breaks_down_inside_ends_the_program_and_keeps_the_database() {
    let composed = Composed::with("trap", &[guest("conformance").to_str().expect("UTF-8")]);
    composed.run(&["t.db", "CREATE TABLE t(a); INSERT INTO t VALUES(1)"]).exits_with(0);
    let script = "BEGIN; INSERT INTO t VALUES(2);\nSELECT conf_blob(9000000000000);\nCOMMIT;\n";
    let run = composed.run_script(&["t.db"], script).exits_with(122);
    assert!(run.err().contains("the embedded extension `conformance` trapped"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    let check = ["t.db", "PRAGMA integrity_check; SELECT group_concat(a) FROM t"];
    composed.run(&check).prints("ok\n1\n").keeps_quiet();
}

#[test]
fn random_values_come_back_as_at_run_time() {
    let conformance = guest("conformance");
    let composed = Composed::with("random", &[conformance.to_str().expect("UTF-8")]);
    let script = random_values(0x5eed, 2000);
    let inside = composed.run_script(&[":memory:"], &script).exits_with(0);
    let directory = conformance.parent().expect("a directory").to_str().expect("UTF-8").to_owned();
    let args = ["--extension-dir", &directory, "--load", "conformance", ":memory:"];
    let input = support::Input::Bytes(script.as_bytes());
    let at_run_time =
        support::run(&support::our_binary(), &args, &composed.directory(), &input).exits_with(0);
    assert!(inside.stdout == at_run_time.stdout, "{inside}\n{at_run_time}");
    // Each line ends with whether the value came back as it was.
    let lines: Vec<_> = inside.out().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2000, "{inside}");
    let changed: Vec<_> = lines.iter().filter(|line| !line.ends_with("|1")).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

/// SELECTs of `count` values of all classes, by a linear congruential generator
/// (the constants of Knuth's MMIX).
fn random_values(seed: u64, count: usize) -> String {
    let mut state = seed;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut script = String::new();
    for _ in 0..count {
        let length = next() % 70 * (next() % 4);
        let bytes: String = (0..length).map(|_| format!("{:02x}", next() as u8)).collect();
        let value = match next() % 5 {
            0 => "NULL".to_owned(),
            1 => format!("{}", (next() << 33 | next()) as i64 - (next() << 32) as i64),
            2 => format!("{:e}", f64::from_bits(next() << 33 | next() << 2).clamp(-1e300, 1e300)),
            3 => format!("CAST(x'{bytes}' AS TEXT)"),
            _ => format!("x'{bytes}'"),
        };
        script += &format!(
            "SELECT conf_class(v), conf_digest(v), hex(conf_join(v, 1, v)), conf_echo(v) IS v \
             AND typeof(conf_echo(v)) = typeof(v) FROM (SELECT {value} AS v);\n"
        );
    }
    script
}

#[test]
fn what_is_wrong_is_said_in_one_line_and_leaves_nothing_behind() {
    refuses(&["--embed", "sha"], "no extension named \"sha\" in ");
    refuses(&["--embed", "sha"], "; did you mean \"sha3\"?");
    refuses(
        &["--embed", "./nosuch.wasm"],
        "failed to load `./nosuch.wasm`: failed to open it: No such file",
    );
    refuses(&["--embed", "uuid,uuid"], "`uuid` is embedded already");
    let cli = support::portable_component();
    refuses(&["--embed", cli.to_str().expect("UTF-8")], "it is a program and not an extension");
    let text = support::repository().join("Cargo.toml");
    let directory = Directory::fresh("text");
    fs::copy(text, directory.path().join("text.wasm")).expect("it is ours");
    let text = directory.path().join("text.wasm");
    refuses(&["--embed", text.to_str().expect("UTF-8")], "it is not a WebAssembly component");
    let compiled = usual().compiled();
    let compiled = compiled.to_str().expect("UTF-8");
    refuses(&["--embed", compiled], "name the `.wasm` that it was made from");
}

#[test]
fn another_version_of_the_contract_is_named() {
    let directory = Directory::fresh("version");
    let uuid = fs::read(shipped("uuid")).expect("it is there");
    let path = directory.path().join("later.wasm");
    let (old, new) =
        (b"sqlite-wasm:extension/extension@0.1.0", b"sqlite-wasm:extension/extension@0.2.0");
    fs::write(&path, replaced(&uuid, old, new)).expect("it is ours");
    let path = path.to_str().expect("UTF-8");
    refuses(&["--embed", path], "it was made for version 0.2.0 of the contract");
}

#[test]
fn only_a_cli_takes_extensions() {
    let directory = Directory::fresh("no-cli");
    let uuid = shipped("uuid");
    let args = ["compose", "--embed", "series", "--cli", uuid.to_str().expect("UTF-8")];
    let run = support::ours(&directory.path(), &args).exits_with(121);
    let run = run.complains("uuid.wasm`: it is neither a command-line component nor a database");
    assert!(run.err().starts_with("error: failed to use the CLI `"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn a_result_that_nobody_could_run_or_write_is_refused() {
    for (output, code, why) in [
        ("out", 2, "the result must be named `NAME.wasm`"),
        ("out.cwasm", 2, "the result must be named `NAME.wasm`"),
        (
            "none/out.wasm",
            120,
            "error: failed to write `none/out.wasm`: the directory `none` does not exist\n",
        ),
        ("directory.wasm", 120, "error: `directory.wasm` is a directory; name a file\n"),
    ] {
        let directory = Directory::fresh("output");
        fs::create_dir(directory.path().join("directory.wasm")).expect("it is ours");
        let cli = support::portable_component();
        let cli = cli.to_str().expect("UTF-8");
        let args = ["compose", "--cli", cli, "--embed", "uuid", "--force", "-o", output];
        support::ours(&directory.path(), &args).exits_with(code).complains(why);
        assert_eq!(fs::read_dir(directory.path()).expect("it is there").count(), 1, "{output}");
    }
}

#[test]
fn a_result_that_exists_is_replaced_only_by_force() {
    let (directory, outcome) = compose(&["--embed", "uuid"]);
    outcome.exits_with(0);
    let cli = support::portable_component();
    let args = ["compose", "--embed", "series", "--cli", cli.to_str().expect("UTF-8")];
    support::ours(&directory.path(), &args).complains("`composed.wasm` exists already; `--force`");
    let force = [&args[..], &["--force"]].concat();
    support::ours(&directory.path(), &force).exits_with(0);
}

#[test]
fn known_extensions_are_listed() {
    let run = support::ours(Path::new("."), &["compose", "--list"]).exits_with(0);
    assert!(run.out().lines().any(|line| line.starts_with("sha3 ")), "{run}");
    let json = support::ours(Path::new("."), &["compose", "--list", "--json"]).exits_with(0);
    assert!(json.out().contains("\"name\": \"sha3\""), "{json}");
}
