//! The tables of the module `ann`.

use std::cell::RefCell;
use std::rc::Rc;

use sqlite_wasm_kit::table::{
    Change, Conflict, ConnectMode, Connection, IndexInfo, Plan, Planned, Transaction,
};
use sqlite_wasm_kit::{Error, Result, Table, Value, code};

use crate::arguments::Definition;
use crate::cursor::AnnCursor;
use crate::index::Index;
use crate::plan::{self, Layout};
use crate::registry;
use crate::storage::Names;

/// Nodes that one `rebuild` or `optimize` links: a call of an extension has ten seconds
/// by default, and linking a node takes less than a millisecond.
const LINKED_PER_COMMAND: u32 = 4000;

pub struct AnnTable {
    pub names: Names,
    pub layout: Layout,
    pub index: Rc<RefCell<Index>>,
}

impl AnnTable {
    /// A vector of the table's dimensions.
    pub fn vector(&self, value: &Value) -> Result<Vec<f32>> {
        let vector = crate::vector::parse(value)?;
        self.index.borrow().check_dimensions(&vector)?;
        Ok(vector)
    }

    fn insert_row(
        &self,
        row_id: Value,
        mut columns: Vec<Value>,
        conflict: Conflict,
    ) -> Result<i64> {
        let command = columns.get_mut(self.layout.command() as usize).map(std::mem::take);
        if let Some(command) = command.filter(|command| !command.is_null()) {
            return self.command(&command);
        }
        let row_id = match row_id {
            Value::Null | Value::Integer(_) => row_id,
            _ => return Err(Error::new(code::MISMATCH, "ann: a row id is an integer")),
        };
        let vector = self.vector(&columns[self.layout.vector as usize])?;
        columns.truncate(self.layout.visible as usize);
        columns.remove(self.layout.vector as usize);
        let mut index = self.index.borrow_mut();
        if let Value::Integer(row_id) = row_id
            && conflict == Conflict::Replace
        {
            index.delete(row_id)?;
        }
        index.insert(row_id, &vector, columns).map_err(|error| match error.code {
            code::CONSTRAINT | code::CONSTRAINT_ROWID | code::CONSTRAINT_PRIMARYKEY => {
                let message = format!("UNIQUE constraint failed: {}.rowid", self.names.name);
                Error::new(code::CONSTRAINT, message)
            }
            _ => error,
        })
    }

    fn update_row(
        &self,
        old: Value,
        new: Value,
        mut columns: Vec<Option<Value>>,
        conflict: Conflict,
    ) -> Result<i64> {
        let vector = columns[self.layout.vector as usize].take();
        let vector = vector.map(|vector| self.vector(&vector)).transpose()?;
        columns.truncate(self.layout.visible as usize);
        columns.remove(self.layout.vector as usize);
        let (old, new) = match (old, new) {
            (Value::Integer(old), Value::Integer(new)) => (old, new),
            _ => return Err(Error::new(code::MISMATCH, "ann: a row id is an integer")),
        };
        let mut index = self.index.borrow_mut();
        if old != new {
            index.refresh()?;
            if index.storage().slot_of(new)?.is_some() {
                if conflict != Conflict::Replace {
                    let message = format!("UNIQUE constraint failed: {}.rowid", self.names.name);
                    return Err(Error::new(code::CONSTRAINT, message));
                }
                index.delete(new)?;
            }
            index.move_row(old, new)?;
        }
        index.set_columns(new, columns)?;
        if let Some(vector) = vector {
            index.replace(new, &vector)?;
        }
        Ok(new)
    }

    fn command(&self, command: &Value) -> Result<i64> {
        let mut index = self.index.borrow_mut();
        match command.as_str() {
            Some(Ok("rebuild")) => index.unbuild()?,
            Some(Ok("optimize")) => {}
            _ => return Err("ann: the commands are 'rebuild' and 'optimize'".into()),
        }
        index.build(LINKED_PER_COMMAND)?;
        Ok(0)
    }
}

impl Table for AnnTable {
    type Cursor = AnnCursor;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let Connection { mode, schema, name, arguments } = connection;
        let definition = Definition::parse(&name, &arguments)?;
        let (declaration, layout) = (definition.declaration(&name), Layout::of(&definition));
        let names = Names { schema, name };
        let mut index = Index::new(names.clone(), definition.clone());
        if mode == ConnectMode::Create {
            index.storage().create(&definition, &arguments)?;
        }
        let index = registry::add(names.clone(), index);
        Ok((Self { names, layout, index }, declaration))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        plan::best_index(self.layout, &self.index.borrow().definition, info, plan)
    }

    fn open(&mut self) -> Result<AnnCursor> {
        Ok(AnnCursor::default())
    }

    fn disconnect(self) -> Result<()> {
        registry::remove(&self.names, &self.index);
        Ok(())
    }

    fn destroy(self) -> Result<()> {
        registry::remove(&self.names, &self.index);
        self.index.borrow_mut().storage().drop_all()
    }

    fn update(&mut self, change: Change, conflict: Conflict) -> Result<i64> {
        match change {
            Change::Delete(row_id) => {
                self.index.borrow_mut().delete(row_id.to_integer())?;
                Ok(0)
            }
            Change::Insert { row_id, columns } => self.insert_row(row_id, columns, conflict),
            Change::Update { old, new, columns } => self.update_row(old, new, columns, conflict),
        }
    }

    fn transact(&mut self, step: Transaction) -> Result<()> {
        let mut index = self.index.borrow_mut();
        match step {
            Transaction::Begin => index.begin()?,
            Transaction::Sync | Transaction::Savepoint(_) => index.flush()?,
            Transaction::Commit => index.commit(),
            Transaction::Rollback => index.roll_back(true),
            Transaction::RollbackTo(_) => index.roll_back(false),
            Transaction::Release(_) => {}
        }
        Ok(())
    }

    fn rename(&mut self, name: String) -> Result<()> {
        let mut index = self.index.borrow_mut();
        index.flush()?;
        index.storage().rename(&name)?;
        drop(index);
        let old = std::mem::replace(&mut self.names.name, name);
        let old = Names { name: old, ..self.names.clone() };
        registry::rename(&old, &self.names, &self.index);
        Ok(())
    }

    fn integrity(&mut self, _: &str, _: &str, quick: bool) -> Result<Option<String>> {
        self.index.borrow_mut().integrity(quick)
    }
}
