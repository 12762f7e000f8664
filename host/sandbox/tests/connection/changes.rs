//! What the hook of changes reports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use sqlite_sandbox::hooks::{ChangedRows, Changes, Key, TransactionStep};
use sqlite_sandbox::types::ValueRef;
use sqlite_sandbox::{Connection, Error, Result};

use crate::support::memory;

const SCHEMA: &str = "
    PRAGMA foreign_keys = ON;
    CREATE TABLE log(id INTEGER PRIMARY KEY, v UNIQUE);
    CREATE TABLE audit(what);
    CREATE TABLE parent(id INTEGER PRIMARY KEY);
    CREATE TABLE child(id INTEGER PRIMARY KEY, p REFERENCES parent ON DELETE CASCADE);
    CREATE TABLE pairs(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID;
    CREATE TRIGGER log_is_audited AFTER INSERT ON log BEGIN INSERT INTO audit VALUES (new.v); END;
    CREATE VIRTUAL TABLE words USING fts5(body);
    CREATE TEMP TABLE own(a);";

/// A connection, and the steps that its hook has got.
pub struct Watched {
    pub db: Connection,
    steps: Arc<Mutex<Vec<TransactionStep>>>,
}

impl Watched {
    pub fn new(most_rows: u32, schema: &str) -> Result<Self> {
        let db = memory();
        db.execute_batch(schema)?;
        let new = Self { db, steps: Arc::default() };
        new.watch(most_rows)?;
        Ok(new)
    }

    fn watch(&self, most_rows: u32) -> Result<()> {
        let steps = self.steps.clone();
        self.db.changes_hook(most_rows, Some(move |step| steps.lock().unwrap().push(step)))
    }

    pub fn steps(&self) -> Vec<TransactionStep> {
        std::mem::take(&mut *self.steps.lock().unwrap())
    }

    /// What was committed since the last call.
    pub fn committed(&self) -> Vec<Changes> {
        let mut committed = Vec::new();
        let mut steps = self.steps().into_iter();
        while let Some(step) = steps.next() {
            let TransactionStep::Commits(changes) = step else { panic!("{step:?}") };
            match steps.next() {
                Some(TransactionStep::Committed) => committed.push(changes),
                Some(TransactionStep::Undone) => {}
                other => panic!("{other:?}"),
            }
        }
        committed
    }

    /// The tables of the only commit of this.
    pub fn tables(&self, sql: &str) -> BTreeMap<String, ChangedRows> {
        self.db.execute_batch(sql).unwrap();
        let mut committed = self.committed();
        let found = committed.pop().unwrap();
        assert!(committed.is_empty() && !found.is_partial, "{sql}");
        found.tables
    }
}

fn tables<const N: usize>(all: [(&str, Option<&[i64]>); N]) -> BTreeMap<String, ChangedRows> {
    let one = |(name, rows): (&str, Option<&[i64]>)| {
        let row_ids = |rows: &[i64]| ChangedRows::RowIds(rows.iter().copied().collect());
        (name.to_owned(), rows.map_or(ChangedRows::Any, row_ids))
    };
    all.into_iter().map(one).collect()
}

#[test]
fn each_commit_is_reported_with_its_rows() -> Result<()> {
    let watched = Watched::new(100, SCHEMA)?;
    let is = |sql: &str, expected| assert_eq!(watched.tables(sql), expected, "{sql}");
    is(
        "INSERT INTO log VALUES (1, 'a'), (2, 'b')",
        tables([("audit", Some(&[1, 2])), ("log", Some(&[1, 2]))]),
    );
    is("UPDATE log SET id = 5 WHERE id = 2", tables([("log", Some(&[2, 5]))]));
    is(
        "INSERT OR REPLACE INTO log VALUES (9, 'b')",
        tables([("audit", Some(&[3])), ("log", Some(&[5, 9]))]),
    );
    is(
        "BEGIN; INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES (7, 1), (8, 2), (9, 1); COMMIT",
        tables([("child", Some(&[7, 8, 9])), ("parent", Some(&[1, 2]))]),
    );
    is(
        "DELETE FROM parent WHERE id = 1",
        tables([("child", Some(&[7, 9])), ("parent", Some(&[1]))]),
    );
    let pair = Key::new([ValueRef::Integer(1), ValueRef::Integer(2)]);
    let pairs = ("pairs".to_owned(), ChangedRows::Keys([pair].into()));
    is("INSERT INTO pairs VALUES (1, 2)", [pairs].into());
    is("DELETE FROM audit", tables([("audit", Some(&[1, 2, 3]))]));
    is("INSERT INTO own VALUES (1); DELETE FROM log WHERE id = 1", tables([("log", Some(&[1]))]));
    let words = watched.tables("INSERT INTO words VALUES ('some words')");
    assert_eq!(words["words_content"], ChangedRows::RowIds([1].into()));
    // Queries and empty transactions report nothing that has changed.
    watched.db.execute_batch("SELECT 1; BEGIN; ROLLBACK; BEGIN IMMEDIATE; COMMIT")?;
    assert_eq!(watched.committed(), [Changes::default()]);
    Ok(())
}

#[test]
fn what_is_undone_is_not_reported() -> Result<()> {
    let watched = Watched::new(100, SCHEMA)?;
    let db = &watched.db;
    db.execute_batch("BEGIN; INSERT INTO log VALUES (1, 1); ROLLBACK")?;
    assert_eq!(watched.steps(), []);
    // The second row of a statement fails: the whole statement is undone.
    db.execute_batch("BEGIN; INSERT INTO parent VALUES (1); INSERT INTO log VALUES (3, 'x')")?;
    assert!(db.execute_batch("INSERT INTO log VALUES (4, 'y'), (5, 'x')").is_err());
    assert!(db.execute_batch("INSERT OR FAIL INTO log VALUES (6, 'z'), (7, 'x')").is_err());
    // The rows of a savepoint, of one in it, and of one before the first change.
    db.execute_batch(
        "SAVEPOINT a; INSERT INTO child VALUES (1, 1); SAVEPOINT b; INSERT INTO child VALUES (2, 1);
         ROLLBACK TO b; INSERT INTO child VALUES (3, 1); RELEASE b; SAVEPOINT c; INSERT INTO child VALUES (4, 1);
         RELEASE c; ROLLBACK TO a; INSERT INTO child VALUES (5, 1); COMMIT",
    )?;
    let expected = tables([
        ("audit", Some(&[1, 2])),
        ("child", Some(&[5])),
        ("log", Some(&[3, 6])),
        ("parent", Some(&[1])),
    ]);
    assert_eq!(watched.committed()[0].tables, expected);
    let sql = "SAVEPOINT outer; INSERT INTO child VALUES (10, 1); ROLLBACK TO outer;
               INSERT INTO child VALUES (11, 1); RELEASE outer";
    assert_eq!(watched.tables(sql), tables([("child", Some(&[11]))]));
    // A commit that fails, and succeeds after a repair.
    db.execute_batch("PRAGMA defer_foreign_keys = ON; BEGIN; INSERT INTO child VALUES (20, 77)")?;
    db.execute_batch(
        "ROLLBACK; BEGIN; PRAGMA defer_foreign_keys = ON; INSERT INTO child VALUES (20, 77)",
    )?;
    assert!(db.execute_batch("COMMIT").is_err());
    assert_eq!(watched.committed(), []);
    let sql = "INSERT INTO parent VALUES (77); COMMIT";
    assert_eq!(watched.tables(sql), tables([("child", Some(&[20])), ("parent", Some(&[77]))]));
    Ok(())
}

#[test]
fn more_rows_than_that_are_any() -> Result<()> {
    let watched = Watched::new(3, SCHEMA)?;
    let sql = "INSERT INTO parent VALUES (1), (2), (3)";
    assert_eq!(watched.tables(sql), tables([("parent", Some(&[1, 2, 3]))]));
    let sql =
        "BEGIN; INSERT INTO audit VALUES (1); INSERT INTO parent VALUES (4), (5), (6), (7); COMMIT";
    assert_eq!(watched.tables(sql), tables([("audit", Some(&[1])), ("parent", None)]));
    // Where the rows beyond it are undone, those that are left are known.
    let sql =
        "BEGIN; SAVEPOINT a; INSERT INTO parent VALUES (11), (12), (13), (14), (15); ROLLBACK TO a;
               INSERT INTO parent VALUES (21), (22), (23); COMMIT";
    assert_eq!(watched.tables(sql), tables([("parent", Some(&[21, 22, 23]))]));
    for table in 0..300 {
        watched.db.execute_batch(&format!("CREATE TABLE many{table}(a)"))?;
    }
    assert!(watched.committed().iter().all(|one| one.schema && one.tables.is_empty()));
    let all: String =
        (0..300).map(|table| format!("INSERT INTO many{table} VALUES (1);")).collect();
    watched.db.execute_batch(&format!("BEGIN; {all} COMMIT"))?;
    let committed = watched.committed();
    assert!(committed.len() == 1 && committed[0].is_partial && committed[0].tables.is_empty());
    Ok(())
}

#[test]
fn hooks_are_set_and_removed_at_any_time() -> Result<()> {
    let watched = Watched::new(10, SCHEMA)?;
    let db = &watched.db;
    let none = None::<fn(TransactionStep)>;
    // Statements that were prepared before do not go past the hook.
    db.changes_hook(10, none)?;
    let mut truncate = db.prepare("DELETE FROM audit")?;
    db.execute_batch("INSERT INTO audit VALUES (1)")?;
    truncate.execute(())?;
    db.execute_batch("INSERT INTO audit VALUES (1)")?;
    watched.watch(10)?;
    truncate.execute(())?;
    assert_eq!(watched.committed()[0].tables, tables([("audit", Some(&[1]))]));
    // What the transaction has changed before is not known.
    db.changes_hook(10, none)?;
    db.execute_batch("BEGIN; INSERT INTO audit VALUES (1)")?;
    watched.watch(10)?;
    db.execute_batch("INSERT INTO parent VALUES (1); COMMIT")?;
    assert!(watched.committed()[0].is_partial);
    // Removed in a transaction, and set again.
    db.execute_batch("BEGIN; INSERT INTO parent VALUES (2)")?;
    db.changes_hook(10, none)?;
    db.execute_batch("INSERT INTO parent VALUES (3)")?;
    watched.watch(10)?;
    db.execute_batch("INSERT INTO parent VALUES (4); COMMIT")?;
    assert!(watched.committed()[0].is_partial);
    db.execute_batch("BEGIN; INSERT INTO parent VALUES (5)")?;
    db.changes_hook(10, none)?;
    db.execute_batch("COMMIT")?;
    assert_eq!(watched.steps(), []);
    drop(truncate);
    watched.db.close()
}

/// A connection on which everything runs, and one on which only what is not undone runs.
struct Pair {
    all: Watched,
    kept: Watched,
    /// What runs on the second one at the end of each savepoint, the innermost last.
    open: Vec<Vec<String>>,
    random: u64,
}

impl Pair {
    fn number(&mut self, most: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % most
    }

    fn change(&mut self) -> String {
        let (a, b, c) = (self.number(12), self.number(12), self.number(12));
        match self.number(14) {
            0 => format!("INSERT INTO log VALUES ({a}, {b})"),
            1 => format!("INSERT OR REPLACE INTO log VALUES ({a}, {b}), ({b}, {c})"),
            2 => format!("INSERT OR IGNORE INTO log VALUES ({a}, {b}), ({b}, {c})"),
            3 => format!("INSERT INTO log VALUES ({a}, {b}), ({b}, {c}), ({c}, {a})"),
            4 => format!("INSERT OR FAIL INTO log VALUES ({a}, {b}), ({b}, {c})"),
            5 => format!("UPDATE OR REPLACE log SET id = id + {a} WHERE v > {b}"),
            6 => format!("INSERT OR IGNORE INTO parent VALUES ({a})"),
            7 => format!("INSERT INTO child(p) VALUES ({a}), ({b})"),
            8 => format!("DELETE FROM parent WHERE id IN ({a}, {b})"),
            9 => format!("INSERT OR REPLACE INTO pairs VALUES ({a}, {b})"),
            10 => "DELETE FROM audit".to_owned(),
            11 => format!("INSERT INTO words VALUES ('w{a} w{b}')"),
            12 => format!("DELETE FROM words WHERE rowid = {a}"),
            _ => format!(
                "INSERT INTO log VALUES ({a}, {b}) ON CONFLICT DO UPDATE SET v = v + 100 + {c}"
            ),
        }
    }

    fn transaction(&mut self) -> Result<()> {
        self.all.db.execute_batch("BEGIN IMMEDIATE")?;
        self.open = vec![Vec::new()];
        for _ in 0..1 + self.number(25) {
            match self.number(6) {
                0 => {
                    self.all.db.execute_batch(&format!("SAVEPOINT s{}", self.open.len()))?;
                    self.open.push(Vec::new());
                }
                1 if self.open.len() > 1 => {
                    let at = 1 + self.number(self.open.len() as u64 - 1) as usize;
                    let statements: Vec<_> = self.open.drain(at..).flatten().collect();
                    self.all.db.execute_batch(&format!("RELEASE s{at}"))?;
                    self.open[at - 1].extend(statements);
                }
                2 if self.open.len() > 1 => {
                    let at = 1 + self.number(self.open.len() as u64 - 1) as usize;
                    self.open.truncate(at + 1);
                    self.open[at].clear();
                    self.all.db.execute_batch(&format!("ROLLBACK TO s{at}"))?;
                }
                _ => {
                    let sql = self.change();
                    let fails_partly = sql.contains("OR FAIL");
                    match self.all.db.execute_batch(&sql) {
                        Err(Error::SqliteFailure(..)) if !fails_partly => {}
                        Ok(()) | Err(Error::SqliteFailure(..)) => {
                            self.open.last_mut().unwrap().push(sql);
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        if self.number(5) == 0 {
            self.all.db.execute_batch("ROLLBACK")?;
            assert_eq!(self.all.steps(), []);
            return Ok(());
        }
        self.all.db.execute_batch("COMMIT")?;
        self.kept.db.execute_batch("BEGIN IMMEDIATE")?;
        for sql in self.open.iter().flatten() {
            match self.kept.db.execute_batch(sql) {
                Ok(()) => {}
                Err(_) if sql.contains("OR FAIL") => {}
                Err(error) => return Err(error),
            }
        }
        self.kept.db.execute_batch("COMMIT")?;
        let words = |mut all: Vec<Changes>| {
            // The virtual table writes its index where it likes.
            let is_index = |name: &String| name.starts_with("words_") && name != "words_content";
            all.iter_mut().for_each(|one| one.tables.retain(|name, _| !is_index(name)));
            all
        };
        let (all, kept) = (words(self.all.committed()), words(self.kept.committed()));
        assert_eq!(all, kept, "{:?}", self.open);
        Ok(())
    }
}

#[test]
fn generated_transactions_report_what_stays() -> Result<()> {
    for seed in 1..=10 {
        let (all, kept) = (Watched::new(1000, SCHEMA)?, Watched::new(1000, SCHEMA)?);
        let mut pair = Pair { all, kept, open: Vec::new(), random: seed * 0x9e37_79b9_7f4a_7c15 };
        for _ in 0..60 {
            pair.transaction()?;
        }
    }
    Ok(())
}
