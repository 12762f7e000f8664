//! A memory error in SQLite, planted for these tests: SQL that reads, writes and calls anything in
//! the sandbox reaches nothing else.

use std::time::{Duration, Instant};

use sqlite_sandbox::{Connection, Database, Error, Result};

use crate::attacks::{Random, budget};
use crate::support::{builder, built, memory};

fn planted() -> Database {
    let guest = built().join("guests/planted_database.wasm");
    assert!(guest.is_file(), "`make guests` makes it");
    let limited = builder().component(guest).memory(64 << 20);
    limited.statement_time(Duration::from_millis(500)).build().expect("it loads")
}

fn read(db: &Connection, address: u64, count: u32) -> Result<Vec<u8>> {
    db.query_row("SELECT planted_read(?1, ?2)", (address as i64, count), |row| row.get(0))
}

fn write(db: &Connection, address: u64, count: u32, byte: u8) -> Result<()> {
    let sql = "SELECT planted_write(?1, ?2, ?3)";
    db.query_row(sql, (address as i64, count, byte), |_| Ok(()))
}

/// Bytes of a read: SQLite copies them within its own memory.
const BLOCK: u32 = 1 << 16;

#[test]
fn all_of_the_memory_has_nothing_of_the_program() -> Result<()> {
    // Made at run time, so that it is nowhere in the component.
    let secret: Vec<u8> = (0..32).map(|index| b'A' + (index * 7 + 3) % 26).collect();
    let holder = memory();
    holder.execute("CREATE TABLE t(a)", ())?;
    holder.execute("INSERT INTO t VALUES (?1)", [String::from_utf8_lossy(&secret)])?;
    let database = planted();
    let db = database.open_in_memory()?;
    // The first address is the null pointer, of which SQLite makes NULL.
    let (mut blocks, mut found) = (1_u64, 0);
    while let Ok(bytes) = read(&db, blocks * u64::from(BLOCK), BLOCK) {
        blocks += 1;
        found += usize::from(bytes.windows(secret.len()).any(|window| window == secret));
    }
    assert!(blocks > 16, "{blocks} blocks could be read");
    assert_eq!(found, 0);
    assert!(db.is_gone(), "the end of the memory traps");
    // The control: in the sandbox that has it, it is found.
    let db = database.open_in_memory()?;
    let kept: bool =
        db.query_row("SELECT ?1 = ?1", [String::from_utf8_lossy(&secret)], |row| row.get(0))?;
    assert!(kept);
    db.execute_batch("CREATE TABLE t(a)")?;
    db.execute("INSERT INTO t VALUES (?1)", [String::from_utf8_lossy(&secret)])?;
    let mut its = (1..blocks).filter_map(|block| read(&db, block * u64::from(BLOCK), BLOCK).ok());
    assert!(its.any(|bytes| bytes.windows(secret.len()).any(|window| window == secret)));
    Ok(())
}

#[test]
fn addresses_behind_the_memory_trap() -> Result<()> {
    let database = planted();
    for address in [64 << 20, u64::from(u32::MAX) - 70_000, u64::from(u32::MAX) - 8] {
        let db = database.open_in_memory()?;
        assert!(matches!(read(&db, address, 4096), Err(Error::Trapped(_))), "{address}");
        let db = database.open_in_memory()?;
        assert!(matches!(write(&db, address, 4096, 7), Err(Error::Trapped(_))), "{address}");
    }
    memory().execute_batch("SELECT 1")
}

#[test]
fn overwritten_memory_ends_one_connection_at_most() -> Result<()> {
    let (database, other) = (planted(), memory());
    other.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (7)")?;
    let (mut random, start, mut cases) = (Random(0x1234_5678_9abc_def1), Instant::now(), 0);
    while cases < 20 || start.elapsed() < budget() {
        cases += 1;
        let db = database.open_in_memory()?;
        let _ = db.execute_batch("CREATE TABLE t(a PRIMARY KEY, b); INSERT INTO t VALUES (1, 2)");
        for _ in 0..40 {
            let (address, count) = (random.below(9 << 20) as u64, random.below(5000) as u32);
            let _ = write(&db, address, count, random.next() as u8);
            let _ = db.execute_batch("INSERT INTO t SELECT a + random(), b FROM t");
            let rows = db.query_row("SELECT group_concat(a) FROM t", (), |row| {
                row.get::<_, Option<String>>(0)
            });
            let _ = (rows, db.last_insert_rowid(), db.changes());
            if db.is_gone() {
                break;
            }
        }
        drop(db);
        assert_eq!(other.query_row("SELECT a FROM t", (), |row| row.get::<_, i64>(0))?, 7);
    }
    Ok(())
}

#[test]
fn an_overwritten_function_pointer_calls_nothing_of_the_program() -> Result<()> {
    let database = planted();
    let mut trapped = 0;
    for function in [0, 1, 2, 3, 17, 100, 1000, 5000, 1 << 20, i64::from(u32::MAX)] {
        let db = database.open_in_memory()?;
        let called = db.query_row("SELECT planted_call(?1)", [function], |_| Ok(()));
        trapped += usize::from(matches!(called, Err(Error::Trapped(_))));
    }
    assert!(trapped >= 4, "{trapped} of the calls trapped");
    memory().execute_batch("SELECT 1")
}
