//! Cursors of SQL: DECLARE keeps the rows, FETCH sends some, also those of a portal.

use std::rc::Rc;

use sqlite_sandbox::types::{Value, ValueRef};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::Transaction;
use sqlite_wasm_postgres::translate::{Action, Declared, Direction};
use sqlite_wasm_postgres::values::Format;

use super::converse::Conversation;
use super::cursor::{Cursor, CursorScope, only_forward};
use super::execute::{Sink, put_values};
use super::failure::{Failure, Result};
use super::out::Out;
use super::portals::next_row;
use super::store::{Analysed, Portal};

impl Conversation<'_> {
    /// Keep the rows of a query.
    pub fn declare(
        &mut self,
        analysed: &Analysed,
        values: &[Value],
        name: &str,
        declared: Declared,
    ) -> Result<()> {
        let is_alone = self.transaction == Transaction::Idle && !self.is_implicit;
        if is_alone && !declared.is_held {
            let message = "DECLARE CURSOR can only be used in transaction blocks";
            return Err(Error::new(sqlstate::NO_ACTIVE_TRANSACTION, message).into());
        }
        self.store.check_cursor(name)?;
        let columns = self.columns(&analysed.statement, "")?;
        let mut statement = analysed.statement.clone();
        statement.action = Action::Run;
        let own = analysed.renewed(statement, Vec::new());
        let query = Analysed { columns, origins: Vec::new(), counts: false, ..own };
        let mut rows = Vec::new();
        if self.lock_rows(&query.statement)? {
            self.run_only(&query, values, &[], Sink::Cursor(&mut rows))?;
        }
        let savepoints = self.session.state().settings.savepoints();
        let scope = CursorScope { is_kept: is_alone, savepoints };
        let of = (query.text, declared, self.begun);
        let cursor = Cursor::new(of, query.statement.sql, query.columns, rows, scope);
        Ok(self.store.declare(name, cursor)?)
    }

    /// Move a cursor, and send the rows that it passes where there is a sink: how many.
    pub fn fetch(
        &mut self,
        name: &str,
        direction: Direction,
        formats: &[Format],
        sink: Option<Sink<'_>>,
    ) -> Result<u64> {
        let cursor = self.store.cursor(name)?;
        cursor.check(direction, sink.is_none())?;
        let passed = cursor.go(direction);
        let count = passed.len() as u64;
        let Some(mut sink) = sink else { return Ok(count) };
        let cursor = self.store.cursor(name)?;
        for (number, row) in (1..).zip(passed) {
            let row = cursor.rows[row].iter().map(ValueRef::from);
            let out = match &mut sink {
                Sink::Portal(out) => out,
                _ => &mut self.stream.out,
            };
            put_values(out, row, &cursor.columns, formats, number)?;
            self.stream.send_if_full().map_err(|_| Failure::Gone)?;
        }
        Ok(count)
    }

    /// The same of a portal of the protocol, which only goes forward and whose rows are messages.
    pub fn fetch_of_portal(
        &mut self,
        name: &str,
        direction: Direction,
        sink: Option<Sink<'_>>,
    ) -> Result<u64> {
        let missing = || Error::new("34000", format!("cursor \"{name}\" does not exist"));
        let mut portal = self.store.take_portal(name).map_err(|_| missing())?;
        let done = self.pass(&mut portal, direction, sink);
        self.store.keep_portal(name, portal);
        done
    }

    fn pass(
        &mut self,
        portal: &mut Portal,
        direction: Direction,
        sink: Option<Sink<'_>>,
    ) -> Result<u64> {
        let (skipped, wanted) = forward(direction)?;
        let rows = self.rows_of(portal)?;
        (0..skipped).take_while(|_| next_row(rows).is_some()).for_each(drop);
        let Some(mut sink) = sink else {
            return Ok((0..wanted).take_while(|_| next_row(rows).is_some()).count() as u64);
        };
        if portal.formats.contains(&Format::Binary) {
            let error = Error::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "FETCH from a portal with binary results",
            );
            return Err(error.hint("execute the portal with a number of rows").into());
        }
        let rows = self.rows_of(portal)?;
        let mut sent = 0;
        while sent < wanted
            && let Some(row) = next_row(rows)
        {
            match &mut sink {
                Sink::Portal(out) => out.0.extend_from_slice(row),
                _ => self.stream.out.0.extend_from_slice(row),
            }
            self.stream.send_if_full().map_err(|_| Failure::Gone)?;
            sent += 1;
        }
        Ok(sent)
    }

    /// The rows of a portal that were not sent; the first call runs its query.
    fn rows_of<'a>(&mut self, portal: &'a mut Portal) -> Result<&'a mut (Vec<u8>, usize)> {
        if portal.rest.is_none() {
            let is_query = |one: &&Rc<Analysed>| {
                one.statement.action == Action::Run && !one.columns.is_empty()
            };
            let Some(analysed) = portal.prepared.as_ref().filter(is_query) else {
                return Err(Error::new("55000", "the portal has no rows").into());
            };
            let mut out = Out::default();
            self.run_rows(analysed, &portal.values, &portal.formats, Sink::Portal(&mut out))?;
            self.check_waiting(out.0.len())?;
            portal.rest = Some((out.0, 0));
        }
        Ok(portal.rest.get_or_insert_default())
    }
}

/// How many rows a portal skips, and how many it passes then.
fn forward(direction: Direction) -> Result<(u64, u64)> {
    match direction {
        Direction::Forward(count) => Ok((0, count)),
        Direction::Relative(distance @ 1..) => Ok((distance.unsigned_abs() - 1, 1)),
        _ => Err(only_forward().into()),
    }
}
