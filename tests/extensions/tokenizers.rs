//! Tokenizers of FTS5 by an extension: `conf_words` of `tests/guests/conformance` and `py_words` of
//! `tests/guests/python_kit` find the words that FTS5's own `ascii` finds, so all that stands on them is equal.

use crate::support::guest::Loaded;

fn loaded(name: &str) -> Loaded {
    Loaded::guest("conformance", name)
}

/// Texts of random words, with bytes that are not UTF-8, NULs and empty ones between them.
const TEXTS: &str = "
    CREATE TEMP TABLE input AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400),
        words(w) AS (VALUES ('Alpha'), ('beta'), ('GAMMA-delta'), ('x1'), ('größe'), ('日本 語'), (''), ('!'),
            (CAST(x'61ff62' AS TEXT)), ('a' || char(0) || 'b'), (replace(hex(zeroblob(300)), '00', 'long')))
        SELECT i, (SELECT group_concat(w, ' ') FROM (SELECT w FROM words WHERE random() % 3 = i % 3)) AS t,
            (SELECT w FROM words ORDER BY random() LIMIT 1) AS u FROM n;
    CREATE VIRTUAL TABLE ours USING fts5(t, u, tokenize = 'TOKENIZER', prefix = '2 3');
    CREATE VIRTUAL TABLE theirs USING fts5(t, u, tokenize = 'ascii', prefix = '2 3');
    INSERT INTO ours(rowid, t, u) SELECT * FROM input;
    INSERT INTO theirs(rowid, t, u) SELECT * FROM input;
    UPDATE ours SET u = t WHERE rowid % 7 = 0; UPDATE theirs SET u = t WHERE rowid % 7 = 0;
    DELETE FROM ours WHERE rowid % 11 = 0; DELETE FROM theirs WHERE rowid % 11 = 0;\n";

#[test]
fn words_of_an_extension_are_found_as_those_of_fts5() {
    finds_what_fts5_finds(&loaded("words"), "conf_words");
}

/// Fails unless tables with this tokenizer of the loaded extension are those with FTS5's own `ascii`.
pub fn finds_what_fts5_finds(loaded: &Loaded, tokenizer: &str) {
    let differences = |columns: &str, rest: &str| {
        let select =
            |table: &str| format!("SELECT {columns} FROM {}", rest.replace("TABLE", table));
        let (ours, theirs) = (select("ours"), select("theirs"));
        format!(
            "SELECT count(*) > 0, (SELECT count(*) FROM ({ours} EXCEPT {theirs})),
                 (SELECT count(*) FROM ({theirs} EXCEPT {ours})) FROM ({ours});\n"
        )
    };
    let mut script = TEXTS.replace("TOKENIZER", tokenizer);
    script += "CREATE VIRTUAL TABLE v_ours USING fts5vocab(ours, instance);
               CREATE VIRTUAL TABLE v_theirs USING fts5vocab(theirs, instance);\n";
    script += &differences("*", "v_TABLE");
    let queries =
        ["alpha", "al*", "\"gamma delta\"", "NEAR(beta x1, 3)", "u: größe NOT beta", "^alpha"];
    for query in queries {
        let found = format!("TABLE WHERE TABLE MATCH '{query}'");
        script += &differences("rowid, rank", &found);
        let shown = "rowid, highlight(TABLE, 0, '[', ']'), snippet(TABLE, -1, '<', '>', '…', 5)";
        let select = |table: &str| format!("SELECT {shown} FROM {found}").replace("TABLE", table);
        let (ours, theirs) = (select("ours"), select("theirs"));
        script += &format!("SELECT count(*) FROM ({ours} EXCEPT {theirs});\n");
    }
    script += "INSERT INTO ours(ours) VALUES ('integrity-check'); INSERT INTO ours(ours) VALUES ('rebuild');
               INSERT INTO ours(ours, rank) VALUES ('integrity-check', 1);\n";
    script += &differences("*", "v_TABLE");
    let mut answers = vec!["1|0|0"];
    answers.extend(queries.iter().flat_map(|_| ["1|0|0", "0"]));
    answers.push("1|0|0");
    loaded.answers(&script, &answers);
}

#[test]
fn a_tokenizer_learns_its_words_and_purpose() {
    let script = "
        CREATE VIRTUAL TABLE s USING fts5(t, tokenize = 'conf_words synonyms');
        INSERT INTO s VALUES ('one two');
        SELECT rowid FROM s('eno'); SELECT rowid FROM s('\"eno two\"'); SELECT highlight(s, 0, '[', ']') FROM s('owt');
        CREATE VIRTUAL TABLE w USING fts5(t, locale = 1, tokenize = 'conf_words watch');
        INSERT INTO w VALUES ('x'), (fts5_locale('de_AT', 'y'));
        CREATE VIRTUAL TABLE v USING fts5vocab(w, row);
        SELECT term FROM v;
        SELECT count(*) FROM w('x');
        SELECT conf_words('x');\n";
    let out = loaded("purpose").fails(script, "no such function: conf_words");
    assert_eq!(out, "1\n1\none [two]\ndocument:de_at\ndocument:none\n0\n");
}

#[test]
fn words_that_it_does_not_know_are_refused() {
    let script = "CREATE VIRTUAL TABLE t USING fts5(t, tokenize = 'conf_words strange');";
    loaded("strange").fails(script, "error in tokenizer constructor");
}

#[test]
fn a_table_whose_tokenizer_is_not_loaded_says_so_and_stays() {
    let loaded = loaded("missing");
    let script = "CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'conf_words'); INSERT INTO t VALUES ('kept');";
    loaded.answers(script, &[]);
    let without =
        crate::support::ours(&loaded.directory(), &["test.db", "SELECT x FROM t('kept')"]);
    assert!(without.err().contains("no such tokenizer: conf_words"), "{without}");
    loaded.answers("SELECT x FROM t('kept')", &["kept"]);
}
