//! What the server itself writes into a schema: the text of a table, which no statement of SQLite changes
//! as a client wants it. No SQL of a client runs meanwhile.

use std::time::Instant;

use access::policy::Role;
use sqlite_sandbox::{Connection, DbConfig};

use super::SessionConnection;
use crate::session::error::{Error, Result};
use crate::session::writers;

/// An entry of the schema that is written anew.
pub struct Entry<'a> {
    /// `table`, `index` or `view`.
    pub kind: &'static str,
    /// Its name.
    pub name: &'a str,
    /// The name that it gets.
    pub new_name: &'a str,
    /// Its text; `None` for the index of a constraint.
    pub sql: Option<&'a str>,
}

/// What metrics and the log show for it.
const SHOWN: &str = "ALTER TABLE";

impl SessionConnection {
    /// Check that the session may write.
    ///
    /// # Errors
    ///
    /// That its role or its transaction only reads.
    pub fn check_writer(&self) -> Result<()> {
        let only_reads = self.rules.role == Role::Read || self.reads.is_begun();
        if only_reads { Err(Error::ReadOnly) } else { Ok(()) }
    }

    /// Write entries of the schema of `main`, in the transaction that is open. SQLite reads the schema again
    /// with the next statement, whose error says what is wrong with it.
    ///
    /// # Errors
    ///
    /// That the role or the transaction only reads, SQLite's, and the limits.
    pub fn rewrite_schema(&mut self, entries: &[Entry<'_>]) -> Result<()> {
        self.check_writer()?;
        // Whether the session may still run anything.
        self.check(SHOWN)?;
        self.ready()?;
        self.control.note_writing(true);
        let start = Instant::now();
        let done = self.rewrite(entries);
        self.finish(SHOWN, start, done)
    }

    fn rewrite(&mut self, entries: &[Entry<'_>]) -> Result<()> {
        let limits = self.wait_limits();
        let wait = || self.writers.wait(&self.db, &self.runtime, limits, &self.is_shortened);
        self.turn = writers::turn(self.turn.take(), true, wait)?;
        // What virtual tables have not written yet, they write now: they are connected anew below.
        self.db.execute_batch("SAVEPOINT rewrite_schema")?;
        self.reads.altering(|| write(&self.db, entries)).inspect_err(|error| {
            // A connection whose schema stays writable is for no client.
            if matches!(error, Error::Gone) {
                self.control.cancel();
            }
        })?;
        Ok(self.db.execute_batch("RELEASE rewrite_schema")?)
    }

    /// Run statements whose changes set off no trigger.
    ///
    /// # Errors
    ///
    /// Those of `work`; and when the sandbox cannot be called, the session ends.
    pub fn without_triggers<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        const TRIGGERS: DbConfig = DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER;
        self.db.set_db_config(TRIGGERS, false).map_err(|error| E::from(error.into()))?;
        let done = work(self);
        if let Err(error) = self.db.set_db_config(TRIGGERS, true) {
            self.control.cancel();
            return Err(E::from(error.into()));
        }
        done
    }
}

fn write(db: &Connection, entries: &[Entry<'_>]) -> Result<()> {
    db.execute_batch("PRAGMA writable_schema = ON")?;
    let written = entries.iter().try_for_each(|entry| write_entry(db, entry));
    db.execute_batch("PRAGMA writable_schema = RESET").map_err(|_| Error::Gone)?;
    written?;
    // After the schema has been read again: SQLite forgets it then if this is undone.
    let version: i64 = db.query_row("PRAGMA main.schema_version", (), |row| row.get(0))?;
    Ok(db.execute_batch(&format!("PRAGMA main.schema_version = {}", next(version)))?)
}

fn write_entry(db: &Connection, entry: &Entry<'_>) -> Result<()> {
    let Entry { kind, name, new_name, sql } = entry;
    let update = "UPDATE main.sqlite_schema SET name = ?3, sql = ?4 WHERE type = ?1 AND name = ?2";
    match db.execute(update, (*kind, *name, *new_name, *sql))? {
        1 => Ok(()),
        _ => Err(Error::Request(format!("the schema has no {kind} \"{name}\""))),
    }
}

/// The version of the next schema, which SQLite keeps in 32 bits.
fn next(version: i64) -> i64 {
    i64::from((version as i32).wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn numbers_of_schemas_wrap_around() {
        assert_eq!([next(7), next(i64::from(i32::MAX))], [8, i64::from(i32::MIN)]);
    }
}
