//! The interface: what rusqlite's does, this does.

use std::io::{Read, Seek, SeekFrom, Write};
use std::time::Duration;

use crate::support::{ENDLESS, builder, database, fill, memory};
use sqlite_sandbox::types::{Null, Type, Value, ValueRef};
use sqlite_sandbox::{
    DropBehavior, Error, ErrorCode, OpenFlags, OptionalExtension, Result, Row, TransactionBehavior,
    named_params, params, params_from_iter,
};

#[test]
fn values_come_back_as_they_were_bound() -> Result<()> {
    let db = memory();
    let long = "ä".repeat(5000);
    let values = params![1, -2.5, "text", vec![0_u8, 255], Null, long];
    let row = db.query_row("SELECT ?1, ?2, ?3, ?4, ?5, ?6", values, |row| {
        assert_eq!(row.get_ref(0)?, ValueRef::Integer(1));
        assert_eq!(row.get::<_, f64>(1)?, -2.5);
        assert_eq!(row.get::<_, String>(2)?, "text");
        assert_eq!(row.get::<_, Vec<u8>>(3)?, [0, 255]);
        assert_eq!(row.get::<_, Option<i64>>(4)?, None);
        row.get::<_, String>(5)
    })?;
    assert_eq!(row, long);
    let value: Value = db.query_row("SELECT 'a' || char(0) || 'b'", (), |row| row.get(0))?;
    assert_eq!(value, Value::Text("a\0b".into()));
    Ok(())
}

/// The mailbox has 4096 bytes: requests and replies around that length take different ways.
#[test]
fn values_of_every_length_come_back() -> Result<()> {
    let db = memory();
    let mut echo = db.prepare("SELECT ?1")?;
    let mut short = db.prepare("SELECT length(?1)")?;
    let mut made = db.prepare("SELECT zeroblob(?1)")?;
    for length in (0..200).chain(3900..4200).chain(65_500..65_600) {
        let value: Vec<u8> = (0..length).map(|n| (n * 7 + length) as u8).collect();
        assert_eq!(echo.query_row([&value], |row| row.get::<_, Vec<u8>>(0))?, value, "{length}");
        assert_eq!(short.query_row([&value], |row| row.get::<_, usize>(0))?, value.len());
        let zeros = made.query_row([length], |row| row.get::<_, Vec<u8>>(0))?;
        assert_eq!(zeros, vec![0; value.len()]);
        let failure = format!("SELECT '{}' FROM missing", "x".repeat(value.len()));
        assert!(db.prepare(&failure).is_err());
    }
    Ok(())
}

#[test]
fn parameters_are_checked() -> Result<()> {
    let db = memory();
    let mut add = db.prepare("SELECT :a + :b")?;
    let named = named_params! { ":a": 1, ":b": 2 };
    assert_eq!(add.query_row(named, |row| row.get::<_, i64>(0))?, 3);
    assert_eq!(add.query_row((3, 4), |row| row.get::<_, i64>(0))?, 7);
    assert_eq!(add.query_row(params_from_iter([5, 6]), |row| row.get::<_, i64>(0))?, 11);
    assert_eq!((add.parameter_count(), add.parameter_index(":b")?), (2, Some(2)));
    assert_eq!(add.parameter_name(1).as_deref(), Some(":a"));
    let get = |row: &sqlite_sandbox::Row<'_>| row.get::<_, i64>(0);
    assert!(matches!(add.query_row([1], get), Err(Error::InvalidParameterCount(1, 2))));
    assert!(matches!(add.query_row((1, 2, 3), get), Err(Error::InvalidParameterCount(3, 2))));
    let other = named_params! { ":c": 1 };
    assert!(matches!(add.query_row(other, get), Err(Error::InvalidParameterName(_))));
    assert!(matches!(db.execute("SELECT ?1", []), Err(Error::InvalidParameterCount(0, 1))));
    Ok(())
}

#[test]
fn rows_of_many_blocks_are_all_there() -> Result<()> {
    let db = memory();
    fill(&db, 3000);
    let mut statement = db.prepare("SELECT * FROM t ORDER BY id")?;
    for _ in 0..2 {
        let mut rows = statement.query(())?;
        let mut count = 0_i64;
        while let Some(row) = rows.next()? {
            count += 1;
            assert_eq!(row.get::<_, i64>("id")?, count);
            assert_eq!(row.get::<_, String>(1)?, format!("name {count}"));
            assert_eq!(row.get::<_, f64>("price")?, count as f64 / 4.0);
            assert_eq!(row.get::<_, Vec<u8>>(3)?.len() as i64, count % 50);
        }
        assert_eq!(count, 3000);
    }
    assert_eq!(statement.column_names(), ["id", "name", "price", "data"]);
    assert!(statement.readonly());
    Ok(())
}

#[test]
fn a_query_that_is_left_early_holds_no_lock() -> Result<()> {
    let directory = tempfile::tempdir().expect("there is room");
    let path = directory.path().join("x.db");
    let (one, other) = (database().open(&path)?, database().open(&path)?);
    fill(&one, 1000);
    other.busy_timeout(Duration::ZERO)?;
    let mut statement = one.prepare("SELECT * FROM t")?;
    let mut rows = statement.query(())?;
    assert!(rows.next()?.is_some());
    let busy = other.execute("DELETE FROM t", ()).unwrap_err();
    assert_eq!(busy.sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
    drop(rows);
    assert_eq!(other.execute("DELETE FROM t", ())?, 1000);
    Ok(())
}

#[test]
fn a_reader_sees_what_changes_before_its_next_row() -> Result<()> {
    let db = database().open_in_memory()?;
    fill(&db, 8);
    let mut statement = db.prepare("SELECT name FROM t")?;
    let mut rows = statement.query(())?;
    for id in 1..8 {
        assert!(rows.next()?.is_some());
        db.execute("UPDATE t SET name = 'changed' WHERE id = ?1", [id + 1])?;
    }
    let row = rows.next()?.expect("the last row");
    assert_eq!(row.get::<_, String>(0)?, "changed");
    Ok(())
}

#[test]
fn errors_say_what_is_wrong() -> Result<()> {
    let db = memory();
    let Err(Error::SqlInputError { offset, msg, error, .. }) = db.prepare("SELECT  nope") else {
        panic!("there is no such column")
    };
    assert_eq!((offset, error.extended_code), (8, 1));
    assert_eq!(msg, "no such column: nope");
    db.execute_batch("CREATE TABLE u(a UNIQUE); INSERT INTO u VALUES (1)")?;
    let error = db.execute("INSERT INTO u VALUES (1)", ()).unwrap_err();
    assert_eq!(error.sqlite_error().map(|error| error.extended_code), Some(2067));
    assert_eq!(error.to_string(), "UNIQUE constraint failed: u.a");
    assert!(matches!(db.execute("SELECT 1", ()), Err(Error::ExecuteReturnedResults)));
    assert!(matches!(db.prepare("SELECT 1; SELECT 2"), Err(Error::MultipleStatement)));
    let (mut first, used) = db.prepare_first("/* a */ SELECT 1; SELECT 2").unwrap();
    assert_eq!((first.query_one((), |row| row.get::<_, i64>(0)).unwrap(), used), (1, 17));
    assert_eq!(db.prepare_first(" -- x").unwrap().0.column_count(), 0);
    let get = |row: &sqlite_sandbox::Row<'_>| row.get::<_, i64>(0);
    assert!(matches!(
        db.query_row("SELECT 'x'", (), get),
        Err(Error::InvalidColumnType(0, _, Type::Text))
    ));
    assert!(matches!(db.query_row("SELECT 1 WHERE 0", (), get), Err(Error::QueryReturnedNoRows)));
    assert_eq!(db.query_row("SELECT 1 WHERE 0", (), get).optional()?, None);
    let narrow = db.query_row("SELECT 300", (), |row| row.get::<_, u8>(0));
    assert!(matches!(narrow, Err(Error::IntegralValueOutOfRange(0, 300))));
    let missing = db.query_row("SELECT 1", (), |row| row.get::<_, i64>(7));
    assert!(matches!(missing, Err(Error::InvalidColumnIndex(7))));
    assert!(matches!(
        db.prepare("SELECT 1 UNION SELECT 2")?.query_one((), get),
        Err(Error::QueryReturnedMoreThanOneRow)
    ));
    assert_eq!(db.execute("-- nothing", ())?, 0);
    Ok(())
}

#[test]
fn a_step_that_fails_comes_after_its_rows() -> Result<()> {
    let db = memory();
    db.execute_batch("CREATE TABLE j(a); INSERT INTO j VALUES ('[1]'), ('[2]'), ('no')")?;
    let mut statement = db.prepare("SELECT json(a) FROM j")?;
    let rows: Vec<Result<String>> = statement.query_map((), |row| row.get(0))?.collect();
    assert!(rows.len() <= 4 && rows[0].is_ok() && rows.iter().any(Result::is_err));
    Ok(())
}

#[test]
fn transactions_end_as_they_were_told() -> Result<()> {
    let mut db = memory();
    db.execute_batch("CREATE TABLE t(a)")?;
    let count = |db: &sqlite_sandbox::Connection| {
        db.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, i64>(0))
    };
    let transaction = db.transaction()?;
    transaction.execute("INSERT INTO t VALUES (1)", ())?;
    assert!(!transaction.is_autocommit()?);
    drop(transaction);
    assert_eq!(count(&db)?, 0);
    let mut transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.set_drop_behavior(DropBehavior::Commit);
    transaction.execute("INSERT INTO t VALUES (1)", ())?;
    let savepoint = transaction.savepoint()?;
    savepoint.execute("INSERT INTO t VALUES (2)", ())?;
    drop(savepoint);
    let savepoint = transaction.savepoint()?;
    savepoint.execute("INSERT INTO t VALUES (3)", ())?;
    savepoint.commit()?;
    drop(transaction);
    assert_eq!(count(&db)?, 2);
    assert!(db.is_autocommit()?);
    Ok(())
}

#[test]
fn cached_statements_are_prepared_once() -> Result<()> {
    let db = memory();
    for n in 0..40 {
        let mut statement = db.prepare_cached("SELECT ?1 + 1")?;
        assert_eq!(statement.query_row([n], |row| row.get::<_, i64>(0))?, n + 1);
    }
    for n in 0..100 {
        assert!(db.prepare_cached(&format!("SELECT {n}"))?.exists(())?);
    }
    db.set_prepared_statement_cache_capacity(0);
    db.prepare_cached("SELECT 1")?.discard();
    let open = "SELECT count(*) FROM sqlite_stmt";
    assert_eq!(db.query_row(open, (), |row| row.get::<_, i64>(0))?, 1);
    Ok(())
}

#[test]
fn long_cached_statements_do_not_fill_the_memory() -> Result<()> {
    let db = builder().memory(64 << 20).build()?.open_in_memory()?;
    db.set_prepared_statement_cache_capacity(64);
    for number in 0..40 {
        let sql = format!("SELECT {number}, length('{}')", "x".repeat(900 << 10));
        let found = db.prepare_cached(&sql)?.query_row((), |row| row.get::<_, i64>(1))?;
        assert_eq!(found, 900 << 10);
    }
    Ok(())
}

#[test]
fn cached_statements_forget_their_values() -> Result<()> {
    let db = memory();
    let sql = "SELECT :a, :b";
    let both = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?));
    let first = db.prepare_cached(sql)?.query_row(&[(":a", &1), (":b", &2)], both)?;
    assert_eq!(first, (1, Some(2)));
    assert_eq!(db.prepare_cached(sql)?.query_row(&[(":a", &3)], both)?, (3, None));
    db.prepare_cached(sql)?.raw_bind_parameter(2, &4)?;
    assert_eq!(db.prepare_cached(sql)?.query_row(&[(":a", &5)], both)?, (5, None));
    let mut leaky = db.prepare_cached("SELECT value FROM json_each('[1, 2, 3]'), (SELECT ?1)")?;
    std::mem::forget(leaky.query([1])?);
    drop(leaky);
    db.execute_batch("SELECT 1")
}

#[test]
fn blobs_are_read_and_written_in_place() -> Result<()> {
    let db = memory();
    db.execute_batch("CREATE TABLE b(a); INSERT INTO b VALUES (zeroblob(3000000)), (x'0102')")?;
    let mut blob = db.blob_open("main", "b", "a", 1, false)?;
    assert_eq!(blob.len(), 3_000_000);
    let content: Vec<u8> = (0..3_000_000_u32).map(|n| n as u8).collect();
    blob.write_all(&content).expect("it fits");
    assert!(matches!(blob.write_all_at(&[1], 3_000_000), Err(Error::BlobSizeError)));
    blob.seek(SeekFrom::End(-5)).expect("it is inside");
    let mut end = Vec::new();
    blob.read_to_end(&mut end).expect("it is there");
    assert_eq!(end, content[2_999_995..]);
    let mut all = vec![0; 3_000_000];
    blob.read_at_exact(&mut all, 0)?;
    assert!(all == content);
    blob.reopen(2)?;
    assert_eq!(blob.len(), 2);
    assert!(blob.reopen(9).is_err());
    drop(blob);
    assert!(db.blob_open("main", "b", "nope", 1, true).is_err());
    Ok(())
}

#[test]
fn an_interruption_ends_what_runs_and_nothing_later() -> Result<()> {
    let db = memory();
    let handle = db.get_interrupt_handle();
    handle.interrupt();
    db.execute_batch("SELECT 1")?;
    let later = handle.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        later.interrupt();
    });
    let error = db.execute_batch(ENDLESS).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
    thread.join().expect("it ends");
    fill(&db, 1000);
    let mut statement = db.prepare("SELECT * FROM t")?;
    let mut rows = statement.query(())?;
    rows.next()?;
    handle.interrupt();
    let rest = std::iter::from_fn(|| rows.next().map(|row| row.map(drop)).transpose());
    assert!(rest.last().expect("there are more").is_err());
    Ok(())
}

#[test]
fn connections_move_between_threads_and_work_at_the_same_time() {
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let db = memory();
            // Smaller than SQLite's own stack.
            let thread = std::thread::Builder::new().stack_size(128 << 10);
            thread.spawn(move || {
                fill(&db, 2000);
                let deep = format!("SELECT {}1{}", "(".repeat(900), ")".repeat(900));
                db.query_row(&deep, (), |row| row.get::<_, i64>(0)).expect("it is deep");
                db.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, i64>(0))
            })
        })
        .collect();
    for thread in threads {
        let count = thread.expect("it starts").join().expect("it ends");
        assert_eq!(count.expect("it counts"), 2000);
    }
}

#[test]
fn databases_are_opened_as_they_were_told() -> Result<()> {
    let directory = tempfile::tempdir().expect("there is room");
    let path = directory.path().join("x.db");
    let missing = database().open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let code = missing.unwrap_err().sqlite_error_code();
    assert_eq!(code, Some(ErrorCode::CannotOpen));
    database().open(&path)?.execute_batch("CREATE TABLE t(a)")?;
    let db = database().open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let error = db.execute_batch("INSERT INTO t VALUES (1)").unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly));
    let text = |pragma| db.pragma_query_value(None, pragma, |row| row.get::<_, String>(0));
    assert_eq!(text("journal_mode")?, "delete");
    db.close()
}

#[test]
fn a_dropped_connection_is_closed() -> Result<()> {
    let directory = tempfile::tempdir().expect("there is room");
    let (path, log) = (directory.path().join("x.db"), directory.path().join("x.db-wal"));
    let db = database().open(&path)?;
    db.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t(a)")?;
    assert!(log.exists());
    db.get_interrupt_handle().interrupt();
    drop(db);
    assert!(!log.exists());
    Ok(())
}

#[test]
fn links_are_not_followed_where_that_is_forbidden() -> Result<()> {
    let directory = tempfile::tempdir().expect("there is room");
    let real = directory.path().canonicalize().expect("it exists");
    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    for (link, target) in [("link", "x.db"), ("nowhere", "missing"), ("directory", ".")] {
        std::os::unix::fs::symlink(target, real.join(link)).expect("it is new");
    }
    database().open_with_flags(real.join("x.db"), flags)?.execute_batch("CREATE TABLE t(a)")?;
    for link in ["link", "nowhere", "directory/x.db"] {
        let error = database().open_with_flags(real.join(link), flags).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen), "{link}");
    }
    database().open(real.join("link"))?.execute_batch("SELECT a FROM t")
}

#[cfg(feature = "r2d2")]
#[test]
fn a_pool_drops_what_cannot_be_used_again() -> Result<()> {
    use r2d2::ManageConnection;
    use sqlite_sandbox::pool::ConnectionManager;
    let manager = ConnectionManager::new(database().clone(), ":memory:");
    let mut db = manager.connect()?;
    assert!(!manager.has_broken(&mut db));
    db.execute_batch("BEGIN")?;
    assert!(manager.has_broken(&mut db));
    let database = crate::support::builder().time(std::time::Duration::from_secs(1)).build()?;
    let manager = ConnectionManager::new(database, ":memory:");
    let mut db = manager.connect()?;
    assert!(!manager.has_broken(&mut db) && manager.is_valid(&mut db).is_ok());
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(manager.has_broken(&mut db) && manager.is_valid(&mut db).is_err());
    Ok(())
}

#[test]
fn statements_know_their_text() -> Result<()> {
    let db = memory();
    let mut statement = db.prepare("SELECT ?1 AS a /* x */;  ")?;
    statement.query_row(["it's"], |_| Ok(()))?;
    assert_eq!(statement.expanded_sql()?.as_deref(), Some("SELECT 'it''s' AS a /* x */;"));
    assert!(statement.sql().starts_with("SELECT ?1"));
    assert_eq!((statement.column_count(), statement.column_name(0)?), (1, "a"));
    statement.finalize()
}

#[test]
fn an_extension_is_loaded() -> Result<()> {
    let db = memory();
    assert!(db.load_extension("nope").is_err());
    db.load_extension("series")?;
    let sum = "SELECT sum(value) FROM generate_series(1, 100)";
    assert_eq!(db.query_row(sum, (), |row| row.get::<_, i64>(0))?, 5050);
    let error = db.execute_batch("SELECT load_extension('uuid')").unwrap_err();
    assert_eq!(error.to_string(), "not authorized");
    Ok(())
}
