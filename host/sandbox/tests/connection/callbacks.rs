//! Functions, collations and hooks of the program.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use parking_lot::ReentrantMutex;
use sqlite_sandbox::functions::{Aggregate, Context, FunctionFlags, WindowAggregate};
use sqlite_sandbox::hooks::{
    Action, AuthAction, AuthContext, Authorization, PreUpdate, TraceEvent, TraceEventCodes,
};
use sqlite_sandbox::types::{Value, ValueRef};
use sqlite_sandbox::{Connection, Error, ErrorCode, Result};

use crate::support::{ENDLESS, database, fill, memory};

#[test]
fn functions_of_the_program_are_called() -> Result<()> {
    let db = memory();
    let flags = FunctionFlags::SQLITE_UTF8;
    let state = Arc::new(());
    let held = state.clone();
    db.create_scalar_function("twice", 1, flags, move |context| {
        let _held = &held;
        Ok(match context.get_raw(0) {
            ValueRef::Integer(number) => Value::Integer(number * 2),
            value => Value::Text(value.as_str().unwrap_or_default().repeat(2)),
        })
    })?;
    let all = "SELECT twice(21), twice('ab'), twice(printf('%.100c', 'x')), twice(1.5)";
    db.query_row(all, (), |row| {
        assert_eq!(row.get::<_, i64>(0)?, 42);
        assert_eq!(row.get::<_, String>(1)?, "abab");
        assert_eq!(row.get::<_, String>(2)?.len(), 200);
        assert_eq!(row.get::<_, String>(3)?, "");
        Ok(())
    })?;
    db.create_scalar_function("fails", -1, flags, |context| {
        Err::<i64, _>(Error::UserFunctionError(format!("{} arguments", context.len()).into()))
    })?;
    for count in [-2, 1001, i32::MAX] {
        let error = db.create_scalar_function("any", count, flags, |_| Ok(1)).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::ApiMisuse));
    }
    let error = db.execute_batch("SELECT fails(1, 2, 3)").unwrap_err();
    assert_eq!(error.to_string(), "3 arguments");
    db.create_scalar_function("panics", 0, flags, |_| -> Result<i64> { panic!("as a test") })?;
    let error = db.execute_batch("SELECT panics()").unwrap_err();
    assert_eq!(error.to_string(), "the program's function panicked");
    db.remove_function("twice", 1)?;
    assert_eq!(Arc::strong_count(&state), 1, "what SQLite dropped is dropped");
    assert!(db.execute_batch("SELECT twice(1)").is_err());
    Ok(())
}

struct Longest;

impl Aggregate<String, Option<String>> for Longest {
    fn init(&self, _: &mut Context<'_>) -> Result<String> {
        Ok(String::new())
    }

    fn step(&self, context: &mut Context<'_>, longest: &mut String) -> Result<()> {
        let text: String = context.get(0)?;
        if text.len() > longest.len() {
            *longest = text;
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, longest: Option<String>) -> Result<Option<String>> {
        Ok(longest)
    }
}

struct Sum;

impl Aggregate<i64, i64> for Sum {
    fn init(&self, _: &mut Context<'_>) -> Result<i64> {
        Ok(0)
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut i64) -> Result<()> {
        *sum += context.get::<i64>(0)?;
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<i64>) -> Result<i64> {
        Ok(sum.unwrap_or(0))
    }
}

impl WindowAggregate<i64, i64> for Sum {
    fn value(&self, sum: Option<&mut i64>) -> Result<i64> {
        Ok(sum.copied().unwrap_or(0))
    }

    fn inverse(&self, context: &mut Context<'_>, sum: &mut i64) -> Result<()> {
        *sum -= context.get::<i64>(0)?;
        Ok(())
    }
}

#[test]
fn aggregates_and_windows_of_the_program_are_called() -> Result<()> {
    let db = memory();
    let flags = FunctionFlags::default();
    db.create_aggregate_function("longest", 1, flags, Longest)?;
    db.create_window_function("mysum", 1, flags, Sum)?;
    fill(&db, 100);
    let mut statement = db.prepare("SELECT id % 3, longest(name) FROM t GROUP BY 1 ORDER BY 1")?;
    let groups = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let groups: BTreeMap<i64, String> = groups.collect::<Result<_>>()?;
    assert_eq!(groups[&1], "name 100");
    let none = "SELECT longest(name) FROM t WHERE 0";
    assert_eq!(db.query_row(none, (), |row| row.get::<_, Option<String>>(0))?, None);
    let mut statement =
        db.prepare("SELECT mysum(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM t WHERE id < 5")?;
    let sums: Vec<i64> = statement.query_map((), |row| row.get(0))?.collect::<Result<_>>()?;
    assert_eq!(sums, [1, 3, 5, 7]);
    let error = db.execute_batch("SELECT mysum('x')").unwrap_err();
    assert!(error.to_string().contains("argument 0 is Text"), "{error}");
    Ok(())
}

#[test]
fn collations_of_the_program_sort() -> Result<()> {
    let db = memory();
    db.create_collation("backwards", |a, b| b.cmp(a))?;
    let sql = "SELECT group_concat(value, '') FROM
               (SELECT value FROM json_each('[\"a\", \"c\", \"b\"]') ORDER BY value COLLATE backwards)";
    assert_eq!(db.query_row(sql, (), |row| row.get::<_, String>(0))?, "cba");
    db.remove_collation("backwards")?;
    assert!(db.execute_batch(sql).is_err());
    Ok(())
}

#[test]
fn hooks_are_called() -> Result<()> {
    let db = memory();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let to = seen.clone();
    db.update_hook(Some(move |action: Action, schema: &str, table: &str, row: i64| {
        to.lock().unwrap().push((action, format!("{schema}.{table}"), row));
    }))?;
    let rollbacks = Arc::new(AtomicUsize::new(0));
    let counted = rollbacks.clone();
    db.rollback_hook(Some(move || {
        counted.fetch_add(1, Ordering::Relaxed);
    }))?;
    db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1); UPDATE t SET a = 2")?;
    db.commit_hook(Some(|| true))?;
    assert!(db.execute_batch("DELETE FROM t WHERE a = 2").is_err());
    db.commit_hook(None::<fn() -> bool>)?;
    assert_eq!(rollbacks.load(Ordering::Relaxed), 1);
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], (Action::SQLITE_INSERT, "main.t".into(), 1));
    assert_eq!(
        seen.iter().map(|(action, ..)| *action).collect::<Vec<_>>()[1..],
        [Action::SQLITE_UPDATE, Action::SQLITE_DELETE]
    );
    Ok(())
}

#[test]
fn an_authorizer_decides() -> Result<()> {
    let db = memory();
    db.execute_batch("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")?;
    db.authorizer(Some(|context: AuthContext| match context.action {
        AuthAction::Read { column_name: "b", .. } => Authorization::Ignore,
        AuthAction::Insert { table_name } => {
            assert_eq!((table_name, context.database_name), ("t", Some("main")));
            Authorization::Deny
        }
        _ => Authorization::Allow,
    }))?;
    let row = db.query_row("SELECT a, b FROM t", (), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
    })?;
    assert_eq!(row, (1, None));
    let error = db.execute_batch("INSERT INTO t VALUES (3, 4)").unwrap_err();
    assert_eq!(
        error.sqlite_error_code(),
        Some(ErrorCode::AuthorizationForStatementDenied),
        "{error}"
    );
    // An authorizer that panics denies the action, and is called again for the next one.
    db.authorizer(Some(|_: AuthContext| -> Authorization { panic!("as a test") }))?;
    assert!(db.execute_batch("SELECT 1").is_err() && db.execute_batch("SELECT 1").is_err());
    db.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
    db.execute_batch("INSERT INTO t VALUES (3, 4)")
}

#[test]
fn changes_and_statements_are_told() -> Result<()> {
    let db = memory();
    db.execute_batch("CREATE TABLE t(a, b)")?;
    let (seen, told) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let to = seen.clone();
    db.preupdate_hook(Some(move |row: &PreUpdate| {
        let change = (row.action, row.table.to_owned(), row.old.clone(), row.new.clone());
        to.lock().unwrap().push(change);
    }))?;
    let to = told.clone();
    let codes = TraceEventCodes::SQLITE_TRACE_STMT | TraceEventCodes::SQLITE_TRACE_PROFILE;
    db.trace_v2(
        codes,
        Some(move |event: TraceEvent| match event {
            TraceEvent::Stmt(sql, expanded) => to.lock().unwrap().push(format!("{sql} {expanded}")),
            TraceEvent::Profile(sql, _) => to.lock().unwrap().push(format!("end {sql}")),
            other => panic!("{other:?}"),
        }),
    )?;
    db.execute("INSERT INTO t VALUES (?1, 'x')", [7])?;
    db.preupdate_hook(None::<fn(&PreUpdate<'_>)>)?;
    db.trace_v2(codes, None::<fn(TraceEvent<'_>)>)?;
    db.execute_batch("DELETE FROM t")?;
    let new = vec![Value::Integer(7), Value::Text("x".into())];
    assert_eq!(*seen.lock().unwrap(), [(Action::SQLITE_INSERT, "t".to_owned(), None, Some(new))]);
    let told = told.lock().unwrap();
    assert_eq!(told[0], "INSERT INTO t VALUES (?1, 'x') INSERT INTO t VALUES (7, 'x')");
    assert_eq!(told[1], "end INSERT INTO t VALUES (?1, 'x')");
    assert_eq!(told.len(), 2);
    Ok(())
}

#[test]
fn the_log_is_told_and_its_failure_is_the_commits() -> Result<()> {
    let directory = tempfile::tempdir().expect("there is room");
    let db = database().open(directory.path().join("x.db"))?;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let to = seen.clone();
    db.wal_hook(Some(move |schema: &str, pages: u32| {
        to.lock().unwrap().push((schema.to_owned(), pages > 0));
        Ok(())
    }))?;
    db.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t(a)")?;
    assert_eq!(*seen.lock().unwrap(), [("main".to_owned(), true)]);
    // A hook that is set when the connection is closed is not called any more.
    db.rollback_hook(Some(|| panic!("it is closed")))?;
    db.execute_batch("BEGIN; INSERT INTO t VALUES (1)")?;
    db.close()
}

#[test]
fn a_database_is_bytes() -> Result<()> {
    let mut db = memory();
    db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (7)")?;
    let bytes = db.serialize("main")?;
    assert_eq!(&bytes[..15], b"SQLite format 3");
    assert!(db.serialize("nowhere").is_err());
    db.deserialize("main", &bytes, true)?;
    assert!(db.execute_batch("INSERT INTO t VALUES (8)").is_err());
    assert!(db.deserialize("nowhere", &bytes, true).is_err());
    db.deserialize("main", b"not a database, but bytes", false)?;
    assert!(db.execute_batch("SELECT * FROM t").is_err());
    Ok(())
}

#[test]
fn a_progress_handler_interrupts() -> Result<()> {
    let db = memory();
    let mut calls = 0;
    db.progress_handler(
        10_000,
        Some(move || {
            calls += 1;
            calls > 3
        }),
    )?;
    let error = db.execute_batch(ENDLESS).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
    db.progress_handler(0, None::<fn() -> bool>)?;
    db.execute_batch("SELECT 1")
}

#[test]
fn a_busy_handler_decides_how_long_to_wait() -> Result<()> {
    let directory = tempfile::tempdir().expect("there is room");
    let path = directory.path().join("x.db");
    let (one, other) = (database().open(&path)?, database().open(&path)?);
    one.execute_batch("CREATE TABLE t(a); BEGIN IMMEDIATE")?;
    let calls = Arc::new(AtomicI32::new(0));
    let counted = calls.clone();
    other.busy_handler(Some(move |count| {
        counted.store(count, Ordering::Relaxed);
        count < 5
    }))?;
    assert!(other.execute_batch("INSERT INTO t VALUES (1)").is_err());
    assert_eq!(calls.load(Ordering::Relaxed), 5);
    let start = Instant::now();
    other.busy_timeout(Duration::from_millis(100))?;
    assert!(other.execute_batch("INSERT INTO t VALUES (1)").is_err());
    assert!(start.elapsed() >= Duration::from_millis(90));
    Ok(())
}

type Shared = Arc<ReentrantMutex<Connection>>;

/// A function `nested(SQL)` that returns what a query returns, on the connection that calls it.
fn with_nested() -> Result<Shared> {
    let db: Shared = Arc::new(ReentrantMutex::new(memory()));
    let own = Arc::downgrade(&db);
    db.lock().create_scalar_function("nested", 1, FunctionFlags::SQLITE_UTF8, move |context| {
        let db = own.upgrade().expect("it calls this");
        let db = db.lock();
        db.query_row(&context.get::<String>(0)?, (), |row| row.get::<_, Value>(0))
    })?;
    Ok(db)
}

#[test]
fn a_function_uses_the_connection_that_calls_it() -> Result<()> {
    let shared = with_nested()?;
    let db = shared.lock();
    db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")?;
    let sum: i64 =
        db.query_row("SELECT sum(nested('SELECT sum(a) FROM t')) FROM t", (), |row| row.get(0))?;
    assert_eq!(sum, 18);
    let long: String =
        db.query_row("SELECT nested('SELECT printf(''%.*c'', 100000, ''x'')')", (), |row| {
            row.get(0)
        })?;
    assert_eq!(long.len(), 100_000);
    let error = db.execute_batch("SELECT nested('SELECT missing')").unwrap_err();
    assert_eq!(error.to_string(), "no such column: missing in SELECT missing at offset 7");
    // The connection goes on.
    let error = db.execute_batch("SELECT nested('SELECT nested(1)')").unwrap_err();
    assert_eq!(error.to_string(), "the program's function is called by its own SQL");
    assert_eq!(db.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, i64>(0))?, 3);
    Ok(())
}

#[test]
fn a_function_writes_in_the_statement_that_calls_it() -> Result<()> {
    let shared = with_nested()?;
    let db = shared.lock();
    db.execute_batch("CREATE TABLE t(a); CREATE TABLE log(a)")?;
    db.execute_batch(
        "INSERT INTO t SELECT nested('INSERT INTO log VALUES (7) RETURNING a') FROM \
         (VALUES (1), (2))",
    )?;
    let both = "SELECT (SELECT count(*) FROM t), (SELECT sum(a) FROM log)";
    let both: (i64, i64) = db.query_row(both, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
    assert_eq!(both, (2, 14));
    Ok(())
}

/// The host cannot leave the inner one for the outer one: a trap would return to the wrong one.
#[test]
fn a_connection_that_waits_for_another_one_is_refused() -> Result<()> {
    let (outer, inner) = (with_nested()?, with_nested()?);
    let (own, other) = (Arc::downgrade(&outer), inner.clone());
    let flags = FunctionFlags::SQLITE_UTF8;
    outer.lock().create_scalar_function("other", 1, flags, move |context| {
        other.lock().query_row(&context.get::<String>(0)?, (), |row| row.get::<_, Value>(0))
    })?;
    inner.lock().create_scalar_function("back", 0, flags, move |_| {
        let outer = own.upgrade().expect("it calls this");
        outer.lock().query_row("SELECT 1", (), |row| row.get::<_, i64>(0))
    })?;
    let db = outer.lock();
    let one: i64 = db.query_row("SELECT other('SELECT 1')", (), |row| row.get(0))?;
    assert_eq!(one, 1);
    let error = db.execute_batch("SELECT other('SELECT back()')").unwrap_err();
    assert!(error.to_string().contains("waits for this call"), "{error}");
    db.execute_batch("SELECT other('SELECT 1'), nested('SELECT 2')")
}
