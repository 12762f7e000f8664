//! Generated statements on two databases that differ only in what is hidden: all replies are equal.

use serde_json::Value;

use crate::support::{Server, directory, shell};

const SCHEMA: &str = "
    CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, s INT, g AS (s * 2), k TEXT);
    INSERT INTO t(a, s, k) VALUES (1, # + 1, 'x'), (2, # + 2, 'y'), (3, # + 3, NULL), (4, NULL, 'x');
    CREATE TABLE u(a INT, s INT, k TEXT);
    INSERT INTO u VALUES (1, 18, 'x'), (2, 40, 'y'), (3, 41, 'z');
    CREATE TABLE h(a INT, k TEXT);
    INSERT INTO h VALUES (#, 'x');
    CREATE VIEW v AS SELECT id, a, k FROM t;
    CREATE VIEW w AS SELECT id, a, s FROM t;
    CREATE VIEW n AS SELECT t.id FROM t JOIN u USING (s);
    CREATE VIRTUAL TABLE f USING fts5(a, s);
    INSERT INTO f VALUES ('one', 'w#');";

/// What expressions are made of; `$` is another expression.
const EXPRESSIONS: &[&str] = &[
    "a",
    "k",
    "s",
    "1",
    "18",
    "rowid",
    "count(*)",
    "t.s",
    "g",
    "id",
    "a",
    "k",
    "u.s",
    "x.s",
    "x.a",
    "*",
    "max($)",
    "sum($)",
    "($) = ($)",
    "($) > ($)",
    "($) IN ($, $)",
    "($) IN (SELECT $ FROM %)",
    "(SELECT $ FROM % LIMIT 1)",
    "EXISTS (SELECT 1 FROM % WHERE $)",
    "CASE WHEN $ THEN $ ELSE $ END",
    "coalesce($, $)",
    "max($) OVER (ORDER BY $)",
    "json_array($, $)",
    "f",
    "($) IS NULL",
    "($) IN h",
    "NOT ($)",
    "typeof($)",
];

const TABLES: &[&str] = &[
    "t",
    "u",
    "v",
    "t AS x",
    "u AS x",
    "h",
    "w",
    "f",
    "t",
    "u",
    "v",
    "main.t",
    "n",
    "t JOIN u ON $",
    "t JOIN u USING (s)",
    "t JOIN u USING (a)",
    "t NATURAL JOIN u",
    "u JOIN h USING (k)",
    "(SELECT $ FROM %) AS x",
    "(SELECT * FROM %) AS x",
    "t LEFT JOIN u ON t.s = u.s",
    "f('w17')",
    "json_each('[17, 18]')",
    "sqlite_schema",
    "t AS x INDEXED BY i",
    "dbstat",
    "pragma_table_info('t')",
    "f_content",
];

const STATEMENTS: &[&str] = &[
    "SELECT $ FROM %",
    "SELECT $, $ FROM % WHERE $",
    "SELECT $ FROM % GROUP BY $",
    "SELECT $ FROM % ORDER BY $, 1",
    "SELECT DISTINCT $ FROM %",
    "WITH x AS (SELECT * FROM %) SELECT $ FROM x",
    "WITH x(a, s) AS (SELECT $, $ FROM %) SELECT $ FROM x",
    "SELECT $ FROM % UNION SELECT $ FROM %",
    "EXPLAIN QUERY PLAN SELECT $ FROM % WHERE $",
    "EXPLAIN SELECT $ FROM %",
    "SELECT $ FROM % LIMIT (SELECT $ FROM %)",
    "VALUES ($)",
];

/// Deeper parts are the first ones, which have no others in them.
const MAX_DEPTH: usize = 2;

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % most
    }

    fn fill(&mut self, pattern: &str, depth: usize) -> String {
        let mut sql = String::new();
        for letter in pattern.chars() {
            let all = if letter == '$' { EXPRESSIONS } else { TABLES };
            match letter {
                '$' | '%' => {
                    let most = if depth < MAX_DEPTH { all.len() } else { 8 };
                    let part = all[self.below(most)];
                    let part = self.fill(part, depth + 1);
                    sql.push_str(&part);
                }
                _ => sql.push(letter),
            }
        }
        sql
    }
}

#[test]
fn generated_queries_do_not_depend_on_what_is_hidden() {
    let directories = ["17", "94"].map(|number| {
        let directory = directory();
        shell(&directory.path().join("shop.db"), &SCHEMA.replace('#', number));
        directory
    });
    let server = |index: usize, arguments: &[&str]| {
        let directory: &tempfile::TempDir = &directories[index];
        Server::of(&directory.path().join("shop.db"), arguments)
    };
    let mut hiding =
        [0, 1].map(|index| server(index, &["--hide", "t.s,f.s,h", "--timeout", "60s"]));
    let mut open = [0, 1].map(|index| server(index, &["--timeout", "60s"]));
    let mut random = Random(42);
    let (mut answered, mut would_tell) = (0, 0);
    for _ in 0..2500 {
        let statement = STATEMENTS[random.below(STATEMENTS.len())];
        let sql = random.fill(statement, 0);
        let [one, other]: [Result<Value, String>; 2] =
            hiding.each_mut().map(|server| server.query(&sql));
        assert_eq!(one, other, "{sql}");
        answered += usize::from(one.is_ok());
        let [one, other] = open.each_mut().map(|server| server.query(&sql));
        would_tell += usize::from(one != other);
    }
    // The control: many statements run, and without lists many would tell.
    assert!(answered > 100 && would_tell > 100, "{answered} {would_tell}");
}
