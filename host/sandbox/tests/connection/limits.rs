//! Limits of memory, time, rows and bytes: an error each, and the connection goes on.

use std::time::{Duration, Instant};

use crate::support::{ENDLESS, builder};
use sqlite_sandbox::{Database, Error, Limit, Result};

#[test]
fn memory_has_a_limit_and_the_connection_goes_on() -> Result<()> {
    let limited = builder().memory(32 << 20).build()?;
    let (db, other) = (limited.open_in_memory()?, limited.open_in_memory()?);
    let error = db.execute_batch("SELECT length(hex(randomblob(20000000)))").unwrap_err();
    assert!(matches!(error, Error::LimitReached(Limit::Memory(_))), "{error:?}");
    db.execute_batch("CREATE TABLE t(a)")?;
    let fill = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c)
                INSERT INTO t SELECT randomblob(100000) FROM c";
    let error = db.execute_batch(fill).unwrap_err();
    assert!(matches!(error, Error::LimitReached(Limit::Memory(_))), "{error:?}");
    assert_eq!(db.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, i64>(0))?, 0);
    other.execute_batch("CREATE TABLE u AS SELECT randomblob(100000)")?;
    assert!(builder().memory(1 << 20).build()?.open_in_memory().is_err());
    Ok(())
}

/// Each is one step of SQLite's program, which takes longer than anybody waits.
const LONG_STEPS: [&str; 3] = [
    "SELECT printf('%.*c', 4000000, 'a') LIKE '%' || printf('%.*c', 40000, 'a') || 'b'",
    "SELECT instr(printf('%.*c', 8000000, 'a'), printf('%.*c', 4000000, 'a') || 'b')",
    "SELECT replace(printf('%.*c', 8000000, 'a'), printf('%.*c', 4000000, 'a') || 'b', '')",
];

#[test]
fn one_long_step_ends_too() -> Result<()> {
    let limited = builder().statement_time(Duration::from_millis(100)).build()?;
    let other = limited.open_in_memory()?;
    for sql in LONG_STEPS {
        let db = limited.open_in_memory()?;
        let error = db.execute_batch(sql).unwrap_err();
        assert!(matches!(error, Error::LimitReached(Limit::StatementTime(_))), "{error:?}");
        assert!(db.is_gone());
        assert!(matches!(db.execute_batch("SELECT 1"), Err(Error::Trapped(_))));
        other.execute_batch("SELECT 1")?;
    }
    let whole = builder().time(Duration::from_millis(100)).build()?.open_in_memory()?;
    let error = whole.execute_batch(LONG_STEPS[0]).unwrap_err();
    assert!(matches!(error, Error::LimitReached(Limit::Time(_))), "{error:?}");
    assert!(whole.is_gone());
    Ok(())
}

#[test]
fn time_has_a_limit_for_a_statement_and_in_all() -> Result<()> {
    let limited = builder().statement_time(Duration::from_millis(200)).build()?;
    let db = limited.open_in_memory()?;
    let start = Instant::now();
    let error = db.execute_batch(ENDLESS).unwrap_err();
    assert!(matches!(error, Error::LimitReached(Limit::StatementTime(_))), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
    // Each of its blocks is fast.
    let series = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT i FROM c";
    let mut statement = db.prepare(series)?;
    let mut rows = statement.query(())?;
    let failed = loop {
        match rows.next() {
            Ok(row) => assert!(row.is_some()),
            Err(error) => break error,
        }
    };
    assert!(matches!(failed, Error::LimitReached(Limit::StatementTime(_))), "{failed:?}");
    drop(rows);
    db.execute_batch("SELECT 1")?;
    let db = builder().time(Duration::from_millis(200)).build()?.open_in_memory()?;
    std::thread::sleep(Duration::from_millis(250));
    let error = db.execute_batch(ENDLESS).unwrap_err();
    assert!(matches!(error, Error::LimitReached(Limit::Time(_))), "{error:?}");
    Ok(())
}

#[test]
fn rows_and_bytes_have_limits() -> Result<()> {
    let series = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT i FROM c";
    let count = |database: Database| -> Result<(i64, Error)> {
        let db = database.open_in_memory()?;
        let mut statement = db.prepare(series)?;
        let mut rows = statement.query(())?;
        let mut last = 0;
        loop {
            match rows.next() {
                Ok(Some(row)) => last = row.get(0)?,
                Ok(None) => panic!("it has no end"),
                Err(error) => return Ok((last, error)),
            }
        }
    };
    let (last, error) = count(builder().rows(100).build()?)?;
    assert_eq!(last, 100);
    assert!(matches!(error, Error::LimitReached(Limit::Rows(100))), "{error:?}");
    let (last, error) = count(builder().bytes(900).build()?)?;
    assert_eq!(last, 100);
    assert!(matches!(error, Error::LimitReached(Limit::Bytes(900))), "{error:?}");
    let db = builder().bytes(1000).build()?.open_in_memory()?;
    let long = db.query_row("SELECT zeroblob(1000)", (), |row| row.get::<_, Vec<u8>>(0));
    assert!(matches!(long, Err(Error::LimitReached(Limit::Bytes(1000)))));
    Ok(())
}

/// Statements too short for SQLite to look at the clock.
#[test]
fn the_time_of_a_connection_ends_short_statements_too() {
    let time = Duration::from_millis(200);
    let database = builder().time(time).build().unwrap();
    let db = database.open_in_memory().unwrap();
    db.execute_batch("CREATE TABLE t(x)").unwrap();
    let start = Instant::now();
    let error = loop {
        match db.execute("INSERT INTO t VALUES(1)", ()) {
            Ok(_) => assert!(start.elapsed() < Duration::from_secs(20), "it goes on"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::LimitReached(Limit::Time(limit)) if limit == time), "{error}");
}
