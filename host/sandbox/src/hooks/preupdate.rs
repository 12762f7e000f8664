//! Rows before they change.

use runtime::database::wire::{Event, Reader, tag};

use super::{Action, text};
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::types::{Value, ValueRef};

/// More columns than SQLite supports.
const MAX_COLUMNS: u32 = 32_767;

/// A row that is about to change.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PreUpdate<'a> {
    /// The kind of change.
    pub action: Action,
    /// The schema.
    pub schema: &'a str,
    /// The table.
    pub table: &'a str,
    /// The row id before the change; meaningless for an INSERT.
    pub old_row_id: i64,
    /// The row id after the change.
    pub new_row_id: i64,
    /// 0 for a statement of the program, 1 for its triggers, and so on.
    pub depth: i32,
    /// The columns before the change; `None` for a new row.
    pub old: Option<Vec<Value>>,
    /// The columns after the change; `None` for a deleted row.
    pub new: Option<Vec<Value>>,
}

fn values(from: &mut Reader, count: u32) -> Result<Option<Vec<Value>>> {
    let mut all = Vec::new();
    for _ in 0..count {
        if from.0.first() == Some(&tag::MISSING) {
            from.u8()?;
            continue;
        }
        all.push(Value::from(ValueRef::from(from.value()?)));
    }
    Ok((all.len() == count as usize).then_some(all))
}

impl Connection {
    /// Call this before a row of a table changes.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn preupdate_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: for<'a> FnMut(&PreUpdate<'a>) + Send + 'static,
    {
        let call = call.map(|mut call| {
            super::hooked(move |from| {
                let action = Action::of(from.u32()?.into());
                let (schema, table) = (text(from)?, text(from)?);
                let (old_row_id, new_row_id) = (from.i64()?, from.i64()?);
                let (depth, _blob) = (from.u32()?.cast_signed(), from.u32()?);
                let count = from.u32()?;
                if count > MAX_COLUMNS {
                    return Err(Error::MalformedReply);
                }
                let (old, new) = (values(from, count)?, values(from, count)?);
                let (schema, table) = (&*schema, &*table);
                let row =
                    PreUpdate { action, schema, table, old_row_id, new_row_id, depth, old, new };
                call(&row);
                Ok(0)
            })
        });
        self.client.set_hook(Event::Preupdate, call, 0)
    }
}
