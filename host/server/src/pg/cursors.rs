//! Cursors of SQL: DECLARE keeps the rows, FETCH sends some.

use sqlite_wasm::types::{Value, ValueRef};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::Transaction;
use sqlite_wasm_postgres::translate::Action;
use sqlite_wasm_postgres::values::Format;

use super::converse::Conversation;
use super::execute::{Sink, put_values};
use super::failure::{Failure, Result};
use super::store::{Analysed, Cursor};

impl Conversation<'_> {
    /// Keep the rows of a query.
    pub fn declare(
        &mut self,
        analysed: &Analysed,
        values: &[Value],
        name: &str,
        is_held: bool,
    ) -> Result<()> {
        if self.transaction == Transaction::Idle && !self.is_implicit && !is_held {
            let message = "DECLARE CURSOR can only be used in transaction blocks";
            return Err(Error::new(sqlstate::NO_ACTIVE_TRANSACTION, message).into());
        }
        self.store.check_cursor(name)?;
        let columns = self.columns(&analysed.statement, "")?;
        let mut statement = analysed.statement.clone();
        statement.action = Action::Run;
        let (parameters, origins, generation) = Default::default();
        let query = Analysed { statement, parameters, columns, origins, generation };
        let mut rows = Vec::new();
        self.run_only(&query, values, &[], Sink::Cursor(&mut rows))?;
        self.store.declare(name, Cursor::new(query.columns, rows, is_held))?;
        Ok(())
    }

    /// Send the rows that a cursor has passed.
    pub fn fetch(
        &mut self,
        name: &str,
        passed: &[usize],
        formats: &[Format],
        mut sink: Sink<'_>,
    ) -> Result<()> {
        let cursor = self.store.cursor(name)?;
        for (number, row) in (1..).zip(passed) {
            let row = cursor.rows[*row].iter().map(ValueRef::from);
            let out = match &mut sink {
                Sink::Portal(out) => out,
                _ => &mut self.stream.out,
            };
            put_values(out, row, &cursor.columns, formats, number)?;
            self.stream.send_if_full().map_err(|_| Failure::Gone)?;
        }
        Ok(())
    }
}
