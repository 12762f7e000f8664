//! Extensions that are scripts in JavaScript: built by `extension build`, without any other tool, and
//! used like all others. Values are compared with what SQL itself says of them.

use std::fs;
use std::path::Path;

use crate::support::{self, Directory, Outcome};

/// One of everything that a script can register.
const EVERYTHING: &str = r#"
let calls = 0;
export default extension({
  name: "mine",
  version: "1.2.3",
  description: "one of everything",
  functions: {
    same: (value) => value,
    shout: (text) => text.toUpperCase() + "!",
    kind: (value) => value === null ? "null" : value instanceof Uint8Array ? "bytes" : typeof value,
    sum_of: { arguments: "any", deterministic: true, call: (...values) => values.reduce((a, b) => a + b, 0) },
    calls: () => ++calls,
    bytes: (text) => new TextEncoder().encode(text),
    text: (bytes) => new TextDecoder().decode(bytes),
    thrower: (what) => { throw what === "code" ? Object.assign(new Error("full"), { code: 13 }) : what; },
    fails: () => null.x,
    odd: (what) => ({ promise: Promise.resolve(1), object: {}, big: 2n ** 63n, nothing: undefined, yes: true })[what],
  },
  aggregates: {
    longest: { start: () => "", step: (best, text) => text.length > best.length ? text : best },
    collect: {
      start: () => [],
      step: (all, value) => { all.push(value); },
      inverse: (all) => { all.shift(); },
      finish: (all) => all.join(","),
    },
  },
  collations: { by_length: (a, b) => a.length - b.length },
  tables: {
    squares: {
      columns: ["n INTEGER", "square INTEGER"],
      parameters: ["stop", "start"],
      *rows(stop = 5, start = 1) { for (let n = start ?? 1; n <= stop; n++) yield { n, square: n * n }; },
    },
    broken: { columns: ["a"], *rows() { yield [1]; throw new Error("no second row"); } },
  },
  tokenizers: {
    *letters(text) {
      for (const m of text.matchAll(/[\p{L}\uFFFD]+/gu)) yield [m[0].toLowerCase(), m.index, m.index + m[0].length];
    },
    odd: {
      call: (text, { purpose, locale, words: [what] }) => ({
        outside: [["a", 0, text.length + 1]], backwards: [["a", 1, 1], ["a", 0, 1]], number: [1], fraction: [["a", 0.5, 1]],
        negative: [["a", -1, 1]], nothing: undefined, about: [[`${purpose} ${locale}`, 0, text.length], ["twin", 0, 1, true]],
      })[what],
      check: (words) => { if (words.length !== 1) throw new Error("one word"); },
    },
  },
});
"#;

/// A directory with the extension `mine`, built from this script.
fn built(name: &str, script: &str) -> Directory {
    let directory = Directory::fresh(name);
    fs::write(directory.path().join("mine.js"), script).expect("the directory is ours");
    build(&directory.path(), &[]).exits_with(0).keeps_quiet();
    directory
}

fn build(directory: &Path, options: &[&str]) -> Outcome {
    support::ours(directory, &[&["extension", "build", "mine.js"], options].concat())
}

fn load(directory: &Directory, options: &[&str], sql: &str) -> Outcome {
    let load = ["--load", "./mine.wasm", ":memory:", sql];
    support::ours(&directory.path(), &[options, &load].concat())
}

/// Fails unless SQL prints these lines.
#[track_caller]
fn answers(directory: &Directory, sql: &str, lines: &str) {
    load(directory, &[], sql).prints(&format!("{lines}\n")).exits_with(0).keeps_quiet();
}

#[test]
fn a_script_registers_functions_aggregates_collations_and_tables() {
    let mine = built("everything", EVERYTHING);
    answers(
        &mine,
        "SELECT shout('ah'), sum_of(1, 2, 3.5), sum_of(), text(bytes('Käse 🧀'))",
        "AH!|6.5|0|Käse 🧀",
    );
    answers(&mine, "SELECT longest(column1) FROM (VALUES('a'), ('ccc'), ('bb'))", "ccc");
    answers(
        &mine,
        "WITH t(x) AS (VALUES(1), (2), (3), (4))
         SELECT group_concat(w, ' ') FROM (SELECT collect(x) OVER (ORDER BY x ROWS 1 PRECEDING) AS w FROM t)",
        "1 1,2 2,3 3,4",
    );
    answers(
        &mine,
        "WITH t(x) AS (VALUES('ccc'), ('a'), ('bb')) SELECT group_concat(x) FROM (SELECT x FROM t ORDER BY x COLLATE by_length)",
        "a,bb,ccc",
    );
    answers(
        &mine,
        "SELECT sum(square), max(n), count(*) FROM squares(1000)",
        "333833500|1000|1000",
    );
    answers(&mine, "SELECT group_concat(n), max(stop), max(start) FROM squares(6, 4)", "4,5,6|6|4");
    answers(&mine, "SELECT group_concat(square) FROM squares", "1,4,9,16,25");
    answers(&mine, "SELECT count(*) FROM squares(3) a, squares(a.n) b", "6");
    answers(&mine, "SELECT n FROM squares(1000000000) LIMIT 2", "1\n2");
}

#[test]
fn values_of_each_class_come_back_as_they_were() {
    let mine = built("values", EVERYTHING);
    answers(
        &mine,
        "CREATE TABLE v(x);
         INSERT INTO v VALUES (NULL), (0), (-1), (9007199254740991), (9007199254740992), (-9007199254740993),
             (9223372036854775807), (-9223372036854775808), (0.5), (-1e300), (5e-324), (9e999), (''), ('é'),
             (char(0, 97)), (printf('%.*c', 100000, 'x')), (x''), (x'00ff00'), (zeroblob(100000));
         SELECT count(*), sum(same(x) IS x AND typeof(same(x)) = typeof(x)) FROM v;
         SELECT group_concat(DISTINCT kind(x)) FROM v;",
        "19|19\nnull,number,bigint,string,bytes",
    );
    // JavaScript has one numeric type, and no text that is not Unicode.
    answers(
        &mine,
        "SELECT typeof(same(2.0)), hex(same(CAST(x'61ff' AS TEXT)))",
        "integer|61EFBFBD",
    );
    answers(&mine, "SELECT odd('nothing') IS NULL, odd('yes')", "1|1");
}

#[test]
fn exceptions_are_errors_that_name_the_function_and_the_line() {
    let mine = built("exceptions", EVERYTHING);
    for (sql, message) in [
        ("SELECT fails()", "fails: TypeError: cannot read property 'x' of null (line 16)"),
        ("SELECT thrower('plain')", "thrower: plain"),
        ("SELECT thrower('code')", "thrower: full (line 15)"),
        ("SELECT odd('promise')", "odd: TypeError: SQL has no value for a promise"),
        ("SELECT odd('object')", "odd: TypeError: SQL has no value for"),
        ("SELECT odd('big')", "9223372036854775808"),
        ("SELECT a FROM broken", "broken: no second row (line 35)"),
        ("SELECT shout(NULL)", "shout: TypeError"),
    ] {
        load(&mine, &[], sql).complains(message);
    }
    // The instance, with its state, goes on.
    let both = "SELECT calls();\nSELECT fails();\nSELECT calls();\n";
    let directory = mine.path();
    let input = support::Input::Bytes(both.as_bytes());
    let arguments = ["--load", "./mine.wasm", ":memory:"];
    support::run(&support::our_binary(), &arguments, &directory, &input).prints("1\n2\n");
}

#[test]
fn sql_needs_its_grant_and_runs_on_the_connection_of_the_caller() {
    let mine = built(
        "sql",
        r#"export default extension({
             name: "mine",
             needs: ["sql"],
             functions: {
               total: (customer) => sql`SELECT sum(price) AS total FROM orders WHERE customer = ${customer}`[0].total,
               store: (customer, price) => { sql`INSERT INTO orders VALUES (${customer}, ${price})`; },
               first: (count) => { const all = []; for (const { price } of sql.each`SELECT price FROM orders ORDER BY 1`) { if (all.push(price) == count) break; } return all.join(); },
               wrong: () => sql`SELECT * FROM nowhere`,
             },
           });"#,
    );
    let sql = "CREATE TABLE orders(customer, price);
               WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
               INSERT INTO orders SELECT i % 2, i FROM n;
               BEGIN; SELECT store(7, 5), store(7, 6); SELECT total(7), total(1); ROLLBACK;
               SELECT total(7) IS NULL, first(3), first(2000) = first(2000);";
    load(&mine, &["--grant", "mine=sql"], sql).prints("|\n11|2250000\n1|1,2,3|1\n").exits_with(0);
    let wrong = load(&mine, &["--grant", "mine=sql"], "SELECT wrong()");
    wrong.complains("wrong: no such table: nowhere (line 8)");
    load(&mine, &[], "SELECT 1").exits_with(121).complains("--grant mine=sql");
    // Granted to read, it cannot write.
    let read_only = built(
        "sql-ro",
        r#"export default extension({ name: "mine", needs: ["sql:ro"],
             functions: { run: () => { sql`CREATE TABLE t(a)`; } } });"#,
    );
    load(&read_only, &["--grant", "mine=sql:ro"], "SELECT run()").complains("run: ");
    // A script that does not say that it needs SQL has none.
    let silent = built(
        "sql-none",
        "export default extension({ name: 'mine', functions: { run: () => sql`SELECT 1` } })",
    );
    load(&silent, &["--grant", "mine=sql"], "SELECT run()").complains("run: ");
}

#[test]
fn a_built_file_is_small_and_says_what_it_has() {
    let mine = built("inspect", EVERYTHING);
    let file = fs::metadata(mine.path().join("mine.wasm")).expect("it was built");
    assert!(file.len() < 8000, "{}", file.len());
    let shown = support::ours(&mine.path(), &["extension", "inspect", "./mine.wasm"]).exits_with(0);
    for line in [
        "name         mine 1.2.3",
        "description  one of everything",
        "engine       quickjs 1",
        "manifest     recorded in the file",
        "window       collect(1)",
        "collation    by_length",
        "tokenizer    letters(…)",
    ] {
        assert!(shown.out().contains(line), "{shown}");
    }
    let described = ["extension", "inspect", "--describe", "./mine.wasm"];
    support::ours(&mine.path(), &described).exits_with(0).keeps_quiet();
}

#[test]
fn a_script_runs_wherever_an_extension_does() {
    let mine = built("everywhere", EVERYTHING);
    let directory = mine.path();
    let sql = "SELECT shout('ah'), (SELECT sum(n) FROM squares(3))";
    support::ours(&directory, &[":memory:", ".load ./mine", sql]).prints("AH!|6\n").keeps_quiet();
    // Tools for components read it too: `wkg oci push` does no more.
    let file = fs::read(directory.join("mine.wasm")).expect("it was built");
    wit_component::decode(&file).expect("it is a component");
    let compose = ["compose", "--embed", "./mine.wasm", "-o", "composed.wasm"];
    let composed = support::ours(&directory, &compose).exits_with(0);
    composed.prints("mine 1.2.3: bundled (a script)\n");
    support::ours(&directory, &["./composed.wasm", ":memory:", sql])
        .prints("AH!|6\n")
        .keeps_quiet();
    build(&directory, &["--standalone", "-o", "alone.wasm"]).exits_with(0).keeps_quiet();
    let alone = ["--load", "./alone.wasm", ":memory:", sql];
    support::ours(&directory, &alone).prints("AH!|6\n").keeps_quiet();
}

#[test]
fn two_scripts_share_nothing_but_the_engine() {
    let directory = Directory::fresh("two");
    for (name, secret) in [("one", 1), ("two", 2)] {
        let script = format!(
            "globalThis.secret ??= {secret};
             export default extension({{ name: '{name}', functions: {{ {name}: () => secret }} }})"
        );
        let path = directory.path().join(format!("{name}.js"));
        fs::write(&path, script).expect("the directory is ours");
        let path = path.display().to_string();
        support::ours(&directory.path(), &["extension", "build", &path]).exits_with(0);
    }
    let both = ["--load", "./one.wasm", "--load", "./two.wasm", ":memory:", "SELECT one(), two()"];
    support::ours(&directory.path(), &both).prints("1|2\n").keeps_quiet();
}

/// The commands that `extension new` prints.
#[test]
fn each_kind_of_new_script_builds_and_passes_its_test() {
    for kind in ["scalar", "aggregate", "collation", "table"] {
        let directory = Directory::fresh(&format!("new-{kind}"));
        let path = directory.path();
        let new = ["extension", "new", "my_own", "--language", "javascript", "--kind", kind];
        let printed = support::ours(&path, &new).exits_with(0).keeps_quiet();
        assert!(printed.out().contains("extension build my_own.js"), "{printed}");
        support::ours(&path, &["extension", "build", "my_own.js"]).exits_with(0).keeps_quiet();
        let arguments = ["--load", "./my_own.wasm", ":memory:"];
        let input = support::Input::File(&path.join("my_own.sql"));
        let run = support::run(&support::our_binary(), &arguments, &path, &input).keeps_quiet();
        let expected = fs::read_to_string(path.join("my_own.expected")).expect("it was written");
        run.prints(&expected);
        assert!(path.join("extension.d.ts").exists());
        support::ours(&path, &new).exits_with(120).complains("`./my_own.js` exists already");
    }
    let directory = Directory::fresh("new-names");
    for name in ["My", "../mine", "", "a-b", "0a"] {
        let run = support::ours(&directory.path(), &["extension", "new", name]);
        run.exits_with(120).complains("a name has up to 63 small letters");
    }
}

#[test]
fn a_script_that_is_no_extension_is_one_line() {
    let directory = Directory::fresh("refused");
    for (script, message) in [
        ("", "no default export"),
        ("export default 1", "extension must be an object"),
        ("export default {}", "name of the extension must be a string"),
        ("syntax error", "SyntaxError"),
        ("throw new Error('top')", "top (line 1)"),
        ("import 'fs'; export default {}", "fs"),
        ("export default { name: 'a', fucntions: {} }", "no option \"fucntions\""),
        ("export default { name: 'a b' }", "own name"),
        ("export default { name: 'a', functions: { f: 1 } }", "f must be an object"),
        (
            "export default { name: 'a', functions: { f: { call: () => 1, arguments: 128 } } }",
            "0 to 127",
        ),
        ("export default { name: 'a', needs: ['files'] }", "sql, sql:ro"),
        ("export default { name: 'a', tables: { t: { rows: () => [] } } }", "columns of t"),
        ("for (;;) ;", "time"),
        ("const all = []; for (;;) all.push(new Uint8Array(1 << 20))", "memory"),
        ("const f = () => f() + 1; f(); export default {}", "stack"),
    ] {
        fs::write(directory.path().join("mine.js"), script).expect("the directory is ours");
        let run = build(&directory.path(), &[]);
        let is_one_line = run.err().lines().count() == 1;
        assert!(is_one_line && run.err().contains(message), "{script}: {run}");
        assert!(!directory.path().join("mine.wasm").exists(), "{script}");
    }
    let other = ["extension", "build", "mine.rb"];
    support::ours(&directory.path(), &other)
        .complains("is not a script (`.js`, `.mjs`), a module in Python");
    support::ours(&directory.path(), &["extension", "build", "none.js"]).complains("none.js");
}

#[test]
fn a_tokenizer_says_where_its_tokens_are() {
    let directory = built("tokens", EVERYTHING);
    let script = "
        CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'letters');
        INSERT INTO t VALUES ('Grüße, 𝒳𝒴 und 日本 ende'), (CAST(x'61ff6220e29745' AS TEXT) || ' Ende');
        SELECT rowid, highlight(t, 0, '[', ']') FROM t('ende');
        SELECT highlight(t, 0, '[', ']') FROM t('grüße OR 𝒳𝒴');
        CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);
        SELECT count(*) FROM v;
        CREATE VIRTUAL TABLE o USING fts5(x, tokenize = 'odd about');
        INSERT INTO o VALUES ('ab');
        CREATE VIRTUAL TABLE w USING fts5vocab(o, row);
        SELECT term FROM w;";
    let found = load(&directory, &[], script).keeps_quiet();
    assert_eq!(
        found.out(),
        "1|Grüße, 𝒳𝒴 und 日本 [ende]\n2|a\u{fffd}b \u{fffd}E [Ende]\n\
         [Grüße], [𝒳𝒴] und 日本 ende\n8\ndocument null\ntwin\n",
        "{found}"
    );
}

#[test]
fn tokens_that_are_none_are_errors_of_the_script() {
    for (what, failure) in [
        ("outside", "a token is not in the text"),
        ("fraction", "a token is not in the text"),
        ("negative", "a token is not in the text"),
        ("number", "a token is [token, start, end]"),
        ("nothing", "odd: TypeError"),
        ("backwards", "broke the contract"),
        ("a b", "error in tokenizer constructor"),
    ] {
        let directory = built("odd-tokens", EVERYTHING);
        let script = format!(
            "CREATE VIRTUAL TABLE o USING fts5(x, tokenize = 'odd {what}'); INSERT INTO o VALUES ('ab');"
        );
        let found = load(&directory, &[], &script);
        assert!(found.err().contains(failure), "{what}: {found}");
    }
}
