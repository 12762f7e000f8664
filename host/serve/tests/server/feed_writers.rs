//! Writers for the tests of the feed of changes: transactions that know what they change.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Server, Stream, execute};
use crate::wire::{self, Client};

/// The tables that writers change; each writer also has a separate one, `scratch` and its index.
pub const SCHEMA: &str = "
    CREATE TABLE log(id INTEGER PRIMARY KEY, expected TEXT);
    CREATE TABLE item(id INTEGER PRIMARY KEY);
    CREATE TABLE audit(id INTEGER PRIMARY KEY);
    CREATE TABLE keyed(id INTEGER PRIMARY KEY, k UNIQUE);
    CREATE TABLE parent(id INTEGER PRIMARY KEY);
    CREATE TABLE child(id INTEGER PRIMARY KEY, p REFERENCES parent ON DELETE CASCADE);
    CREATE TABLE pairs(a INTEGER, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID;
    CREATE TRIGGER item_is_audited AFTER INSERT ON item BEGIN INSERT INTO audit VALUES (new.id); END;";

/// The rows of tables: their ids, or keys where they have none.
type Rows = BTreeMap<String, Vec<Value>>;

/// Order rows as a message has them, and keys by their texts.
pub fn sort(rows: &mut [Value]) {
    rows.sort_unstable_by_key(|row| (row.as_i64(), row.to_string()));
}

/// A writer, whose rows no other one changes.
pub struct Writer {
    client: Any,
    next: i64,
    random: u64,
    scratch: String,
}

/// A client of either protocol.
enum Any {
    Hrana(Box<Stream>),
    Postgres(Client),
}

impl Writer {
    pub fn new(server: &Server, number: i64) -> Self {
        let client = if number % 2 == 0 {
            let mut stream = server.stream();
            stream.run(&[execute("PRAGMA foreign_keys = ON")]);
            Any::Hrana(Box::new(stream))
        } else {
            Any::Postgres(Client::new(server))
        };
        let random = (number as u64 + 1) * 0x9e37_79b9_7f4a_7c15;
        Self { client, next: (number + 1) << 24, random, scratch: format!("scratch{number}") }
    }

    fn number(&mut self, most: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % most
    }

    fn id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    fn run(&mut self, sql: &str) -> bool {
        match &mut self.client {
            Any::Hrana(stream) => stream.run(&[execute(sql)])[0]["type"] == "ok",
            Any::Postgres(client) => wire::error(&client.query(sql)).is_none(),
        }
    }

    /// Run statements that succeed.
    fn all(&mut self, sql: &[String]) {
        for sql in sql {
            assert!(self.run(sql), "{sql}");
        }
    }

    /// Some statements, and what they change.
    fn change(&mut self, rows: &mut Rows) {
        let (a, b, c) = (self.id(), self.id(), self.id());
        let scratch = self.scratch.clone();
        // Each wire with its own words: the old row goes, and the new one comes.
        let replace = match self.client {
            Any::Hrana(_) => format!("REPLACE INTO keyed VALUES ({b}, {c})"),
            Any::Postgres(_) => format!(
                "INSERT INTO keyed VALUES ({b}, {c}) ON CONFLICT (k) DO UPDATE SET id = excluded.id"
            ),
        };
        let mut touch = |table: &str, ids: &[i64]| {
            rows.entry(table.to_owned()).or_default().extend(ids.iter().map(|id| json!(id)));
        };
        let sql = match self.number(8) {
            0 => {
                touch("item", &[a, b]);
                touch("audit", &[a, b]);
                vec![format!("INSERT INTO item VALUES ({a}), ({b})")]
            }
            1 => vec![
                "SAVEPOINT s".to_owned(),
                format!("INSERT INTO item VALUES ({a}), ({b})"),
                format!("UPDATE item SET id = {c} WHERE id = {a}"),
                "ROLLBACK TO SAVEPOINT s".to_owned(),
                "RELEASE SAVEPOINT s".to_owned(),
            ],
            2 => {
                // The second row fails, so the first one is undone.
                let twice = format!("INSERT INTO item VALUES ({a}), ({b}), ({a})");
                self.all(&["SAVEPOINT f".to_owned()]);
                assert!(!self.run(&twice));
                vec!["ROLLBACK TO SAVEPOINT f".to_owned(), "RELEASE SAVEPOINT f".to_owned()]
            }
            3 => {
                touch("keyed", &[a, b]);
                vec![format!("INSERT INTO keyed VALUES ({a}, {c})"), replace]
            }
            4 => {
                touch("parent", &[a]);
                touch("child", &[b, c]);
                vec![
                    format!("INSERT INTO parent VALUES ({a})"),
                    format!("INSERT INTO child VALUES ({b}, {a}), ({c}, {a})"),
                    format!("DELETE FROM parent WHERE id = {a}"),
                ]
            }
            5 => {
                let keys = rows.entry("pairs".to_owned()).or_default();
                keys.extend([json!([a, b]), json!([a, c])]);
                vec![
                    format!("INSERT INTO pairs VALUES ({a}, {b})"),
                    format!("UPDATE pairs SET b = {c} WHERE a = {a}"),
                ]
            }
            6 => {
                touch(&scratch, &[a, b]);
                vec![
                    format!("INSERT INTO {scratch} VALUES ({a}), ({b})"),
                    format!("DELETE FROM {scratch}"),
                ]
            }
            _ => {
                touch("item", &[a, b]);
                touch("audit", &[a]);
                vec![
                    format!("INSERT INTO item VALUES ({a})"),
                    "SAVEPOINT u".to_owned(),
                    format!("UPDATE item SET id = {b} WHERE id = {a}"),
                    "RELEASE SAVEPOINT u".to_owned(),
                ]
            }
        };
        self.all(&sql);
    }

    /// A transaction that is committed, with what it changes in `log`, or rolled back.
    pub fn transaction(&mut self) {
        let begin = if matches!(self.client, Any::Hrana(_)) { "BEGIN IMMEDIATE" } else { "BEGIN" };
        // What only reads first may be too old to write then.
        let first = self.id();
        self.all(&[begin.to_owned(), format!("INSERT INTO parent VALUES ({first})")]);
        let mut rows = Rows::from([("parent".to_owned(), vec![json!(first)])]);
        for _ in 0..1 + self.number(4) {
            self.change(&mut rows);
        }
        if self.number(5) == 0 {
            return self.all(&["ROLLBACK".to_owned()]);
        }
        rows.values_mut().for_each(|rows| {
            sort(rows);
            rows.dedup();
        });
        let expected = json!(rows);
        let log = format!("INSERT INTO log(expected) VALUES ('{expected}')");
        self.all(&[log, "COMMIT".to_owned()]);
    }
}
