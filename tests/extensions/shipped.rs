//! Extensions as a user loads them; what each one computes is in `cli-smokes`.

use std::fs;

use crate::support::{self, Directory, repository};

/// The names of the directories in `extensions`.
pub fn shipped() -> Vec<String> {
    let entries = fs::read_dir(repository().join("extensions")).expect("the directory is there");
    let directories =
        entries.map(|entry| entry.expect("it can be read").path()).filter(|p| p.is_dir());
    directories
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect()
}

#[test]
fn each_extension_has_a_smoke_and_a_line_in_the_readme() {
    let readme =
        fs::read_to_string(repository().join("extensions/README.md")).expect("it is there");
    for name in shipped() {
        let smoke = repository().join(format!("cli-smokes/ext-{name}.sql"));
        assert!(smoke.is_file(), "{} is missing", smoke.display());
        assert!(readme.contains(&format!("`{name}`")), "extensions/README.md: `{name}` is missing");
    }
}

/// Those that need what only the user can choose.
const NEED_A_GRANT: &[&str] = &["ann_read", "csv"];

#[test]
fn each_extension_is_loaded_by_its_name() {
    for name in shipped().into_iter().filter(|name| !NEED_A_GRANT.contains(&&**name)) {
        let directory = Directory::fresh(&format!("load-{name}"));
        let load = format!(".load {name}");
        let run = support::ours(&directory.path(), &[":memory:", &load, "SELECT 1"]);
        assert!(run.out() == "1\n" && run.err() == "", "{run}");
    }
}

#[test]
fn a_directory_is_for_the_person_to_grant() {
    let directory = Directory::fresh("directory");
    fs::create_dir(directory.path().join("data")).expect("the directory is ours");
    fs::write(directory.path().join("data/x.csv"), "1,one\n2,two\n")
        .expect("the directory is ours");
    fs::write(directory.path().join("y.csv"), "secret\n").expect("the directory is ours");
    let refused = support::ours(&directory.path(), &[":memory:", ".load csv", "SELECT 1"]);
    assert!(refused.err().contains("`--grant csv=dir:PATH:ro`"), "{refused}");
    let whole = directory.path().join("data").canonicalize().expect("it is there");
    for name in ["data/x.csv", "./data/x.csv", &format!("{}/x.csv", whole.display())] {
        let create = format!("CREATE VIRTUAL TABLE temp.t USING csv(filename='{name}')");
        let run = support::ours(
            &directory.path(),
            &["--grant", "csv=dir:data:ro", ":memory:", ".load csv", &create, "SELECT c1 FROM t"],
        );
        assert!(run.out() == "one\ntwo\n" && run.err() == "", "{run}");
    }
    for name in ["y.csv", "data/../y.csv", "x.csv"] {
        let create = format!("CREATE VIRTUAL TABLE temp.t USING csv(filename='{name}')");
        let run = support::ours(
            &directory.path(),
            &["--grant", "csv=dir:data:ro", ":memory:", ".load csv", &create],
        );
        assert!(run.err().contains(&format!("cannot open '{name}'")), "{run}");
    }
}

#[test]
fn definitions_come_back_with_their_database_and_belong_to_a_connection() {
    let directory = Directory::fresh("define");
    let define = "SELECT define('plus', ':x + 1')";
    support::ours(&directory.path(), &["a.db", ".load define", define]);
    let script = ".load define\nSELECT plus(1);\n.connection 1\n.open b.db\n.load define\n\
        SELECT define('plus', ':x + 10');\nSELECT plus(1);\n.connection 0\nSELECT plus(1);\n";
    fs::write(directory.path().join("script.sql"), script).expect("the directory is ours");
    let run = support::ours(&directory.path(), &["a.db", ".read script.sql"]);
    assert!(run.out() == "2\n\n11\n2\n" && run.err() == "", "{run}");
    let run = support::ours(&directory.path(), &["b.db", ".load define", "SELECT plus(1)"]);
    assert_eq!(run.out(), "11\n", "{run}");
}

/// A database may be hostile: it must not replace functions or stop a load.
#[test]
fn stored_definitions_that_nobody_could_define_are_left_out() {
    let directory = Directory::fresh("stored");
    let store = "CREATE TABLE sqlean_define(name text primary key, type text, body text); \
        INSERT INTO sqlean_define VALUES('abs', 'scalar', '7'), ('select', 'scalar', '8'), \
        ('fine', 'scalar', '9'), ('loop', 'scalar', 'loop()'), (NULL, 'scalar', NULL), \
        (x'ff00', 'scalar', x'ff'), ('broken', 'scalar', ')');";
    support::ours(&directory.path(), &["a.db", store]);
    let run = support::ours(
        &directory.path(),
        &["a.db", ".load define", "SELECT abs(-1), fine(); SELECT count(*) FROM sqlean_define"],
    );
    assert!(run.out() == "1|9\n7\n" && run.err() == "", "{run}");
    for (call, said) in [("loop()", "would call itself"), ("broken()", "syntax error")] {
        let call = format!("SELECT {call}");
        let run = support::ours(&directory.path(), &["a.db", ".load define", &call]);
        assert!(run.err().contains(said) && run.err().lines().count() == 1, "{run}");
    }
}

#[test]
fn an_unknown_name_says_where_it_was_looked_for() {
    let directory = Directory::fresh("unknown");
    let run =
        support::ours(&directory.path(), &["--extension-dir", "here", ":memory:", ".load nosuch"]);
    assert!(run.err().contains("no extension named \"nosuch\" in /"), "{run}");
    assert!(run.err().contains("/here or /"), "{run}");
    assert!(run.err().contains("--extension-dir"), "{run}");
}

#[test]
fn a_component_of_another_kind_is_no_extension() {
    let directory = Directory::fresh("kind");
    let cli = repository().join("target/wasm32-wasip2/release/cli.wasm");
    fs::copy(&cli, directory.path().join("cli.wasm")).expect("`make build` makes the CLI");
    let run = support::ours(&directory.path(), &[":memory:", ".load ./cli.wasm", "SELECT 1"]);
    assert!(!run.err().is_empty() && run.err().lines().count() == 1, "{run}");
}

#[test]
fn a_text_file_is_no_extension() {
    let directory = Directory::fresh("text");
    fs::write(directory.path().join("text.wasm"), "no component").expect("the directory is ours");
    let run = support::ours(&directory.path(), &[":memory:", ".load ./text.wasm"]);
    assert!(run.err().contains("text.wasm"), "{run}");
}

#[test]
fn an_extension_is_found_by_its_path() {
    let directory = Directory::fresh("path");
    let uuid = repository().join("target/release/extensions/uuid.wasm");
    fs::copy(&uuid, directory.path().join("mine.wasm")).expect("`make build` makes the extensions");
    let run =
        support::ours(&directory.path(), &[":memory:", ".load ./mine", "SELECT length(uuid4())"]);
    assert_eq!(run.out(), "36\n", "{run}");
}

const QUERY: &str = "SELECT length(sha3_query('SELECT 1'))";

#[test]
fn what_nobody_grants_is_refused_with_the_option_that_would() {
    let directory = Directory::fresh("refused");
    let shipped = repository().join("target/release/extensions/sha3query.wasm");
    let mut content = fs::read(&shipped).expect("`make build` makes the extensions");
    // A custom section more makes it another file.
    content.extend([0, 2, 1, b'x']);
    fs::write(directory.path().join("other.wasm"), content).expect("the directory is ours");
    let refused = support::ours(&directory.path(), &[":memory:", ".load ./other", "SELECT 1"]);
    assert!(refused.err().contains("`--grant other=sql:ro`"), "{refused}");
    assert_eq!(refused.err().lines().count(), 1, "{refused}");
    let granted = support::ours(
        &directory.path(),
        &["--grant", "other=sql:ro", "--load", "./other", ":memory:", QUERY],
    );
    assert_eq!(granted.out(), "32\n", "{granted}");
    // SQL chooses paths as it likes, so that no grant is for what they are called.
    let stolen =
        support::ours(&directory.path(), &["--grant", "other=sql:ro", ":memory:", ".load ./other"]);
    assert!(stolen.err().contains("no grant is for a path that SQL has chosen"), "{stolen}");
    fs::write(directory.path().join("grants.toml"), "[other]\ngrants = [\"sql:ro\"]\n")
        .expect("the directory is ours");
    let granted = support::ours(
        &directory.path(),
        &["--grants", "grants.toml", "--load", "./other.wasm", ":memory:", QUERY],
    );
    assert_eq!(granted.out(), "32\n", "{granted}");
}

#[test]
fn grants_that_nobody_understands_are_one_line() {
    let directory = Directory::fresh("misread");
    for (grant, why) in [
        ("uuid", "a grant is written `NAME=sql,dir:PATH:ro,env:VARIABLE`"),
        ("uuid=net", "`net` is nothing to grant; use `sql`"),
    ] {
        let run = support::ours(&directory.path(), &["--grant", grant, ":memory:"]).exits_with(2);
        run.complains(&format!("error: invalid value '{grant}' for '--grant <NAME=WORDS>': {why}"));
    }
    for (text, why) in [
        ("[sha3]\n\ngrant = ['sql']\n", "line 3: unknown field `grant`, expected `grants`\n"),
        ("[sha3\n", "line 1: unclosed table, expected `]`\n"),
    ] {
        fs::write(directory.path().join("grants.toml"), text).expect("the directory is ours");
        let run = support::ours(&directory.path(), &["--grants", "grants.toml", ":memory:"]);
        let why = format!("error: failed to read the grants in `grants.toml`: {why}");
        assert_eq!(run.exits_with(120).err(), why);
    }
}

#[test]
fn a_grants_file_next_to_an_extension_is_not_believed() {
    let directory = Directory::fresh("beside");
    let extensions = repository().join("target/release/extensions");
    let mut content =
        fs::read(extensions.join("sha3query.wasm")).expect("`make build` makes the extensions");
    content.extend([0, 2, 1, b'x']);
    fs::write(directory.path().join("sha3query.wasm"), content).expect("the directory is ours");
    fs::write(directory.path().join("grants.toml"), "[sha3query]\ngrants = [\"sql\"]\n")
        .expect("the directory is ours");
    let run = support::ours(&directory.path(), &[":memory:", ".load ./sha3query", "SELECT 1"]);
    assert!(run.err().contains("`--grant sha3query=sql:ro`"), "{run}");
}

#[test]
fn grants_that_cannot_be_understood_end_the_program() {
    let directory = Directory::fresh("mistaken");
    for (grant, said) in [
        ("sha3", "NAME="),
        ("sha3=net", "`net`"),
        ("sha3=dir:/no/such/directory", "/no/such/directory"),
        ("sha3=env:NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE"),
    ] {
        let run = support::ours(&directory.path(), &["--grant", grant, ":memory:", "SELECT 1"]);
        assert!(run.err().contains(said) && run.out() == "", "{run}");
    }
}

/// What SQL of an extension may do, seen through `sha3_query`.
#[test]
fn reading_sql_cannot_write_or_reach_files() {
    let directory = Directory::fresh("reading");
    fs::write(directory.path().join("secret.txt"), "secret").expect("the directory is ours");
    for sql in [
        "DELETE FROM t",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "PRAGMA user_version = 1",
        "ATTACH ''b.db'' AS b",
        "BEGIN",
        "/* SELECT */ CREATE TABLE u(a)",
    ] {
        let query = format!("SELECT sha3_query('{sql}')");
        let run = support::ours(
            &directory.path(),
            &["a.db", ".load sha3query", "CREATE TABLE IF NOT EXISTS t(a)", &query],
        );
        assert!(run.err().contains("non-query"), "{sql}: {run}");
    }
    // A file that cannot be read is NULL, as natively; the JSON function fails
    // when it is not.
    let read = "SELECT json(readfile(''secret.txt''))";
    let query = format!("SELECT length(sha3_query('{read}'))");
    let run = support::ours(&directory.path(), &["a.db", &read.replace("''", "'")]);
    assert!(run.err().contains("malformed JSON"), "the shell itself reads it: {run}");
    let run = support::ours(&directory.path(), &["a.db", ".load sha3query", &query]);
    assert!(run.out() == "32\n" && run.err() == "", "{run}");
    let write = "SELECT sha3_query('SELECT writefile(''made.txt'', 1)')";
    support::ours(&directory.path(), &["a.db", ".load sha3query", write]);
    assert!(!directory.path().join("made.txt").exists());
}

#[test]
fn an_extension_cannot_be_called_from_its_own_sql() {
    let directory = Directory::fresh("itself");
    let run = support::ours(
        &directory.path(),
        &[":memory:", ".load sha3query", "SELECT sha3_query('SELECT sha3_query(1)')"],
    );
    assert!(run.err().contains("`sha3query` waits for the SQL"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn another_extension_can_be_called_from_its_sql() {
    let directory = Directory::fresh("another");
    let query = "SELECT length(sha3_query('SELECT sha3_256(1), sha3_agg(1)'))";
    let load = [":memory:", ".load sha3", ".load sha3query", query];
    let run = support::ours(&directory.path(), &load);
    assert_eq!(run.out(), "32\n", "{run}");
}

#[test]
fn sql_of_an_extension_sees_the_callers_transaction() {
    let directory = Directory::fresh("transaction");
    let hash = |table: &str| format!("SELECT hex(sha3_query('SELECT a FROM {table}'));");
    let script = format!(
        "CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (1); {} ROLLBACK; {}",
        hash("t"),
        hash("t")
    );
    let run = support::ours(&directory.path(), &["a.db", ".load sha3query", &script]);
    let out = run.out();
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() == 2 && lines[0] != lines[1], "{run}");
}

#[test]
fn what_an_extension_did_is_counted() {
    let directory = Directory::fresh("counted");
    let run = support::ours(
        &directory.path(),
        &[
            ":memory:",
            ".load uuid",
            ".load series",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10) \
             SELECT count(uuid4()) FROM n",
            "SELECT sum(value) FROM generate_series(1, 10)",
            "SELECT name, calls >= 10, batches, sql_requests, time_ms < 1000, \
             peak_memory_bytes BETWEEN 65536 AND 2000000, starts FROM extension_stats ORDER BY name",
        ],
    );
    // Ten values arrive in two batches: 4, then the other six.
    assert_eq!(run.out(), "10\n55\nseries|0|2|0|1|1|1\nuuid|1|0|0|1|1|1\n", "{run}");
}

#[test]
fn sha3_gives_what_the_shells_own_gives_for_every_class() {
    let values = "(NULL), (0), (-9223372036854775808), (0.1), (-1e300), (9e999), (''), ('größe'),
        ('a' || char(0) || 'b'), (CAST(x'ff' AS TEXT)), (x''), (x'00ff'), (zeroblob(1000))";
    let sizes = ["", ", 224", ", 256", ", 384", ", 512"];
    let hashes = sizes.map(|size| {
        format!("SELECT quote(sha3(a{size})), quote(sha3_agg(a{size})) FROM t GROUP BY rowid;\n")
    });
    let script = format!("CREATE TABLE t(a); INSERT INTO t VALUES {values};\n{}", hashes.concat());
    let directory = Directory::fresh("same");
    let own = support::ours(&directory.path(), &[":memory:", &script]).exits_with(0);
    let ours =
        support::ours(&directory.path(), &["--load", "sha3", ":memory:", &script]).exits_with(0);
    assert_eq!(own.out(), ours.out());
    assert_eq!(own.out().lines().count(), 13 * 5, "{own}");
}
