//! `malicious_table(MOMENT, ACTION)`: a table of three rows that does the action in one
//! of its callbacks, or gives a host what it cannot use.

use crate::wire::exports::sqlite_wasm::extension::table::Guest;
use crate::wire::sqlite_wasm::extension::table_types::{
    Batch, Change, Conflict, ConnectMode, Connected, ConstraintUse, FilterArgument, IndexInfo,
    IndexPlan, Overload, TableConfig, Transaction,
};
use crate::wire::sqlite_wasm::extension::types::{SqlError, Value};
use crate::{Malicious, actions};
use std::cell::RefCell;

/// Rows with nothing but their values.
fn batch(row_ids: Vec<i64>, values: Vec<Value>, is_last: bool) -> Batch {
    Batch {
        row_ids,
        values,
        subtypes: Vec::new(),
        required: Vec::new(),
        row_id_error: None,
        is_last,
    }
}

thread_local! {
    /// The moment and the action of each table.
    static TABLES: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// What the table does at this moment: nothing where it is not the one.
fn at(table: u32, moment: &str) -> String {
    let (its, action) = TABLES.with_borrow(|tables| tables[table as usize].clone());
    if its != moment {
        return String::new();
    }
    actions::perform(&action);
    action
}

fn declaration(action: &str) -> String {
    match action {
        "nul" => "CREATE TABLE x(a\0)".into(),
        "huge" => format!("CREATE TABLE x({})", vec!["a"; 1 << 20].join(",")),
        "nonsense" => "DROP TABLE x".into(),
        "none" => String::new(),
        _ => "CREATE TABLE x(a)".into(),
    }
}

impl Guest for Malicious {
    fn connect(
        _: u32,
        _: ConnectMode,
        _: String,
        _: String,
        arguments: Vec<String>,
    ) -> Result<Connected, SqlError> {
        let mut words = arguments.into_iter();
        let action = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let table = TABLES.with_borrow_mut(|tables| {
            tables.push(action);
            tables.len() as u32 - 1
        });
        let config = TableConfig::empty();
        Ok(Connected { table, declaration: declaration(&at(table, "connect")), config })
    }

    fn disconnect(table: u32) -> Result<(), SqlError> {
        at(table, "disconnect");
        Ok(())
    }

    fn destroy(table: u32) -> Result<(), SqlError> {
        at(table, "destroy");
        Ok(())
    }

    fn best_index(table: u32, info: IndexInfo) -> Result<Option<IndexPlan>, SqlError> {
        let action = at(table, "best-index");
        let argument = if action == "argument" { u32::MAX / 2 } else { 0 };
        let one = ConstraintUse { argument, omit: true, whole_list: action == "argument" };
        let count = if action == "uses" { 100_000 } else { info.constraints.len() };
        Ok(Some(IndexPlan {
            uses: vec![one; count],
            number: i32::MIN,
            text: match action.as_str() {
                "nul" => Some("a\0b".into()),
                "huge" => Some(vec![b'x'; 10 << 20]),
                _ => None,
            },
            order_consumed: false,
            unique: false,
            cost: if action == "cost" { f64::NAN } else { 1.0 },
            rows: if action == "cost" { i64::MIN } else { 3 },
        }))
    }

    fn open(table: u32) -> Result<u32, SqlError> {
        at(table, "open");
        Ok(table)
    }

    fn close(cursor: u32) {
        at(cursor, "close");
    }

    fn filter(
        cursor: u32,
        _: i32,
        _: Option<Vec<u8>>,
        _: Vec<FilterArgument>,
        _: Vec<u8>,
        _: Vec<u32>,
    ) -> Result<(), SqlError> {
        at(cursor, "filter");
        Ok(())
    }

    fn fetch_batch(cursor: u32, limit: u32) -> Result<Batch, SqlError> {
        let action = at(cursor, "fetch");
        let integers = |count: i64| (0..count).map(Value::Integer).collect();
        Ok(match action.as_str() {
            "wide" => batch(vec![1], integers(7), true),
            "narrow" => batch(vec![1, 2], integers(1), true),
            "required" => {
                Batch { required: vec![true; 5], ..batch(vec![1, 2, 3], integers(3), true) }
            }
            "nothing" => batch(vec![], vec![], false),
            "many" => {
                let count = i64::from(limit) * 1000;
                batch((0..count).collect(), integers(count), true)
            }
            "huge" => {
                let value = Value::Blob(vec![0; 200 << 20]);
                batch(vec![1], vec![value], true)
            }
            _ => batch(vec![1, 2, 3], integers(3), true),
        })
    }

    fn update(table: u32, _: Change, _: Vec<u8>, _: Conflict) -> Result<i64, SqlError> {
        at(table, "update");
        Ok(1)
    }

    fn transact(table: u32, step: Transaction) -> Result<(), SqlError> {
        at(
            table,
            match step {
                Transaction::Begin => "begin",
                Transaction::Sync => "sync",
                Transaction::Commit => "commit",
                Transaction::Rollback => "rollback",
                Transaction::Savepoint(_) => "savepoint",
                Transaction::Release(_) => "release",
                Transaction::RollbackTo(_) => "rollback-to",
            },
        );
        Ok(())
    }

    fn rename(table: u32, _: String) -> Result<(), SqlError> {
        at(table, "rename");
        Ok(())
    }

    fn integrity(table: u32, _: String, _: String, _: bool) -> Result<Option<String>, SqlError> {
        at(table, "integrity");
        Ok(None)
    }

    fn find_function(table: u32, _: u32, _: String) -> Option<Overload> {
        match at(table, "find-function").as_str() {
            "overload" => Some(Overload { function: 1_000_000, operator: 255 }),
            _ => None,
        }
    }
}
