//! Portals: statements with their values, and SQL's cursors under the same names.

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::frames::{Bind, violation};
use sqlite_wasm_postgres::state::tag;
use sqlite_wasm_postgres::translate::{Action, Direction, Statement};
use sqlite_wasm_postgres::values::{Format, TOO_LONG};

use super::converse::Conversation;
use super::execute::Sink;
use super::failure::{Failure, Result};
use super::out::{Out, format_of};
use super::store::{Portal, bytes_of};

impl Conversation<'_> {
    /// Give a prepared statement its values, under the name of a portal.
    pub fn bind(&mut self, bind: &Bind<'_>) -> Result<()> {
        let prepared = self.prepared_to_run(bind.statement)?;
        let types = prepared.as_ref().map_or(&[][..], |one| &one.parameters);
        let columns = prepared.as_ref().map_or(0, |one| one.columns.len());
        check_counts(bind, types.len(), columns)?;
        let formats = formats(&bind.formats)?;
        let mut decoded = Vec::with_capacity(types.len());
        for (index, (value, parameter)) in bind.values.iter().zip(types).enumerate() {
            let value = parameter.value(*value, format_of(&formats, index));
            decoded.push(value.map_err(|error| of_parameter(error, index + 1))?.into());
        }
        self.check_waiting(bytes_of(&decoded))?;
        let formats = self::formats(&bind.results)?;
        let savepoints = self.session.state().settings.savepoints();
        let (values, begun) = (decoded, self.begun);
        let portal = Portal { prepared, values, formats, rest: None, savepoints, begun };
        self.store.open(bind.portal, portal)?;
        self.stream.out.empty(b'2');
        Ok(())
    }

    /// Execute a portal, up to this many rows; 0 means all.
    pub fn execute_portal(&mut self, name: &str, rows: u32) -> Result<()> {
        if self.store.cursors.contains_key(name) {
            return self.execute_cursor(name, rows);
        }
        let mut portal = self.store.take_portal(name)?;
        let Some(analysed) = portal.prepared.clone() else {
            self.store.keep_portal(name, portal);
            self.stream.out.empty(b'I');
            return Ok(());
        };
        if portal.rest.is_some() && !analysed.returns_rows() {
            let message = format!("portal \"{name}\" cannot be run");
            return Err(Error::new(sqlstate::OBJECT_NOT_READY, message).into());
        }
        // What ends with the next message is a transaction by itself.
        if portal.rest.is_none() && self.stream.next_tag() != Some(b'S') {
            self.is_together = true;
            self.begin_implicit(&analysed.statement)?;
        }
        if portal.rest.is_none() && analysed.lists {
            self.store.running = Some(portal.listed(name));
        }
        if portal.rest.is_none() && (rows == 0 || !analysed.returns_rows()) {
            let tag = self.execute(&analysed, &portal.values, &portal.formats, Sink::Client)?;
            self.stream.out.complete(&tag);
            portal.rest = Some(Default::default());
        } else {
            if portal.rest.is_none() {
                let mut out = Out::default();
                let sink = Sink::Portal(&mut out);
                self.execute(&analysed, &portal.values, &portal.formats, sink)?;
                self.check_waiting(out.0.len())?;
                portal.rest = Some((out.0, 0));
            }
            self.send_rest(&mut portal.rest, &analysed.statement, rows)?;
        }
        if !matches!(analysed.statement.action, Action::Commit { .. } | Action::Rollback { .. }) {
            self.store.keep_portal(name, portal);
        }
        Ok(())
    }

    /// A cursor of SQL is a portal, too.
    fn execute_cursor(&mut self, name: &str, rows: u32) -> Result<()> {
        self.transaction.check(&Action::Nothing)?;
        let most = if rows == 0 { u64::MAX } else { rows.into() };
        let sent = self.fetch(name, Direction::Forward(most), &[], Some(Sink::Client))?;
        if sent == most {
            self.stream.out.empty(b's');
        } else {
            self.stream.out.complete(&format!("SELECT {sent}"));
        }
        Ok(())
    }

    /// Send rows that wait, of which each is a message.
    fn send_rest(
        &mut self,
        rest: &mut Option<(Vec<u8>, usize)>,
        statement: &Statement,
        rows: u32,
    ) -> Result<()> {
        let Some(rest) = rest else { return Ok(()) };
        let limit = if rows == 0 { u64::MAX } else { rows.into() };
        let mut sent = 0;
        while sent < limit
            && let Some(row) = next_row(rest)
        {
            self.stream.out.0.extend_from_slice(row);
            self.stream.send_if_full().map_err(|_| Failure::Gone)?;
            sent += 1;
        }
        if sent == limit {
            self.stream.out.empty(b's')
        } else {
            let tag = tag(statement, sent, self.transaction);
            self.stream.out.complete(&tag);
        }
        Ok(())
    }
}

/// The next one of messages that wait.
pub fn next_row((waiting, start): &mut (Vec<u8>, usize)) -> Option<&[u8]> {
    let length = waiting.get(*start + 1..*start + 5)?.first_chunk()?;
    let begin = *start;
    *start += 1 + u32::from_be_bytes(*length) as usize;
    waiting.get(begin..*start)
}

fn formats(codes: &[i16]) -> Result<Vec<Format>, Error> {
    codes.iter().map(|code| Format::of_code(*code)).collect()
}

/// Whether Bind has as many values and formats as the statement needs.
fn check_counts(bind: &Bind<'_>, parameters: usize, columns: usize) -> Result<(), Error> {
    let (values, formats, results) = (bind.values.len(), bind.formats.len(), bind.results.len());
    let wrong = |message: String| Err(violation(message));
    if formats > 1 && formats != values {
        return wrong(format!(
            "bind message has {formats} parameter formats but {values} parameters"
        ));
    }
    if values != parameters {
        let statement = bind.statement;
        return wrong(format!(
            "bind message supplies {values} parameters, but prepared statement \"{statement}\" requires {parameters}"
        ));
    }
    // Without columns no result has a format.
    if columns > 0 && results > 1 && results != columns {
        return wrong(format!(
            "bind message has {results} result formats but query has {columns} columns"
        ));
    }
    Ok(())
}

/// The error of a parameter, with its index.
fn of_parameter(mut error: Error, number: usize) -> Error {
    if error.message == TOO_LONG {
        error.message = format!("{TOO_LONG} in bind parameter {number}");
    }
    error.context(format!("unnamed portal parameter ${number}"))
}
