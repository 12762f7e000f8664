//! Statements that run: where their rows go, and what they do to the transaction.

use std::rc::Rc;
use std::time::Instant;

use sqlite_sandbox::types::{Value, ValueRef};
use sqlite_sandbox::{Row, Statement as Prepared};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::{Transaction, tag};
use sqlite_wasm_postgres::translate::{Action, Emptied, PlanFormat, translate};
use sqlite_wasm_postgres::types::infer::Output;
use sqlite_wasm_postgres::values::{Format, in_result};

use super::analyse::{is_definition, other_columns};
use super::begin::{is_only_sqlite, runs};
use super::converse::Conversation;
use super::failure::{Failure, Result};
use super::out::{Out, format_of};
use super::store::{Analysed, bytes_of, check_length};
use crate::session::error::{Error as SessionError, Result as SessionResult};

/// The column of EXPLAIN QUERY PLAN that is sent.
pub const DETAIL: usize = 3;

/// Where rows go.
pub enum Sink<'a> {
    /// To the client, as they come.
    Client,
    /// Into this, until the client fetches them.
    Portal(&'a mut Out),
    /// Into this, as values.
    Cursor(&'a mut Vec<Vec<Value>>),
}

impl Conversation<'_> {
    /// The simple protocol: run all statements of a text, in one transaction.
    pub fn query(&mut self, sql: &str) -> Result<()> {
        check_length(sql)?;
        // Those without a name end here, as in PostgreSQL.
        self.store.forget("");
        self.store.close_portal("");
        self.begin_analysis();
        if let Some(kept) = self.kept(sql, &[])? {
            return self.run_simple(&kept);
        }
        let statements = self.ending(|| translate(sql, &self.context))?;
        if statements.is_empty() {
            self.stream.out.empty(b'I');
        }
        let is_one = statements.len() == 1;
        let is_together = !is_one && !statements.iter().any(is_only_sqlite);
        let starts: Vec<_> = statements.iter().skip(1).map(|statement| statement.start).collect();
        let ends = starts.into_iter().chain([sql.len()]);
        for (statement, end) in statements.into_iter().zip(ends) {
            self.is_together = is_together;
            self.check_alone(&statement, is_together)?;
            if is_together {
                self.begin_implicit(&statement)?;
            }
            let own = if is_one { sql } else { sql.get(statement.start..end).unwrap_or_default() };
            let analysed = Rc::new(self.analyse(statement, sql, own, &[])?);
            analysed.check_complete()?;
            if is_one {
                self.keep(sql, &[], &analysed);
            }
            self.run_simple(&analysed)?;
            self.begin_analysis();
        }
        Ok(())
    }

    fn run_simple(&mut self, analysed: &Analysed) -> Result<()> {
        let formats = self.fetched(&analysed.statement.action)?;
        if analysed.returns_rows() {
            self.stream.out.row_description(&analysed.columns, &analysed.origins, formats);
        }
        let tag = self.execute(analysed, &[], formats, Sink::Client)?;
        self.stream.out.complete(&tag);
        Ok(())
    }

    /// The simple protocol has the formats of the cursor that is fetched, where it goes there.
    fn fetched(&self, action: &Action) -> Result<&'static [Format]> {
        let Action::Fetch { name, direction, is_move } = action else { return Ok(&[]) };
        let Some(cursor) = self.store.cursors.get(name) else { return Ok(&[]) };
        cursor.check(*direction, *is_move)?;
        Ok(if cursor.declared.is_binary { &[Format::Binary] } else { &[] })
    }

    /// Check that `more` additional bytes may wait in portals and cursors.
    pub fn check_waiting(&self, more: usize) -> Result<()> {
        if more > self.waiting_left() { Err(too_much().into()) } else { Ok(()) }
    }

    fn waiting_left(&self) -> usize {
        let max = usize::try_from(self.max_waiting).unwrap_or(usize::MAX);
        max.saturating_sub(self.store.waiting_bytes())
    }

    /// Run a statement: its tag.
    pub fn execute(
        &mut self,
        analysed: &Analysed,
        values: &[Value],
        formats: &[Format],
        sink: Sink<'_>,
    ) -> Result<String> {
        let statement = &analysed.statement;
        let before = self.transaction;
        before.check(&statement.action)?;
        self.check_alone(statement, false)?;
        if let Action::Execute { name, arguments } = &statement.action {
            let (prepared, values) = self.executed(name, arguments)?;
            if (&prepared.columns, prepared.has_no_columns)
                != (&analysed.columns, analysed.has_no_columns)
            {
                return Err(other_columns().into());
            }
            return self.execute(&prepared, &values, formats, sink);
        }
        let runs = runs(&statement.action);
        if runs {
            self.limit_statement()?;
        }
        self.engine.only_read(runs && self.is_read_only());
        if analysed.lists {
            self.session.state().listed = Some(self.store.listed()?);
        }
        let rows = self.perform(analysed, values, formats, sink);
        self.session.state().listed = None;
        // What ends a transaction has the server's limit.
        self.engine.limit_statements(None);
        let rows = rows.map_err(|failure| match (failure, self.session.take_error()) {
            (Failure::Error(_), Some(error)) => Failure::Error(error),
            // Its time was over, or it was cancelled, while SQLite did not look.
            (Failure::Error(error), None) if self.engine.is_gone() => Failure::Fatal(error),
            (Failure::Error(error), None) => {
                Failure::Error(self.explained(error, analysed, values))
            }
            (failure, _) => failure,
        })?;
        if runs {
            self.check_constraints(Some(statement))?;
        }
        let notices = std::mem::take(&mut self.session.state().notices);
        notices.iter().for_each(|notice| self.warn(notice));
        if self.transaction == Transaction::Idle && !self.is_implicit && !self.is_together {
            self.end_settings(true);
        }
        Ok(match rows {
            // The table of CREATE TABLE AS is there.
            None if statement.command == "SELECT" => "CREATE TABLE AS".to_owned(),
            rows => tag(statement, rows.unwrap_or_default(), before),
        })
    }

    pub fn limit_statement(&mut self) -> Result<()> {
        let mut state = self.session.state();
        let own = state.settings.times().statement;
        let most = own.unwrap_or(self.engine.times().statement);
        state.end = Instant::now().checked_add(most);
        let lock = state.settings.times().lock;
        drop(state);
        self.engine.limit_statements(own);
        Ok(self.engine.limit_locks(lock)?)
    }

    fn perform(
        &mut self,
        analysed: &Analysed,
        values: &[Value],
        formats: &[Format],
        sink: Sink<'_>,
    ) -> Result<Option<u64>> {
        let statement = &analysed.statement;
        Ok(Some(match &statement.action {
            Action::Explain(format) if *format != PlanFormat::Text => {
                self.explain(analysed, values, formats, (*format, sink))?
            }
            Action::Run | Action::Explain(_) => {
                return self.run_rows(analysed, values, formats, sink);
            }
            Action::Alter => {
                self.alter(analysed)?;
                0
            }
            Action::Copy(copy) if copy.is_in => self.copy_in(copy, statement)?,
            Action::Copy(copy) => self.copy_out(copy, statement)?,
            Action::Declare { name, declared } => {
                self.declare(analysed, values, name, *declared)?;
                0
            }
            Action::Fetch { name, direction, is_move } => {
                let sink = (!is_move).then_some(sink);
                if self.store.cursors.contains_key(name) {
                    self.fetch(name, *direction, formats, sink)?
                } else {
                    self.fetch_of_portal(name, *direction, sink)?
                }
            }
            _ => self.run_of_session(analysed, formats, sink)?,
        }))
    }

    /// Run it, and return how many rows it has; `None` if a definition leaves it out.
    pub fn run_rows(
        &mut self,
        analysed: &Analysed,
        values: &[Value],
        formats: &[Format],
        sink: Sink<'_>,
    ) -> Result<Option<u64>> {
        let statement = &analysed.statement;
        if self.leaves_out(analysed)? {
            return Ok(None);
        }
        let replaced = self.replaced_columns(statement);
        let was_implicit = self.is_implicit;
        let is_several = !statement.before.is_empty()
            || !statement.after.is_empty()
            || Emptied::of(statement).is_some_and(|emptied| emptied.cascades);
        if is_several {
            self.begin_implicit(statement)?;
            self.begin_at_last()?;
        }
        self.check_emptied(statement)?;
        if is_several {
            let read_only = self.is_read_only().then_some(statement.command.as_str());
            for before in &statement.before {
                let begin = |prepared: &Prepared<'_>| may_run(prepared, read_only);
                self.engine.run(before, |_| Ok(()), begin, |_| Ok(()))?;
            }
            if statement.before.iter().any(|before| before.starts_with("CREATE")) {
                self.forget_schema();
            }
        }
        self.check_once(analysed, values)?;
        if !self.lock_rows(statement)? {
            return Ok(Some(0));
        }
        let style = self.session.state().settings.interval_style();
        let formats = (0..analysed.columns.len()).map(|at| format_of(formats, at).styled(style));
        let rows = self.run_only(analysed, values, &formats.collect::<Vec<_>>(), sink)?;
        for after in &statement.after {
            self.engine.inspect(after, |_| Ok(()))?;
        }
        if let Some((name, columns)) = replaced {
            self.check_replaced(&name, &columns)?;
        }
        // A message with several statements has begun it before.
        if !was_implicit && is_several {
            self.end_implicit()?;
        }
        Ok(Some(rows))
    }

    /// Run it without what runs before it: its rows.
    pub fn run_only(
        &mut self,
        analysed: &Analysed,
        values: &[Value],
        formats: &[Format],
        mut sink: Sink<'_>,
    ) -> Result<u64> {
        let Analysed { statement, columns, counts, has_no_columns, .. } = analysed;
        let own_columns = if *has_no_columns { 1 } else { columns.len() };
        if statement.sql.is_empty() {
            return Ok(0);
        }
        let first = match statement.action {
            Action::Explain(_) => DETAIL,
            _ => usize::from(*counts),
        };
        if is_definition(&statement.command) {
            self.forget_schema();
        }
        self.begin_at_last()?;
        let left = self.waiting_left();
        let read_only = self.is_read_only().then_some(statement.command.as_str());
        let stream = &mut self.stream;
        let (mut rows, mut waiting) = (0, 0);
        let changes = self.engine.run(
            &statement.sql,
            |prepared| bind(prepared, values),
            |prepared| check(prepared, own_columns, first, read_only),
            |row| {
                rows += 1;
                if *counts {
                    return Ok(());
                }
                match &mut sink {
                    Sink::Client => {
                        put_row(&mut stream.out, row, (columns, first), formats, rows)?;
                        stream.send_if_full().map_err(|_| SessionError::Gone)
                    }
                    Sink::Portal(out) => {
                        put_row(out, row, (columns, first), formats, rows)?;
                        if out.0.len() > left { Err(too_much().into()) } else { Ok(()) }
                    }
                    Sink::Cursor(kept) => {
                        let row = (0..columns.len()).map(|at| row.get::<_, Value>(first + at));
                        let row = row.collect::<Result<Vec<_>, _>>()?;
                        waiting += bytes_of(&row);
                        kept.push(row);
                        if waiting > left { Err(too_much().into()) } else { Ok(()) }
                    }
                }
            },
        )?;
        if changes.rows > 0 {
            self.note_number(statement)?;
        }
        Ok(if analysed.returns_rows() || *counts { rows } else { changes.rows })
    }

    /// Run SQL of this server.
    pub fn run_plain(&mut self, sql: &str) -> Result<()> {
        self.engine.run(sql, |_| Ok(()), |_| Ok(()), |_| Ok(()))?;
        Ok(())
    }
}

fn too_much() -> Error {
    Error::new(sqlstate::OUT_OF_MEMORY, "too many rows wait in portals and cursors")
}

pub fn bind(prepared: &mut Prepared<'_>, values: &[Value]) -> SessionResult<()> {
    let count = prepared.parameter_count();
    for (index, value) in (1..=count).zip(values) {
        prepared.raw_bind_parameter(index, value)?;
    }
    Ok(())
}

/// Whether a statement is still what it was when it was analysed, and may run.
pub fn check(
    prepared: &Prepared<'_>,
    columns: usize,
    first: usize,
    read_only: Option<&str>,
) -> SessionResult<()> {
    may_run(prepared, read_only)?;
    if first == 0 && prepared.column_count() != columns {
        return Err(other_columns().into());
    }
    Ok(())
}

/// Whether a statement may run in this transaction; in one that only reads it has the command's name.
fn may_run(prepared: &Prepared<'_>, read_only: Option<&str>) -> SessionResult<()> {
    match read_only {
        Some(command) if !prepared.readonly() => Err(only_reads(command).into()),
        _ => Ok(()),
    }
}

/// What writes does not run in a transaction that only reads.
pub fn only_reads(command: &str) -> Error {
    let message = format!("cannot execute {command} in a read-only transaction");
    Error::new(sqlstate::READ_ONLY_TRANSACTION, message)
}

fn put_row(
    out: &mut Out,
    row: &Row<'_>,
    (columns, first): (&[Output], usize),
    formats: &[Format],
    number: u64,
) -> SessionResult<()> {
    let value = |at: usize| row.get_ref(first + at).unwrap_or(ValueRef::Null);
    Ok(put_values(out, (0..columns.len()).map(value), columns, formats, number)?)
}

/// Append a row of values.
pub fn put_values<'v>(
    out: &mut Out,
    values: impl Iterator<Item = ValueRef<'v>>,
    columns: &[Output],
    formats: &[Format],
    number: u64,
) -> Result<(), Error> {
    let typed = |(at, (value, column)): (usize, (ValueRef<'v>, &Output))| {
        (value, column.typed, format_of(formats, at))
    };
    let values = values.zip(columns).enumerate().map(typed);
    out.row(values).map_err(|(error, at)| {
        in_result(error, number, columns.get(at).map_or("?", |column| &column.name))
    })
}
