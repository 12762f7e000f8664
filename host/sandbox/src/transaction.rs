//! Transactions.

use std::ops::Deref;

use crate::connection::Connection;
use crate::error::Result;

/// The behavior of BEGIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TransactionBehavior {
    /// Take locks when they are needed.
    #[default]
    Deferred,
    /// Take the write lock at once.
    Immediate,
    /// Prevent other connections from reading, except in WAL mode.
    Exclusive,
}

/// The end of a transaction that is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DropBehavior {
    /// Roll it back.
    #[default]
    Rollback,
    /// Commit it.
    Commit,
    /// Leave it open.
    Ignore,
}

/// A transaction, rolled back when it is dropped; see [`DropBehavior`].
///
/// ```
/// # use sqlite_sandbox::Database;
/// # let database = Database::builder().component("../../target/release/database.cwasm").build()?;
/// let mut db = database.open_in_memory()?;
/// db.execute_batch("CREATE TABLE account(name TEXT, euro INTEGER)")?;
/// let transaction = db.transaction()?;
/// transaction.execute("INSERT INTO account VALUES ('a', 100)", ())?;
/// transaction.commit()?;
/// drop(db.transaction()?.execute("DELETE FROM account", ())?);
/// assert_eq!(db.query_row("SELECT count(*) FROM account", (), |row| row.get::<_, i64>(0))?, 1);
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
#[derive(Debug)]
pub struct Transaction<'conn> {
    db: &'conn Connection,
    drop_behavior: DropBehavior,
    is_over: bool,
}

impl<'conn> Transaction<'conn> {
    fn begin(db: &'conn Connection, behavior: TransactionBehavior) -> Result<Self> {
        db.execute_batch(match behavior {
            TransactionBehavior::Deferred => "BEGIN DEFERRED",
            TransactionBehavior::Immediate => "BEGIN IMMEDIATE",
            TransactionBehavior::Exclusive => "BEGIN EXCLUSIVE",
        })?;
        Ok(Self { db, drop_behavior: DropBehavior::default(), is_over: false })
    }

    /// Begin a savepoint inside the transaction.
    ///
    /// # Errors
    ///
    /// SQLite's, as for the functions below.
    pub fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        Savepoint::begin(self.db, 0)
    }

    /// What dropping it does.
    pub fn drop_behavior(&self) -> DropBehavior {
        self.drop_behavior
    }

    /// Set what dropping it does.
    pub fn set_drop_behavior(&mut self, drop_behavior: DropBehavior) {
        self.drop_behavior = drop_behavior;
    }

    /// Commit it.
    ///
    /// # Errors
    ///
    /// SQLite's; the transaction is then rolled back.
    pub fn commit(mut self) -> Result<()> {
        let committed = self.db.execute_batch("COMMIT");
        self.is_over = committed.is_ok();
        committed
    }

    /// Roll it back.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn rollback(mut self) -> Result<()> {
        self.is_over = true;
        self.db.execute_batch("ROLLBACK")
    }

    /// End it as if it were dropped.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn finish(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_over, true) || self.db.is_autocommit()? {
            return Ok(());
        }
        match self.drop_behavior {
            DropBehavior::Ignore => Ok(()),
            DropBehavior::Rollback => self.db.execute_batch("ROLLBACK"),
            DropBehavior::Commit => {
                let committed = self.db.execute_batch("COMMIT");
                committed.or_else(|_| self.db.execute_batch("ROLLBACK"))
            }
        }
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // If the rollback fails, the connection has trapped, and its next call reports that.
        let _ = self.end();
    }
}

/// A savepoint in a transaction. It is rolled back when it is dropped.
#[derive(Debug)]
pub struct Savepoint<'conn> {
    db: &'conn Connection,
    depth: u32,
    is_over: bool,
}

impl<'conn> Savepoint<'conn> {
    fn begin(db: &'conn Connection, depth: u32) -> Result<Self> {
        db.execute_batch(&format!("SAVEPOINT _sqlite_wasm_{depth}"))?;
        Ok(Self { db, depth, is_over: false })
    }

    /// Begin a savepoint inside this one.
    ///
    /// # Errors
    ///
    /// SQLite's, as for the functions below.
    pub fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        Savepoint::begin(self.db, self.depth + 1)
    }

    /// Release it: its changes become part of the transaction.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn commit(mut self) -> Result<()> {
        self.db.execute_batch(&format!("RELEASE _sqlite_wasm_{}", self.depth))?;
        self.is_over = true;
        Ok(())
    }

    /// Undo its changes; it can still be used.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn rollback(&mut self) -> Result<()> {
        self.db.execute_batch(&format!("ROLLBACK TO _sqlite_wasm_{}", self.depth))
    }
}

impl Deref for Savepoint<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

impl Drop for Savepoint<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let depth = self.depth;
            let sql = format!("ROLLBACK TO _sqlite_wasm_{depth}; RELEASE _sqlite_wasm_{depth}");
            // If the rollback fails, the connection has trapped, and its next call reports that.
            let _ = self.db.execute_batch(&sql);
        }
    }
}

impl Connection {
    /// Begin a transaction.
    ///
    /// # Errors
    ///
    /// SQLite's, as for the functions below.
    pub fn transaction(&mut self) -> Result<Transaction<'_>> {
        Transaction::begin(self, TransactionBehavior::default())
    }

    /// Begin a transaction with this behavior.
    ///
    /// # Errors
    ///
    /// SQLite's: `SQLITE_BUSY` if another connection writes.
    pub fn transaction_with_behavior(
        &mut self,
        behavior: TransactionBehavior,
    ) -> Result<Transaction<'_>> {
        Transaction::begin(self, behavior)
    }

    /// The same without exclusive access, which proves that no other transaction is open.
    ///
    /// # Errors
    ///
    /// SQLite's, also if a transaction is open.
    pub fn unchecked_transaction(&self) -> Result<Transaction<'_>> {
        Transaction::begin(self, TransactionBehavior::default())
    }

    /// Begin a savepoint outside a transaction, which also begins one.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        Savepoint::begin(self, 0)
    }
}
