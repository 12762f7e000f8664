//! Cached prepared statements.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};

use runtime::database::wire::{Operations, Value};

use crate::connection::Connection;
use crate::error::Result;
use crate::statement::{RawStatement, Statement};

/// How many statements are cached by default.
const DEFAULT_CAPACITY: usize = 16;

/// Bytes of SQL of the statements that are not in use, apart from the newest: prepared they take
/// several times as much of the sandbox's memory.
const MAX_SQL_BYTES: usize = 1 << 20;

/// The statements that are not in use, the newest last.
pub struct Cache {
    statements: RefCell<Vec<RawStatement>>,
    capacity: Cell<usize>,
}

impl Default for Cache {
    fn default() -> Self {
        Self { statements: RefCell::default(), capacity: Cell::new(DEFAULT_CAPACITY) }
    }
}

impl Cache {
    /// A cached or new statement with this text.
    pub fn get<'conn>(&self, db: &'conn Connection, sql: &str) -> Result<CachedStatement<'conn>> {
        let sql = sql.trim();
        let kept = {
            let mut statements = self.statements.borrow_mut();
            let index = statements.iter().rposition(|kept| kept.sql.trim() == sql);
            index.map(|index| statements.remove(index))
        };
        let statement = match kept {
            Some(kept) => Statement::new(db, kept),
            None => db.prepare(sql)?,
        };
        Ok(CachedStatement { statement })
    }

    fn put(&self, db: &Connection, statement: RawStatement) {
        self.statements.borrow_mut().push(statement);
        self.evict(db);
    }

    pub fn set_capacity(&self, db: &Connection, capacity: usize) {
        self.capacity.set(capacity);
        self.evict(db);
    }

    /// Finalize the oldest statements as far as there are too many or their SQL is too long.
    fn evict(&self, db: &Connection) {
        let mut statements = self.statements.borrow_mut();
        let mut bytes: usize = statements.iter().map(|kept| kept.sql.len()).sum();
        while statements.len() > self.capacity.get()
            || (bytes > MAX_SQL_BYTES && statements.len() > 1)
        {
            let oldest = statements.remove(0);
            bytes -= oldest.sql.len();
            oldest.close(db);
        }
    }
}

/// A statement that returns to the connection's cache when it is dropped.
#[derive(Debug)]
pub struct CachedStatement<'conn> {
    statement: Statement<'conn>,
}

impl CachedStatement<'_> {
    /// Finalize it instead of returning it to the cache.
    pub fn discard(mut self) {
        if let Some(raw) = self.statement.raw.take() {
            raw.close(self.statement.db);
        }
    }
}

impl<'conn> Deref for CachedStatement<'conn> {
    type Target = Statement<'conn>;

    fn deref(&self) -> &Statement<'conn> {
        &self.statement
    }
}

impl DerefMut for CachedStatement<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.statement
    }
}

impl Drop for CachedStatement<'_> {
    fn drop(&mut self) {
        let parameters = self.statement.parameter_count();
        if let Some(raw) = self.statement.raw.take() {
            unbind(self.statement.db, &raw, parameters);
            self.statement.db.cache.put(self.statement.db, raw);
        }
    }
}

/// Clear all bound values, so that the next user does not get those of this one.
fn unbind(db: &Connection, raw: &RawStatement, parameters: usize) {
    let (_, Some(handle)) = raw.begin() else { return };
    if parameters > 0 {
        // Rows may have been leaked, and a running statement cannot be bound.
        let reset = Operations::default().reset(handle);
        let unbind = |all: Operations, index| all.bind(handle, index as u32, Value::Null);
        db.client.perform_later((1..=parameters).fold(reset, unbind));
    }
}
