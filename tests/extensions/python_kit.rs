//! The kit for Python (`components/kits/python`): an extension with one of everything.

use std::sync::Once;

use crate::support::guest::{Loaded, guest};
use crate::support::{self, Directory};
use crate::tokenizers;

const GRANT: &[&str] = &["--grant", "python_kit=sql"];

fn kit(name: &str) -> Loaded {
    // Compiling Python takes longer than a test may on a busy machine; then it is in the cache.
    static COMPILED: Once = Once::new();
    COMPILED.call_once(|| {
        let directory = Directory::fresh("python-kit-compiled");
        let file = guest("python_kit").display().to_string();
        let args = [GRANT, &["--load", &file, ":memory:", "SELECT 1"]].concat();
        let run = support::command(&support::our_binary(), &args, &directory.path()).output();
        assert!(run.expect("it starts").status.success());
    });
    Loaded::guest("python_kit", &format!("python-kit-{name}")).with(GRANT)
}

#[test]
fn values_of_each_class_come_back_as_they_were() {
    kit("values").answers(
        "CREATE TABLE v(x);
         INSERT INTO v VALUES (NULL), (0), (-1), (9223372036854775807), (-9223372036854775808), (0.5), (2.0),
             (-1e300), (''), ('é'), (char(0, 97)), (CAST(x'61ff' AS TEXT)), (x''), (x'00ff00');
         SELECT count(*), sum(py_same(x) IS x AND typeof(py_same(x)) = typeof(x)) FROM v;",
        &["14|14"],
    );
}

#[test]
fn everything_that_is_registered_answers() {
    kit("everything").answers(
        "SELECT py_shout('ah'), py_count(), py_count(1, 2, 3);
         SELECT py_count(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33);
         SELECT py_longest(x) FROM (SELECT 'a' AS x UNION ALL SELECT 'ccc' UNION ALL SELECT 'bb');
         SELECT group_concat(w, ' ') FROM (SELECT py_collect(x) OVER (ORDER BY x ROWS 1 PRECEDING) AS w
             FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3));
         SELECT group_concat(x) FROM (SELECT x FROM (SELECT 'ccc' AS x UNION ALL SELECT 'a' UNION ALL SELECT 'bb')
             ORDER BY x COLLATE py_by_length);
         SELECT sum(square), max(n), count(*) FROM py_squares(1000);
         SELECT group_concat(n), max(stop), max(start) FROM py_squares(6, 4);
         SELECT count(*) FROM py_squares(3) AS a, py_squares(a.n) AS b;
         SELECT n FROM py_squares(1000000000) LIMIT 2;
         CREATE TABLE orders(customer, price);
         INSERT INTO orders VALUES (7, 5), (7, 6), (1, 1);
         SELECT py_total(7), py_total(8) IS NULL;",
        &[
            "AH!|0|3", "33", "ccc", "1 1,2 2,3", "a,bb,ccc", "333833500|1000|1000", "4,5,6|6|4", "6", "1", "2",
            "11|1",
        ],
    );
}

#[test]
fn exceptions_are_errors_that_name_the_function() {
    for (sql, message) in [
        ("SELECT py_shout(NULL);\n", "py_shout: TypeError: text must be text, not NULL"),
        ("SELECT py_shout(1);\n", "py_shout: TypeError: text must be text, not an integer"),
        ("SELECT py_fails('code');\n", "py_fails: full (line 36)"),
        ("SELECT py_fails('object');\n", "py_fails: TypeError: SQL has no value for object"),
        ("SELECT py_fails('big');\n", "py_fails: OverflowError"),
        ("SELECT py_total(1);\n", "no such table: orders"),
        ("SELECT count(*) FROM py_squares('a');\n", "py_squares: TypeError"),
    ] {
        kit("errors").run(sql).complains(message);
    }
}

#[test]
fn results_without_memory_for_them_are_errors() {
    let kit = kit("memory").with(&["--extension-memory", "96M"]);
    let results = [8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88].map(|megabytes| {
        let run = kit.run(&format!(
            "SELECT length(py_zeros({megabytes} << 20)) >> 20;\nSELECT py_count(1);\n"
        ));
        let is_whole = run.out().starts_with(&format!("{megabytes}\n"));
        let run = if is_whole { run } else { run.complains("py_zeros: MemoryError") };
        assert!(run.out().ends_with("1\n"), "it goes on\n{run}");
        is_whole
    });
    assert!(results[0] && !results[results.len() - 1], "{results:?}");
}

#[test]
fn a_tokenizer_finds_what_fts5_finds() {
    tokenizers::finds_what_fts5_finds(&kit("words"), "py_words");
    let about = "CREATE VIRTUAL TABLE o USING fts5(x, tokenize = 'py_odd about'); INSERT INTO o VALUES ('ab');
                 CREATE VIRTUAL TABLE w USING fts5vocab(o, row); SELECT term FROM w;";
    kit("about").answers(about, &["document None", "twin"]);
}

#[test]
fn tokens_that_are_none_are_errors_of_the_module() {
    for (what, failure) in [
        ("outside", "py_odd: ValueError: a token is from 0 to 3, not in the text"),
        ("backwards", "py_odd: ValueError: a token is from 0 to 1, not in the text or before"),
        ("short", "py_odd: TypeError: a token is (token, start, end)"),
        ("number", "py_odd: TypeError: a token is (token, start, end)"),
        ("nothing", "py_odd: TypeError"),
        ("strange", "py_odd: KeyError: 'strange'"),
        ("a b", "error in tokenizer constructor"),
    ] {
        let sql = format!(
            "CREATE VIRTUAL TABLE o USING fts5(x, tokenize = 'py_odd {what}'); INSERT INTO o VALUES ('ab');"
        );
        kit("odd-tokens").run(&sql).complains(failure);
    }
}
