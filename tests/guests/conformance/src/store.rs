//! A table that is written: its columns are those named at its creation, the
//! first of them unique. The rows live in the extension, by schema and name.
//!
//! Each call is noted as it came.

use crate::values::show;
use crate::watch::{self, Alive};
use sqlite_wasm_kit::table::{
    Change, Conflict, ConnectMode, Connection, IndexInfo, Plan, Planned, Row, Scan, Transaction,
};
use sqlite_wasm_kit::{Cursor, Error, Result, Table, Value, code};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// `SQLITE_CONSTRAINT_VTAB`.
const CONSTRAINT_VTAB: i32 = code::CONSTRAINT | 9 << 8;

type Rows = BTreeMap<i64, Vec<Value>>;

thread_local! {
    static ROWS: RefCell<HashMap<String, Rows>> = RefCell::new(HashMap::new());
}

/// A connected table.
pub struct Store {
    key: String,
    schema: String,
    /// The rows as they were at the beginning and at each savepoint.
    before: Vec<(Option<u32>, Rows)>,
    _alive: Alive,
}

impl Store {
    fn with<R>(&self, act: impl FnOnce(&mut Rows) -> R) -> R {
        ROWS.with_borrow_mut(|all| act(all.entry(self.key.clone()).or_default()))
    }

    fn copy(&self) -> Rows {
        self.with(|rows| rows.clone())
    }

    /// The row that already has this key.
    fn holder(&self, key: &Value, but: Option<i64>) -> Option<i64> {
        let is_same = |(id, row): &(&i64, &Vec<Value>)| {
            row.first() == Some(key) && !key.is_null() && Some(**id) != but
        };
        self.with(|rows| rows.iter().find(is_same).map(|(id, _)| *id))
    }

    /// Make room for a key, as the conflict mode says.
    fn claim(&self, key: &Value, but: Option<i64>, conflict: Conflict) -> Result<()> {
        let Some(holder) = self.holder(key, but) else {
            return Ok(());
        };
        if conflict != Conflict::Replace {
            let message = format!("conf_store: {} is there already", show(key));
            return Err(Error::new(CONSTRAINT_VTAB, message));
        }
        self.with(|rows| rows.remove(&holder));
        Ok(())
    }

    fn back_to(&mut self, is_it: impl Fn(&Option<u32>) -> bool) {
        if let Some(place) = self.before.iter().position(|(point, _)| is_it(point)) {
            let rows = self.before[place].1.clone();
            self.before.truncate(place + 1);
            self.with(|now| *now = rows);
        }
    }
}

impl Table for Store {
    type Cursor = StoreCursor;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let Connection { mode, schema, name, arguments } = connection;
        watch::note(format!("{mode:?}({name})").to_lowercase());
        let key = format!("{schema}.{name}");
        if mode == ConnectMode::Create {
            ROWS.with_borrow_mut(|all| all.insert(key.clone(), Rows::new()));
        }
        let declaration = format!("CREATE TABLE x({})", arguments.join(", "));
        Ok((Self { key, schema, before: Vec::new(), _alive: Alive::default() }, declaration))
    }

    fn best_index(&mut self, _: &IndexInfo, _: &mut Plan) -> Result<Planned> {
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<StoreCursor> {
        Ok(StoreCursor::default())
    }

    fn disconnect(self) -> Result<()> {
        watch::note("disconnect");
        Ok(())
    }

    fn destroy(self) -> Result<()> {
        watch::note("destroy");
        ROWS.with_borrow_mut(|all| all.remove(&self.key));
        Ok(())
    }

    fn update(&mut self, change: Change, conflict: Conflict) -> Result<i64> {
        watch::note(noted(&change, conflict));
        match change {
            Change::Delete(id) => {
                self.with(|rows| rows.remove(&id.to_integer()));
                Ok(0)
            }
            Change::Insert { row_id, columns } => {
                self.claim(&columns[0], None, conflict)?;
                let next = self.with(|rows| rows.keys().last().map_or(1, |last| last + 1));
                let id = if row_id.is_null() { next } else { row_id.to_integer() };
                self.with(|rows| rows.insert(id, columns));
                Ok(id)
            }
            Change::Update { old, new, columns } => {
                let (old, new) = (old.to_integer(), new.to_integer());
                if let Some(key) = &columns[0] {
                    self.claim(key, Some(old), conflict)?;
                }
                self.with(|rows| {
                    let mut row = rows.remove(&old).unwrap_or_default();
                    for (place, value) in columns.into_iter().enumerate() {
                        row[place] = value.unwrap_or_else(|| std::mem::take(&mut row[place]));
                    }
                    rows.insert(new, row);
                });
                Ok(new)
            }
        }
    }

    fn transact(&mut self, step: Transaction) -> Result<()> {
        watch::note(format!("{step:?}").to_lowercase());
        match step {
            Transaction::Begin => self.before = vec![(None, self.copy())],
            Transaction::Sync => {}
            Transaction::Commit => self.before.clear(),
            Transaction::Rollback => {
                self.back_to(|point| point.is_none());
                self.before.clear();
            }
            Transaction::Savepoint(number) => self.before.push((Some(number), self.copy())),
            Transaction::Release(number) => {
                self.before.retain(|(point, _)| point.is_none_or(|point| point < number));
            }
            Transaction::RollbackTo(number) => {
                // SQLite counts savepoints that were set before the table took part in the
                // transaction: going back to one of them undoes all of it.
                let known = self.before.iter().any(|(point, _)| *point == Some(number));
                self.back_to(|point| if known { *point == Some(number) } else { point.is_none() });
            }
        }
        Ok(())
    }

    fn rename(&mut self, name: String) -> Result<()> {
        watch::note(format!("rename({name})"));
        let rows = self.copy();
        let key = format!("{}.{name}", self.schema);
        ROWS.with_borrow_mut(|all| all.remove(&self.key));
        self.key = key;
        self.with(|now| *now = rows);
        Ok(())
    }

    fn integrity(&mut self, schema: &str, name: &str, quick: bool) -> Result<Option<String>> {
        let bad =
            self.with(|rows| rows.values().filter(|row| row[0] == Value::text("bad")).count());
        let how = if quick { "quickly" } else { "fully" };
        Ok((bad > 0).then(|| format!("{schema}.{name}: {bad} bad rows, checked {how}")))
    }
}

/// A change in one word.
fn noted(change: &Change, conflict: Conflict) -> String {
    let list = |values: &[Value]| values.iter().map(show).collect::<Vec<_>>().join(",");
    let mode = format!("{conflict:?}").to_lowercase();
    match change {
        Change::Delete(id) => format!("delete({})", show(id)),
        Change::Insert { row_id, columns } => {
            format!("insert-{mode}({}:{})", show(row_id), list(columns))
        }
        Change::Update { old, new, columns } => {
            let one = |value: &Option<Value>| value.as_ref().map_or_else(|| "same".into(), show);
            let columns: Vec<_> = columns.iter().map(one).collect();
            format!("update-{mode}({}>{}:{})", show(old), show(new), columns.join(","))
        }
    }
}

/// A scan of the rows as they are when it begins.
#[derive(Default)]
pub struct StoreCursor {
    rows: std::vec::IntoIter<(i64, Vec<Value>)>,
    _alive: Alive,
}

impl Cursor for StoreCursor {
    type Table = Store;

    fn filter(&mut self, table: &mut Store, _: Scan) -> Result<()> {
        self.rows = table.copy().into_iter().collect::<Vec<_>>().into_iter();
        Ok(())
    }

    fn next(&mut self, _: &mut Store, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some((id, columns)) = self.rows.next() else {
            return Ok(None);
        };
        for (place, value) in columns.into_iter().enumerate() {
            row.set(place as u32, value);
        }
        Ok(Some(id))
    }
}
