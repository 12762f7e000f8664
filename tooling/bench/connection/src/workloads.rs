//! The workloads, once for each crate: both have the same words.

/// A workload's name, and how many times its unit is done.
pub struct Name {
    pub what: &'static str,
    pub units: u32,
}

const fn name(what: &'static str, units: u32) -> Name {
    Name { what, units }
}

/// In the order of `time` below.
pub const NAMES: [Name; 6] = [
    name("insert", ROWS),
    name("read", ROWS),
    name("scan", ROWS),
    name("prepare", PREPARED),
    name("function", ROWS),
    name("open", OPENED),
];

pub const ROWS: u32 = 100_000;
pub const PREPARED: u32 = 20_000;
pub const OPENED: u32 = 200;

/// `time(&self, workload) -> Result<Duration>` and the work itself, for the crate `$sqlite`, whose
/// `Engine` opens files and databases in memory.
macro_rules! workloads {
    ($sqlite:ident) => {
        use std::time::{Duration, Instant};

        use $sqlite::functions::FunctionFlags;
        use $sqlite::{Connection, Result};

        use crate::workloads::{OPENED, PREPARED, ROWS};

        impl Engine {
            /// How long a workload takes.
            pub fn time(&self, workload: usize) -> Result<Duration> {
                let db = self.open_file()?;
                insert(&db)?;
                let start = Instant::now();
                match workload {
                    0 => insert(&db)?,
                    1 => read(&db)?,
                    2 => scan(&db)?,
                    3 => prepare(&db)?,
                    4 => return call(&db),
                    _ => (0..OPENED).try_for_each(|_| one(&self.open_memory()?))?,
                }
                Ok(start.elapsed())
            }
        }

        fn insert(db: &Connection) -> Result<()> {
            db.execute_batch(
                "DROP TABLE IF EXISTS item;
                 CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, note TEXT);
                 BEGIN",
            )?;
            let mut insert = db.prepare("INSERT INTO item VALUES (?1, ?2, ?3, ?4)")?;
            for id in 0..ROWS {
                insert.execute((id, "a name", f64::from(id) * 0.5, "a note of thirty characters..."))?;
            }
            drop(insert);
            db.execute_batch("COMMIT")
        }

        fn read(db: &Connection) -> Result<()> {
            let mut select = db.prepare("SELECT name, price FROM item WHERE id = ?1")?;
            let mut sum = 0.0;
            for id in 0..ROWS {
                let key = (id.wrapping_mul(7919)) % ROWS;
                sum += select.query_row([key], |row| {
                    row.get_ref(0)?;
                    row.get::<_, f64>(1)
                })?;
            }
            assert!(sum > 0.0);
            Ok(())
        }

        fn scan(db: &Connection) -> Result<()> {
            let mut select = db.prepare("SELECT id, name, price, note FROM item")?;
            let mut rows = select.query(())?;
            let mut bytes = 0;
            while let Some(row) = rows.next()? {
                bytes += row.get::<_, i64>(0)? as usize % 7;
                bytes += row.get_ref(1)?.as_str().map_or(0, str::len);
                bytes += row.get::<_, f64>(2)? as usize % 7;
                bytes += row.get_ref(3)?.as_str().map_or(0, str::len);
            }
            assert!(bytes > 0);
            Ok(())
        }

        fn prepare(db: &Connection) -> Result<()> {
            for id in 0..PREPARED {
                let name: String = db
                    .prepare("SELECT name FROM item WHERE id = ?1")?
                    .query_row([id], |row| row.get(0))?;
                assert_eq!(name, "a name");
            }
            Ok(())
        }

        /// The calls alone: the same statement takes so much longer than without them.
        fn call(db: &Connection) -> Result<Duration> {
            let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
            db.create_scalar_function("own", 1, flags, |context| context.get::<i64>(0))?;
            let time = |sql: &str| -> Result<Duration> {
                let start = Instant::now();
                let sum: i64 = db.query_row(sql, (), |row| row.get(0))?;
                assert!(sum > 0);
                Ok(start.elapsed())
            };
            let without = time("SELECT sum(id) FROM item")?;
            Ok(time("SELECT sum(own(id)) FROM item")?.saturating_sub(without))
        }

        fn one(db: &Connection) -> Result<()> {
            let one: i64 = db.query_row("SELECT 1", (), |row| row.get(0))?;
            assert_eq!(one, 1);
            Ok(())
        }
    };
}

pub(crate) use workloads;
