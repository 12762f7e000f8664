//! querying: SQL from every function, and what an instance keeps, for the tests in
//! `tests/extensions` (`connections.rs`, `nesting.rs`, `sql_work.rs`). Not shipped.
//!
//! The names begin with `sql00`. A test writes other digits over it in the file, and so gets as
//! many extensions as it wants without building them.
//!
//! - `sql00_run(SQL)`: the first value of the first row
//! - `sql00_work(BYTES)`, `sql00_work_later(BYTES)`: the reply to these operations
//! - `sql00_count()`: 1, 2, 3, … in one instance
//! - `sql00_connects()`: how often the instance was connected
//! - `sql00_register(NAME)`: makes a function NAME() which returns that name and
//!   how often it was registered so by this instance
//! - `sql00_break()`: traps
//! - `sql00_farewell(TEXT)`: traps with this text when the connection is
//!   closed, and says whether SQL was available
//! - `sql00_blob(TABLE, COLUMN, ROWID)`: keeps a blob open; the collation
//!   `sql00_order` writes into it, and `sql00_written()` returns the result
//! - `sql00_table`: what `PRAGMA integrity_check` finds is the first value of the
//!   table `problems`; its rows, the first column of `source`

mod table;

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Volatile;
use sqlite_wasm_kit::{
    Arguments, Collation, IntoOutput, Module, ModuleKind::Eponymous, Need, Output, Result, Scalar,
    Value, bindings, sql,
};

const SCALARS: &[Scalar] = &[
    Scalar::new("sql00_run", 1, Volatile, Innocuous, |a| a.apply(first)),
    Scalar::new("sql00_work", 1, Volatile, Innocuous, |a| a.apply(work)),
    Scalar::new("sql00_work_later", 1, Volatile, Innocuous, |a| a.apply(work_later)),
    Scalar::new("sql00_count", 0, Volatile, Innocuous, |a| a.apply(|| next(&COUNT))),
    Scalar::new("sql00_connects", 0, Volatile, Innocuous, |a| a.apply(|| CONNECTS.get())),
    Scalar::new("sql00_register", 1, Volatile, Innocuous, |a| a.apply(register)),
    Scalar::new("sql00_break", 0, Volatile, Innocuous, |_| panic!("told to break")),
    Scalar::new("sql00_farewell", 1, Volatile, Innocuous, |a| {
        a.apply(|text: String| FAREWELL.set(text))
    }),
    Scalar::new("sql00_blob", 3, Volatile, Innocuous, |a| a.apply(keep_blob)),
    Scalar::new("sql00_written", 0, Volatile, Innocuous, |a| a.apply(|| WRITTEN.take())),
];

const COLLATIONS: &[Collation] = &[Collation::new("sql00_order", compare)];

const MODULES: &[Module] =
    &[Module::new::<table::Source>("sql00_table", Eponymous, Innocuous).integrity()];

#[cfg(feature = "read-only")]
const NEEDS: &[Need] = &[Need::SqlReadOnly];
#[cfg(not(feature = "read-only"))]
const NEEDS: &[Need] = &[Need::Sql];

sqlite_wasm_kit::extension! {
    name: "sql00",
    description: "SQL from every place",
    scalars: SCALARS,
    collations: COLLATIONS,
    modules: MODULES,
    needs: NEEDS,
    connect: connect,
    disconnect: disconnect,
    registered: call_registered,
}

thread_local! {
    static COUNT: Cell<i64> = const { Cell::new(0) };
    static CONNECTS: Cell<i64> = const { Cell::new(0) };
    static REGISTERED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static FAREWELL: RefCell<String> = const { RefCell::new(String::new()) };
    static BLOB: RefCell<Option<sql::Blob>> = const { RefCell::new(None) };
    static WRITTEN: RefCell<String> = const { RefCell::new(String::new()) };
}

fn next(counter: &'static std::thread::LocalKey<Cell<i64>>) -> i64 {
    counter.set(counter.get() + 1);
    counter.get()
}

/// The first value that `sql` gives.
fn first(sql: String) -> Result<Option<Value>> {
    let mut statement = sql::prepare(&sql)?;
    let row = statement.query([])?.next().transpose()?;
    Ok(row.and_then(|row| row.into_iter().next()))
}

fn work(operations: Vec<u8>) -> Result<Value> {
    bindings::sql_work::perform(&operations).map(Value::Blob)
}

fn work_later(operations: Vec<u8>) -> Result<()> {
    bindings::sql_work::perform_later(&operations)
}

/// Fails where the database has a table `refuse`, and registers what its table
/// `late` names.
fn connect() -> Result<()> {
    next(&CONNECTS);
    let exists = |name: &str| {
        let sql = format!("SELECT count(*) FROM sqlite_schema WHERE name = '{name}'");
        Ok::<_, sqlite_wasm_kit::Error>(matches!(first(sql)?, Some(Value::Integer(1))))
    };
    if exists("refuse")? {
        return Err("told to refuse".into());
    }
    if exists("late")? {
        for row in sql::prepare("SELECT name FROM late ORDER BY name")?.query([])? {
            if let Some(name) = row?.pop() {
                register(String::from_utf8_lossy(&name.into_bytes()).into_owned())?;
            }
        }
    }
    Ok(())
}

fn disconnect() {
    let text = FAREWELL.take();
    if !text.is_empty() {
        let sql = first("SELECT 1".into()).map_or_else(|error| error.message, |_| "SQL".into());
        panic!("{text}: {sql}");
    }
}

fn register(name: String) -> Result<()> {
    let place = REGISTERED.with_borrow_mut(|names| {
        names.push(name.clone());
        names.len() as u32 - 1
    });
    sql::register(place, &name, 0, Volatile, Innocuous)
}

fn call_registered(place: u32, _: Arguments<'_>) -> Result<Output> {
    let reply = REGISTERED.with_borrow(|names| {
        let name = &names[place as usize];
        let times = names[..=place as usize].iter().filter(|other| *other == name).count();
        format!("{name} {times}")
    });
    reply.into_output()
}

fn keep_blob(table: String, column: String, row_id: i64) -> Result<()> {
    BLOB.set(Some(sql::Blob::open("main", &table, &column, row_id, true)?));
    Ok(())
}

fn compare(left: &[u8], right: &[u8]) -> Ordering {
    BLOB.with_borrow(|blob| {
        if let Some(blob) = blob {
            let done = blob.write(0, b"x").map_or_else(|error| error.message, |()| "done".into());
            WRITTEN.set(done);
        }
    });
    left.cmp(right)
}
