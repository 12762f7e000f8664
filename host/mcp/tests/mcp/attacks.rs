//! Attacks on the lists. Each runs on two databases that differ only in what is hidden: the replies
//! must be equal, and contain none of it. The control is the same without lists: there the replies
//! differ, or contain it.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, directory, shell};

/// Replacements for what differs: a word, and two integers.
const WORDS: [[&str; 3]; 2] = [["alpha", "1", "17"], ["omega", "2", "23"]];

const SCHEMA: &str = "
    CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, age INT, password TEXT DEFAULT '@-default', pin INT,
        up TEXT AS (upper(password)), twice TEXT AS (up || up) STORED, CHECK (age IS NOT pin), CHECK (password <> '@-check'));
    INSERT INTO users(name, age, password, pin) VALUES ('Ada', 30, '@-first', #), ('Bob', 40, '@-second', # + 1);
    CREATE INDEX users_pin ON users(pin) WHERE pin > %;
    CREATE TABLE accounts(id INTEGER PRIMARY KEY, name TEXT, token TEXT);
    CREATE UNIQUE INDEX accounts_token ON accounts(token);
    INSERT INTO accounts(name, token) VALUES ('Ada', '@-token');
    CREATE TABLE members(id INTEGER PRIMARY KEY, name TEXT, team INT REFERENCES teams(id));
    CREATE TABLE teams(id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO teams VALUES (1, 'one'), (2, 'two');
    INSERT INTO members(name, team) VALUES ('Ada', %);
    CREATE TABLE vault(code INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT);
    INSERT INTO vault VALUES (#, '@-vault');
    CREATE TABLE guesses(password TEXT, token TEXT, code INT, text TEXT);
    INSERT INTO guesses VALUES ('alpha-first', 'alpha-token', 17, 'alpha-vault');
    CREATE TABLE required(a TEXT, password TEXT, other AS (nullif(a, password)) NOT NULL);
    INSERT INTO required(a, password) VALUES ('a', '@');
    CREATE TABLE stored(a TEXT, password TEXT, other AS (iif(a = password, abs(-9223372036854775807 - 1), 0)) STORED);
    INSERT INTO stored(a, password) VALUES ('a', '@');
    CREATE TABLE typed(a TEXT, password TEXT, other INT AS (iif(a = password, 'x', 0))) STRICT;
    INSERT INTO typed(a, password) VALUES ('a', '@');
    CREATE TABLE log(x TEXT);
    CREATE VIEW everything AS SELECT * FROM users;
    CREATE VIEW only_names AS SELECT name FROM users;
    CREATE VIEW indirect AS SELECT upper(password) AS p FROM everything;
    CREATE VIEW guessed AS SELECT users.name FROM users NATURAL JOIN guesses;
    CREATE VIEW used AS SELECT users.name FROM users JOIN guesses USING (password);
    CREATE VIEW the_schema AS SELECT * FROM sqlite_schema;
    CREATE VIEW literal AS SELECT name FROM users WHERE password = '@-first';
    CREATE TABLE plain(id INTEGER PRIMARY KEY, a TEXT);
    INSERT INTO plain VALUES (1, 'x');
    CREATE TABLE sensors(id INTEGER PRIMARY KEY, secret TEXT);
    INSERT INTO sensors VALUES (1, '@-sensor');
    CREATE TRIGGER copies AFTER UPDATE ON sensors BEGIN INSERT INTO log VALUES (old.secret); END;
    CREATE TRIGGER copies_more AFTER INSERT ON plain BEGIN INSERT INTO log SELECT secret FROM sensors; END;
    CREATE TABLE tries(a TEXT); INSERT INTO tries VALUES (0);
    CREATE TRIGGER compares AFTER INSERT ON tries BEGIN INSERT INTO log SELECT 'found' FROM users NATURAL JOIN guesses; END;
    CREATE TRIGGER compares_more AFTER DELETE ON tries BEGIN INSERT INTO log SELECT 'found' FROM guesses JOIN vault USING (text); END;
    CREATE VIRTUAL TABLE docs USING fts5(title, body);
    INSERT INTO docs VALUES ('title', '@ body');
    CREATE VIRTUAL TABLE users_fts USING fts5(name, password, content='users', content_rowid='id');
    INSERT INTO users_fts(users_fts) VALUES ('rebuild');
    CREATE VIRTUAL TABLE docs_words USING fts5vocab('docs', 'row');
    CREATE VIRTUAL TABLE old_docs USING fts4(body);
    INSERT INTO old_docs VALUES ('@ old');
    CREATE VIRTUAL TABLE old_words USING fts4aux(old_docs);
    CREATE VIRTUAL TABLE places USING rtree(id, x0, x1);
    INSERT INTO places VALUES (1, #, # + 1);
    CREATE VIRTUAL TABLE open_docs USING fts5(title);
    INSERT INTO open_docs VALUES ('open');
    ANALYZE;";

const HIDE: &str = "users.password,users.pin,accounts.token,members.team,vault,sensors.secret,docs.body,old_docs.body,places,required.password,stored.password,typed.password";

/// Attacks by reading: each is refused by name.
const READS: &[(&str, &str)] = &[
    ("SELECT password FROM users", "users.password"),
    ("SELECT * FROM users", "users.password"),
    ("SELECT users.* FROM users", "users.password"),
    ("SELECT \"PassWord\" FROM main.[users] AS u", "users.password"),
    ("SELECT name FROM users WHERE password LIKE 'alpha%'", "users.password"),
    ("SELECT name FROM users ORDER BY pin <> 17, name", "users.pin"),
    ("SELECT count(*) FROM users GROUP BY pin > 20", "users.pin"),
    ("SELECT count(*) FROM users HAVING max(pin) > 20", "users.pin"),
    ("SELECT max(pin) OVER () FROM users", "users.pin"),
    ("SELECT sum(age) FILTER (WHERE pin > 20) FROM users", "users.pin"),
    ("SELECT up FROM users", "users.up"),
    ("SELECT twice FROM users", "users.twice"),
    ("SELECT name FROM everything", "users.password"),
    ("SELECT p FROM indirect", "users.password"),
    ("WITH x AS (SELECT * FROM users) SELECT name FROM x", "users.password"),
    (
        "WITH RECURSIVE x(p) AS (SELECT password FROM users UNION SELECT p || '!' FROM x LIMIT 3) SELECT p FROM x",
        "users.password",
    ),
    ("SELECT (SELECT password FROM users LIMIT 1)", "users.password"),
    ("SELECT 1 WHERE 'alpha-first' IN (SELECT password FROM users)", "users.password"),
    ("SELECT EXISTS (SELECT 1 FROM users WHERE password = 'alpha-first')", "users.password"),
    (
        "SELECT a.name FROM users a JOIN users b ON a.password = b.password AND b.pin = 17",
        "users.password",
    ),
    ("SELECT count(*) FROM users JOIN guesses USING (password)", "USING (password)"),
    ("SELECT count(*) FROM users NATURAL JOIN guesses", "NATURAL JOIN"),
    ("SELECT count(*) FROM guesses JOIN vault USING (code)", "USING (code)"),
    ("SELECT count(*) FROM guessed", "guessed"),
    ("SELECT count(*) FROM used", "used"),
    ("SELECT * FROM literal", "users.password"),
    ("SELECT count(*) FROM vault", "vault"),
    ("SELECT count(*) FROM main.\"Vault\"", "vault"),
    ("SELECT code IN (17) FROM vault", "vault"),
    ("SELECT 17 IN vault", "vault"),
    ("SELECT json_group_array(password) FROM users", "users.password"),
    ("SELECT value FROM users, json_each(json_array(password))", "users.password"),
    ("SELECT docs FROM docs WHERE docs MATCH 'body:alpha'", "docs"),
    ("SELECT rowid FROM docs('body:alpha')", "docs"),
    ("SELECT title FROM docs", "docs"),
    ("SELECT snippet(docs, 1, '', '', '', 9) FROM docs WHERE docs MATCH 'title'", "docs"),
    ("SELECT c1 FROM docs_content", "docs"),
    ("SELECT hex(block) FROM docs_data", "docs"),
    ("SELECT term FROM docs_words", "docs_words"),
    ("SELECT count(*) FROM users_fts WHERE users_fts MATCH 'alpha'", "users_fts"),
    ("SELECT hex(block) FROM users_fts_data", "users_fts"),
    ("SELECT term FROM old_words", "old_words"),
    ("SELECT rowid FROM old_docs WHERE body MATCH 'alpha'", "old_docs"),
    ("SELECT * FROM old_docs_content", "old_docs"),
    ("SELECT hex(data) FROM places_node", "places"),
    ("SELECT x0 FROM places", "places"),
    ("SELECT sql FROM sqlite_schema", "sqlite_master"),
    ("SELECT sql FROM main.'sqlite_master'", "sqlite_master"),
    ("SELECT sql FROM the_schema", "sqlite_master"),
    ("SELECT tbl, idx, stat FROM sqlite_stat1", "sqlite_stat1"),
    ("SELECT seq FROM sqlite_sequence", "sqlite_sequence"),
    ("SELECT name, payload, unused FROM dbstat", "dbstat"),
    ("SELECT count(*) FROM dbstat WHERE name = 'vault'", "dbstat"),
    ("PRAGMA table_info(users)", "PRAGMA table_info"),
    ("SELECT dflt_value FROM pragma_table_info('users')", "PRAGMA table_info"),
    ("SELECT * FROM pragma_table_xinfo('vault')", "PRAGMA table_xinfo"),
    ("SELECT count(*) FROM pragma_table_list", "PRAGMA table_list"),
    ("PRAGMA integrity_check(users)", "PRAGMA integrity_check"),
    ("PRAGMA quick_check", "PRAGMA quick_check"),
    ("PRAGMA foreign_key_check", "PRAGMA foreign_key_check"),
    ("SELECT * FROM pragma_foreign_key_check", "PRAGMA foreign_key_check"),
    ("PRAGMA stats", "stats"),
    ("EXPLAIN SELECT name FROM literal", "EXPLAIN"),
    ("EXPLAIN INSERT INTO users(age) VALUES (1)", ""),
    ("SELECT p4 FROM bytecode('SELECT name FROM literal')", "bytecode"),
    ("SELECT name FROM tables_used('SELECT * FROM literal')", "tables_used"),
    ("SELECT sql FROM sqlite_stmt", "sqlite_stmt"),
    ("SELECT id FROM users INDEXED BY users_pin WHERE pin > 17", ""),
    ("SELECT data FROM sqlite_dbpage", "sqlite_dbpage"),
    ("SELECT users.rowid, password FROM users LEFT JOIN plain ON 1", "users.password"),
    ("VALUES ((SELECT group_concat(token) FROM accounts))", "accounts.token"),
    ("SELECT name FROM users UNION SELECT password FROM users", "users.password"),
    ("SELECT CASE WHEN pin = 17 THEN 1 ELSE abs(-9223372036854775808) END FROM users", "users.pin"),
    ("SELECT load_extension(password) FROM users", ""),
    ("SELECT sqlite_offset(name) FROM users", "sqlite_offset"),
    ("SELECT max(SQLITE_OFFSET(name)) FROM users", "sqlite_offset"),
    ("PRAGMA page_count", "PRAGMA page_count"),
    ("SELECT * FROM pragma_freelist_count", "PRAGMA freelist_count"),
];

/// Attacks by writing: none reveals what is hidden, then or later.
const WRITES: &[&[&str]] = &[
    &["UPDATE users SET name = name RETURNING password"],
    &["UPDATE users SET name = name RETURNING *"],
    &["DELETE FROM users WHERE password = 'alpha-first'"],
    &["DELETE FROM accounts RETURNING token"],
    &["INSERT INTO accounts(name) VALUES ('x') RETURNING *"],
    &["INSERT INTO accounts(token) VALUES ('alpha-token')"],
    &["INSERT OR IGNORE INTO accounts(token) VALUES ('alpha-token')"],
    &["REPLACE INTO accounts(token) VALUES ('alpha-token')"],
    &[
        "INSERT INTO accounts(id, name) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = accounts.token",
    ],
    &["INSERT INTO accounts(token) VALUES ('alpha-token') ON CONFLICT (token) DO NOTHING"],
    &["UPDATE accounts SET token = 'x'"],
    &["UPDATE users SET age = 17"],
    &["UPDATE users SET age = 18 WHERE id = 2"],
    &["INSERT INTO users(age, pin) VALUES (3, 3)"],
    &["INSERT INTO log SELECT password FROM users"],
    &["CREATE TABLE copy AS SELECT * FROM users"],
    &["CREATE TEMP TABLE copy AS SELECT password FROM users"],
    &[
        "CREATE VIEW copy AS SELECT password FROM users",
        "INSERT INTO log SELECT password FROM copy",
    ],
    &["CREATE VIEW copy AS SELECT name FROM users JOIN guesses USING (password)"],
    &["CREATE TEMP VIEW copy AS SELECT * FROM vault", "INSERT INTO log SELECT text FROM copy"],
    &[
        "CREATE TRIGGER x AFTER INSERT ON plain BEGIN INSERT INTO log SELECT password FROM users; END",
    ],
    &[
        "CREATE TEMP TRIGGER x AFTER INSERT ON guesses BEGIN INSERT INTO log SELECT password FROM users; END",
        "INSERT INTO guesses VALUES (1, 1, 1, 1)",
    ],
    &["INSERT INTO tries VALUES (1)"],
    &["DELETE FROM tries"],
    &["UPDATE sensors SET id = id"],
    &["INSERT INTO plain VALUES (2, 'y')"],
    &["ALTER TABLE users RENAME COLUMN password TO p"],
    &["ALTER TABLE users RENAME TO people"],
    &["ALTER TABLE vault RENAME TO open"],
    &["ALTER TABLE users ADD COLUMN copy AS (password)"],
    &["ALTER TABLE users DROP COLUMN pin"],
    &["CREATE INDEX x ON users(substr(password, 1, 1))"],
    &["CREATE UNIQUE INDEX x ON users(pin > 17)"],
    &["CREATE INDEX x ON users(name) WHERE password = 'alpha-first'"],
    &["DROP INDEX users_pin"],
    &[
        "CREATE TABLE child(t REFERENCES accounts(token))",
        "INSERT INTO child VALUES ('alpha-token')",
    ],
    &["UPDATE required SET a = 'alpha'"],
    &["UPDATE stored SET a = 'alpha'"],
    &["UPDATE typed SET a = 'alpha'"],
    &["DELETE FROM teams WHERE id = 1"],
    &["UPDATE teams SET id = 9 WHERE id = 1"],
    &["CREATE VIRTUAL TABLE x USING fts5vocab('docs', 'row')"],
    &["CREATE VIRTUAL TABLE temp.x USING fts5vocab(main, 'docs', 'row')"],
    &[
        "CREATE VIRTUAL TABLE x USING fts5(password, content='users', content_rowid='id')",
        "INSERT INTO x(x) VALUES ('rebuild')",
    ],
    &["CREATE VIRTUAL TABLE x USING dbstat"],
    &["INSERT INTO docs(docs) VALUES ('rebuild')"],
    &["UPDATE docs SET title = body"],
    &["INSERT INTO docs_content SELECT * FROM docs_content"],
    &["DROP TABLE vault"],
    &["DROP VIEW guessed"],
    &["UPDATE sqlite_schema SET sql = replace(sql, 'password', 'p')"],
    &["PRAGMA writable_schema = ON"],
    &["PRAGMA ignore_check_constraints = ON", "PRAGMA integrity_check"],
    &["ANALYZE", "INSERT INTO log SELECT stat FROM sqlite_stat1"],
    &["ANALYZE users"],
    &["UPDATE plain SET a = (SELECT password FROM users)"],
    &["UPDATE plain SET a = users.password FROM users"],
    &["DELETE FROM plain WHERE a IN (SELECT password FROM users) RETURNING a"],
    &["CREATE TABLE x(a CHECK (a IN (SELECT password FROM users)))"],
    &["CREATE TABLE x(a DEFAULT (SELECT password FROM users))"],
    &["CREATE TABLE users_view AS SELECT * FROM everything"],
    &["CREATE TABLE vault(text)"],
    &["ATTACH ':memory:' AS m"],
    &["VACUUM"],
    &["SAVEPOINT x"],
    &["COMMIT"],
    &["INSERT INTO log VALUES (last_insert_rowid()), (changes()), (total_changes())"],
];

fn databases() -> [(TempDir, std::path::PathBuf); 2] {
    WORDS.map(|[word, digit, number]| {
        let directory = directory();
        let database = directory.path().join("shop.db");
        shell(&database, &SCHEMA.replace('@', word).replace('%', digit).replace('#', number));
        (directory, database)
    })
}

fn servers(databases: &[(TempDir, std::path::PathBuf); 2], arguments: &[&str]) -> [Server; 2] {
    [0, 1].map(|index| Server::of(&databases[index].1, arguments))
}

/// Whether a reply has a word that is hidden.
fn tells(reply: &Result<Value, String>) -> bool {
    let text = format!("{reply:?}").to_ascii_lowercase();
    // In hexadecimal digits too.
    ["alpha", "omega", "616c706861", "6f6d656761"].iter().any(|word| text.contains(word))
}

#[test]
fn no_query_tells_what_is_hidden() {
    let databases = databases();
    let mut hiding = servers(&databases, &["--hide", HIDE]);
    let mut open = servers(&databases, &[]);
    let mut bites = 0;
    for (sql, name) in READS {
        let [one, other] = hiding.each_mut().map(|server| server.query(sql));
        let error = one.clone().expect_err(sql);
        assert_eq!(one, other, "{sql}");
        let expected =
            if name.is_empty() { String::new() } else { format!("not permitted: {name}") };
        assert!(
            error.contains(&expected)
                || error.contains(&format!("PRAGMA {name}"))
                || *name == "sqlite_dbpage",
            "{sql}: {error}"
        );
        // What the statement itself has may be repeated.
        assert!(!error.contains("omega"), "{sql}: {error}");
        let [one, other] = open.each_mut().map(|server| server.query(sql));
        bites += usize::from(one != other || tells(&one));
    }
    // The control; the rest reveals something about other databases, such as damaged ones.
    assert!(bites > 45, "{bites} of {}", READS.len());
}

#[test]
fn no_change_tells_what_is_hidden() {
    let databases = databases();
    for statements in WRITES {
        let mut servers = servers(&databases, &["--write", "--hide", HIDE]);
        let mut replies = servers.each_mut().map(|server| {
            let mut replies = vec![server.execute(statements)];
            replies.extend(["log", "plain", "teams", "guesses", "only_names"].map(|table| {
                let found = server.query(&format!("SELECT * FROM {table}"));
                found.map(|found| found["rows"].clone())
            }));
            replies.push(server.call("schema", json!({})));
            replies
        });
        let told: Vec<_> = replies[0]
            .iter()
            .chain(&replies[1])
            .filter(|reply| format!("{reply:?}").contains("omega"))
            .collect();
        assert!(told.is_empty(), "{statements:?}: {told:?}");
        // Statements that fail on both sides repeat what they have themselves.
        let [one, other] = replies.each_mut().map(std::mem::take);
        assert_eq!(one, other, "{statements:?}");
    }
}

#[test]
fn what_is_not_hidden_is_read_and_written() {
    let databases = databases();
    let mut server = Server::of(&databases[0].1, &["--write", "--hide", HIDE]);
    assert_eq!(
        server.rows("SELECT id, name, age FROM users WHERE age > 30"),
        json!([[2, "Bob", 40]])
    );
    assert_eq!(server.rows("SELECT * FROM only_names ORDER BY 1"), json!([["Ada"], ["Bob"]]));
    assert_eq!(server.rows("SELECT title FROM open_docs('open')"), json!([["open"]]));
    assert_eq!(server.rows("SELECT count(*) FROM users"), json!([[2]]));
    assert_eq!(server.rows("SELECT value FROM json_each('[1]')"), json!([[1]]));
    assert_eq!(server.rows("WITH x(n) AS (VALUES (1)) SELECT count(*) FROM x"), json!([[1]]));
    assert_eq!(
        server.rows("SELECT count(*) FROM guesses JOIN (SELECT 1 AS one) ON one"),
        json!([[1]])
    );
    let sample = server.call("sample", json!({"table": "users", "rows": 1})).unwrap();
    assert_eq!(sample["columns"], json!(["id", "name", "age"]));
    let done = server.execute(&[
        "CREATE TABLE notes(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT UNIQUE)",
        "INSERT INTO notes(a) VALUES ('x') RETURNING id",
        "ALTER TABLE notes ADD COLUMN b",
        "ALTER TABLE notes RENAME TO remarks",
        "CREATE INDEX remarks_a ON remarks(a)",
        "UPDATE remarks SET b = 1 WHERE a = 'x'",
        "DELETE FROM log",
        "DROP TABLE remarks",
        "INSERT INTO open_docs VALUES ('more')",
    ]);
    assert_eq!(done.unwrap()["results"][1]["rows"], json!([[1]]));
    let schema = server.call("schema", json!({})).unwrap().to_string();
    for hidden in [
        "vault",
        "pin",
        "default",
        "check",
        "alpha",
        "docs_words",
        "users_fts",
        "twice",
        "everything",
        "indirect",
        "literal",
        "the_schema",
        "guessed",
    ] {
        assert!(!schema.contains(hidden), "{hidden}: {schema}");
    }
}

#[test]
fn hints_have_no_hidden_names() {
    let databases = databases();
    let mut server = Server::of(&databases[0].1, &["--hide", HIDE]);
    assert!(!server.refused("SELECT pasword FROM users").contains("users.password"));
    assert!(!server.refused("SELECT 1 FROM vaults").contains("perhaps"));
    let listed = server.call("search", json!({"table": "plain", "words": "x"})).unwrap_err();
    assert!(listed.ends_with("these have one: open_docs"), "{listed}");
    for tool in ["sample", "schema", "search"] {
        let refused = server.call(tool, json!({"table": "vault"})).unwrap_err();
        assert!(
            refused.starts_with("not permitted: vault")
                || tool == "search" && refused.contains("vault"),
            "{refused}"
        );
    }
}

#[test]
fn a_schema_that_changes_while_it_is_served_stays_hidden() {
    let databases = databases();
    let database: &Path = &databases[0].1;
    let mut server = Server::of(database, &["--hide", HIDE]);
    assert!(server.query("SELECT name FROM users").is_ok());
    shell(
        database,
        "ALTER TABLE users ADD COLUMN later TEXT AS (password || '!');
        CREATE VIRTUAL TABLE late USING fts5(password, content='users', content_rowid='id');",
    );
    assert_eq!(server.refused("SELECT later FROM users"), "not permitted: users.later");
    assert_eq!(server.refused("SELECT count(*) FROM late"), "not permitted: late");
}
