//! What the hook of changes reports of tables without row ids, compared with what triggers see.

use std::collections::BTreeMap;

use sqlite_sandbox::hooks::{ChangedRows, Key};
use sqlite_sandbox::types::ValueRef;
use sqlite_sandbox::{Error, Result};

use crate::changes::Watched;

/// Triggers on deleted rows run for REPLACE, too, when they are recursive.
const SCHEMA: &str = "
    PRAGMA foreign_keys = ON;
    PRAGMA recursive_triggers = ON;
    CREATE TABLE any(k PRIMARY KEY, v UNIQUE) WITHOUT ROWID;
    CREATE TABLE pairs(v, b TEXT COLLATE NOCASE, a INTEGER, PRIMARY KEY(a, b DESC)) WITHOUT ROWID;
    CREATE TABLE reals(w, k REAL PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE made(g AS (a || 'x'), a, s AS (a) STORED, b, PRIMARY KEY(b, a)) WITHOUT ROWID;
    CREATE TABLE child(id PRIMARY KEY, p REFERENCES any ON DELETE CASCADE ON UPDATE CASCADE) WITHOUT ROWID;
    CREATE TEMP TABLE seen(name, one, two);";

/// Each table with the columns of its key.
const TABLES: [(&str, &[&str]); 5] = [
    ("any", &["k"]),
    ("pairs", &["a", "b"]),
    ("reals", &["k"]),
    ("made", &["b", "a"]),
    ("child", &["id"]),
];

/// Keys of many types and with hostile bytes.
const VALUES: [&str; 20] = [
    "1",
    "2",
    "2.0",
    "2.5",
    "-0.0",
    "9e999",
    "9223372036854775807",
    "-9223372036854775808",
    "'2'",
    "''",
    "'a'",
    "'A'",
    "'a' || char(0) || 'b'",
    "CAST(x'ff00' AS TEXT)",
    "char(10) || 'data: {}' || char(10, 10)",
    "x''",
    "x'00ff'",
    "zeroblob(3)",
    "'\u{2028}\u{10ffff}'",
    "NULL",
];

/// A connection whose triggers write which keys they see.
struct Beside {
    watched: Watched,
    random: u64,
}

impl Beside {
    fn new(random: u64) -> Result<Self> {
        let watched = Watched::new(100_000, SCHEMA)?;
        for (table, key) in TABLES {
            let seen = |row: &str| {
                let mut key: Vec<_> = key.iter().map(|column| format!("{row}.{column}")).collect();
                key.resize(2, "NULL".to_owned());
                format!("INSERT INTO seen VALUES ('{table}', {});", key.join(", "))
            };
            let (old, new) = (seen("old"), seen("new"));
            watched.db.execute_batch(&format!(
                "CREATE TEMP TRIGGER {table}_insert AFTER INSERT ON {table} BEGIN {new} END;
                 CREATE TEMP TRIGGER {table}_update AFTER UPDATE ON {table} BEGIN {old} {new} END;
                 CREATE TEMP TRIGGER {table}_delete AFTER DELETE ON {table} BEGIN {old} END;"
            ))?;
        }
        watched.steps();
        Ok(Self { watched, random })
    }

    fn number(&mut self, most: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % most
    }

    fn value(&mut self) -> &'static str {
        VALUES[self.number(VALUES.len() as u64) as usize]
    }

    fn change(&mut self) -> String {
        let (a, b, c) = (self.value(), self.value(), self.value());
        let or = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"][self.number(5) as usize];
        let int = self.number(4);
        match self.number(18) {
            0 => format!("INSERT {or} INTO any VALUES ({a}, {b}), ({b}, {c})"),
            1 => format!("UPDATE {or} any SET k = {a} WHERE k >= {b}"),
            2 => format!("UPDATE {or} any SET v = {a} WHERE k < {b}"),
            3 => format!("INSERT INTO any VALUES ({a}, {b}) ON CONFLICT DO UPDATE SET k = {c}"),
            4 => format!("DELETE FROM any WHERE k = {a}"),
            5 => format!("INSERT {or} INTO pairs VALUES ({c}, {a}, {int}), ({c}, {b}, {int})"),
            6 => format!("UPDATE {or} pairs SET a = a + 1 WHERE b > {b}"),
            7 => format!("UPDATE {or} pairs SET b = upper(b), v = {c} WHERE a = {int}"),
            8 => "DELETE FROM pairs".to_owned(),
            9 => format!("INSERT {or} INTO reals VALUES ({a}, {int}), ({b}, {c})"),
            10 => format!("UPDATE {or} reals SET k = k + {int}, w = {a}"),
            11 => format!("INSERT {or} INTO made(a, b) VALUES ({a}, {b}), ({c}, {a})"),
            12 => format!("UPDATE {or} made SET a = {a} WHERE b = {b} OR a = {c}"),
            13 => format!("DELETE FROM made WHERE s = {a}"),
            14 => format!("INSERT {or} INTO child SELECT {a}, k FROM any WHERE k <= {b}"),
            15 => format!("UPDATE {or} child SET id = {a} WHERE p = {b}"),
            16 => format!("INSERT {or} INTO reals SELECT v, a FROM pairs"),
            _ => format!("REPLACE INTO made(a, b) SELECT k, v FROM any WHERE k > {a}"),
        }
    }

    fn run(&mut self, sql: &str) -> Result<()> {
        match self.watched.db.execute_batch(sql) {
            // What a statement undoes is undone for triggers, too.
            Ok(()) | Err(Error::SqliteFailure(..)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What triggers have seen.
    fn seen(&self) -> Result<BTreeMap<String, ChangedRows>> {
        let mut all = BTreeMap::new();
        for (table, columns) in TABLES {
            let mut keys = std::collections::BTreeSet::new();
            let mut found = self.watched.db.prepare("SELECT one, two FROM seen WHERE name = ?")?;
            let mut rows = found.query([table])?;
            while let Some(row) = rows.next()? {
                let values: Vec<ValueRef<'_>> =
                    (0..columns.len()).map(|index| row.get_ref(index)).collect::<Result<_>>()?;
                keys.insert(Key::new(values));
            }
            if !keys.is_empty() {
                all.insert(table.to_owned(), ChangedRows::Keys(keys));
            }
        }
        Ok(all)
    }

    fn transaction(&mut self) -> Result<()> {
        self.watched.db.execute_batch("DELETE FROM seen; BEGIN IMMEDIATE")?;
        let mut statements = Vec::new();
        let mut open = 0;
        for _ in 0..1 + self.number(25) {
            let sql = match self.number(6) {
                0 => {
                    open += 1;
                    format!("SAVEPOINT s{open}")
                }
                1 if open > 0 => {
                    let first = 1 + self.number(open);
                    open = first - 1;
                    format!("RELEASE s{first}")
                }
                2 if open > 0 => {
                    open = 1 + self.number(open);
                    format!("ROLLBACK TO s{open}")
                }
                _ => self.change(),
            };
            self.run(&sql)?;
            statements.push(sql);
        }
        let seen = self.seen()?;
        self.watched.db.execute_batch("COMMIT")?;
        let mut committed = self.watched.committed();
        let tables = committed.pop().unwrap_or_default().tables;
        assert_eq!(tables, seen, "{statements:#?}");
        assert!(committed.is_empty());
        Ok(())
    }
}

#[test]
fn generated_transactions_report_the_keys_that_triggers_see() -> Result<()> {
    let mut keys = 0;
    for seed in 1..=10 {
        let mut beside = Beside::new(seed * 0x9e37_79b9_7f4a_7c15)?;
        for _ in 0..80 {
            beside.transaction()?;
            keys += beside
                .watched
                .db
                .query_row("SELECT count(*) FROM seen", (), |row| row.get::<_, i64>(0))?;
        }
    }
    assert!(keys > 10_000, "{keys}");
    Ok(())
}

fn keys<const N: usize>(table: &str, all: [&[ValueRef<'_>]; N]) -> BTreeMap<String, ChangedRows> {
    let keys = all.into_iter().map(|key| Key::new(key.iter().copied())).collect();
    [(table.to_owned(), ChangedRows::Keys(keys))].into()
}

fn any(table: &str) -> BTreeMap<String, ChangedRows> {
    [(table.to_owned(), ChangedRows::Any)].into()
}

#[test]
fn keys_have_the_order_of_the_key_and_both_of_a_change() -> Result<()> {
    let watched = Watched::new(100, SCHEMA)?;
    let is = |sql: &str, expected| assert_eq!(watched.tables(sql), expected, "{sql}");
    let (one, two) = (ValueRef::Integer(1), ValueRef::Integer(2));
    let text = |bytes| ValueRef::Text(bytes);
    is("INSERT INTO pairs VALUES (NULL, 'a', 1)", keys("pairs", [&[one, text(b"a")]]));
    is(
        "REPLACE INTO pairs VALUES (1, 'A', 1)",
        keys("pairs", [&[one, text(b"a")], &[one, text(b"A")]]),
    );
    is("UPDATE pairs SET a = 2", keys("pairs", [&[one, text(b"A")], &[two, text(b"A")]]));
    is("UPDATE pairs SET v = 2", keys("pairs", [&[two, text(b"A")]]));
    is("DELETE FROM pairs", keys("pairs", [&[two, text(b"A")]]));
    is("INSERT INTO reals VALUES (1, 1)", keys("reals", [&[ValueRef::Real(1.0)]]));
    is(
        "UPDATE reals SET k = k + 1",
        keys("reals", [&[ValueRef::Real(1.0)], &[ValueRef::Real(2.0)]]),
    );
    // A key is never NULL.
    assert!(watched.db.execute_batch("INSERT INTO any VALUES (NULL, 1)").is_err());
    assert_eq!(watched.steps(), []);
    // A table of the same name, and of another kind.
    let sql = "BEGIN; INSERT INTO any VALUES (1, 1); DROP TABLE child; DROP TABLE any;
               CREATE TABLE any(k); INSERT INTO any VALUES (1); COMMIT";
    is(sql, any("any"));
    Ok(())
}

#[test]
fn texts_of_any_encoding_are_utf8() -> Result<()> {
    let schema = format!("PRAGMA encoding = 'UTF-16le'; {SCHEMA}");
    let watched = Watched::new(100, &schema)?;
    let key = |text: &'static str| keys("any", [&[ValueRef::Text(text.as_bytes())]]);
    assert_eq!(watched.tables("INSERT INTO any VALUES ('ä\u{10ffff}', 1)"), key("ä\u{10ffff}"));
    assert_eq!(watched.tables("UPDATE any SET v = 2"), key("ä\u{10ffff}"));
    assert_eq!(watched.tables("DELETE FROM any"), key("ä\u{10ffff}"));
    Ok(())
}

#[test]
fn keys_beyond_a_size_are_any() -> Result<()> {
    const MOST: usize = 64 << 10;
    let watched = Watched::new(100, SCHEMA)?;
    let is = |sql: &str, expected| assert_eq!(watched.tables(sql), expected, "{sql}");
    // A tag, a length, and a zero byte.
    let longest = vec![0; MOST - 6];
    let sql = format!("INSERT INTO any VALUES (zeroblob({}), 1)", longest.len());
    is(&sql, keys("any", [&[ValueRef::Blob(&longest)]]));
    is("DELETE FROM any", keys("any", [&[ValueRef::Blob(&longest)]]));
    is(&format!("INSERT INTO any VALUES (zeroblob({}), 1)", longest.len() + 1), any("any"));
    is("DELETE FROM any", any("any"));
    is("INSERT INTO any VALUES (zeroblob(10000000), 1)", any("any"));
    is("UPDATE any SET k = hex(k)", any("any"));
    is("DELETE FROM any", any("any"));
    // Each fits, and all together do not.
    let many = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c LIMIT 70)";
    is(&format!("{many} INSERT INTO any SELECT i || hex(zeroblob(500)), i FROM c"), any("any"));
    is("DELETE FROM any WHERE v > 2", any("any"));
    // Where keys beyond it are undone, those that are left are known.
    let one = [ValueRef::Integer(1)];
    let sql = "BEGIN; SAVEPOINT a; INSERT INTO any VALUES (zeroblob(70000), 7); INSERT INTO any VALUES (2, 8);
               ROLLBACK TO a; INSERT INTO any VALUES (1, 9); COMMIT";
    is(sql, keys("any", [&one]));
    // More keys than rows may be.
    is(&format!("{many} INSERT INTO reals SELECT 1, i FROM c"), {
        let all = (1..=70).map(|key| Key::new([ValueRef::Real(f64::from(key))])).collect();
        [("reals".to_owned(), ChangedRows::Keys(all))].into()
    });
    is("UPDATE reals SET k = k + 1000", any("reals"));
    Ok(())
}
