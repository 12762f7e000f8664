//! Statements, translated and with the types of their parameters and columns.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use sql_tokens::quoted_text;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::shown_name;
use sqlite_wasm_postgres::translate::{Action, Statement, Target, translate};
use sqlite_wasm_postgres::types::infer::{self, Column, Output, Schema, budget};
use sqlite_wasm_postgres::types::{TEXT, Typed, origins, parameters};

use super::converse::{Conversation, KEPT_STATEMENTS};
use super::failure::{Failure, Result};
use super::listing;
use super::store::{Analysed, Prepared};
use super::tables::{MAX_KEPT, Tables};
use crate::session::error::Error as SessionError;

/// Bytes of a text whose analysis is kept at most.
const MAX_KEPT_BYTES: usize = 8 << 10;

/// What makes SQLite return a row for each that a view's triggers write.
const COUNTING: &str = "\nRETURNING 1";

/// What was found out already, as long as the schema stays the same.
#[derive(Debug, Default)]
pub struct Analyses {
    /// Of the schema; `None` while it may change back, with its transaction.
    version: Option<i64>,
    /// How often the schema was forgotten.
    generation: u64,
    kept: HashMap<(String, Vec<u32>), Rc<Analysed>>,
    tables: RefCell<HashMap<String, Option<Vec<Column>>>>,
    /// Which of them are views.
    views: RefCell<HashSet<String>>,
    /// The OIDs of tables.
    oids: HashMap<String, u32>,
    /// The columns of tables whose values SQLite assigns.
    pub numbered: HashMap<String, Option<(String, usize)>>,
}

impl Analyses {
    /// Forget all: the same text means something else now.
    fn clear(&mut self) {
        self.kept.clear();
        self.tables.borrow_mut().clear();
        self.views.borrow_mut().clear();
        self.numbered.clear();
        self.oids.clear();
    }
}

impl Conversation<'_> {
    /// A text with one statement; `None` for an empty one.
    pub fn analysed(&mut self, sql: &str, given: &[u32]) -> Result<Prepared> {
        if let Some(kept) = self.kept(sql, given)? {
            return Ok(Some(kept));
        }
        let mut statements = self.ending(|| translate(sql, &self.context))?;
        let Some(statement) = statements.pop() else { return Ok(None) };
        if !statements.is_empty() {
            let message = "cannot insert multiple commands into a prepared statement";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message).into());
        }
        let analysed = Rc::new(self.analyse(statement, sql, sql, given)?);
        self.keep(sql, given, &analysed);
        Ok(Some(analysed))
    }

    /// From now on the next statement is analysed: its time begins.
    pub fn begin_analysis(&mut self) {
        self.begun = Instant::now();
        self.analysis_end = self.begun.checked_add(self.engine.statement_limit());
    }

    /// Do a part of a statement's analysis, for as long as it may run and somebody waits for it.
    pub fn ending<T>(&self, work: impl FnOnce() -> T) -> T {
        let control = self.engine.control().clone();
        let end = self.analysis_end;
        let was_interrupted = Arc::new(AtomicBool::new(false));
        let noted = was_interrupted.clone();
        let ends = move || {
            let why = match () {
                () if control.is_transaction_over() => {
                    let message = "canceling statement due to transaction timeout";
                    return Some(Error::new(sqlstate::TRANSACTION_TIMEOUT, message));
                }
                () if control.is_cancelled() || control.is_interrupted() => {
                    noted.store(true, Ordering::Relaxed);
                    "user request"
                }
                () if end.is_some_and(|end| Instant::now() >= end) => "statement timeout",
                () => return None,
            };
            let message = format!("canceling statement due to {why}");
            Some(Error::new(sqlstate::QUERY_CANCELED, message))
        };
        let done = budget::ending(Some(Arc::new(ends)), work);
        if was_interrupted.load(Ordering::Relaxed) && self.engine.control().is_interrupted() {
            // The analysis has ended for it: SQLite shall not end the next statement, too.
            let _ = self.engine.own_rows("SELECT 1", |_| Ok(()));
        }
        done
    }

    /// What was found out about this text, if the schema is still the same.
    pub fn kept(&mut self, sql: &str, given: &[u32]) -> Result<Prepared> {
        self.check_schema()?;
        let key = (sql.to_owned(), given.to_vec());
        let Some(kept) = self.analyses.kept.get(&key).cloned() else { return Ok(None) };
        self.transaction.check(&kept.statement.action)?;
        Ok(Some(kept))
    }

    /// Keep what was found out about this text.
    pub fn keep(&mut self, sql: &str, given: &[u32], analysed: &Rc<Analysed>) {
        let is_stable = matches!(analysed.statement.action, Action::Run | Action::Explain(_));
        if !is_stable || sql.len() > MAX_KEPT_BYTES {
            return;
        }
        if self.analyses.kept.len() >= MAX_KEPT {
            self.analyses.kept.clear();
        }
        self.analyses.kept.insert((sql.to_owned(), given.to_vec()), analysed.clone());
    }

    /// Forget what is older than the schema: another session may have changed it.
    fn check_schema(&mut self) -> Result<()> {
        // In a transaction this would be its first read.
        if !self.engine.is_autocommit() {
            return Ok(());
        }
        let version = self.engine.own_rows("PRAGMA schema_version", |row| row.get::<_, i64>(0))?;
        let version = version.first().copied();
        if version != self.analyses.version {
            self.forget_schema();
            // SQLite reads the schema again when a statement finds another one than its own.
            self.engine.own_rows("SELECT 1 FROM sqlite_schema LIMIT 1", |_| Ok(()))?;
            self.analyses.version = version;
        }
        Ok(())
    }

    /// Forget what the schema was. SQLite prepares a statement again only when it runs; before that
    /// it reports the types of the tables that were there.
    pub fn forget_schema(&mut self) {
        self.analyses.clear();
        self.analyses.version = None;
        self.analyses.generation += 1;
        self.engine.keep_statements(0);
        self.engine.keep_statements(KEPT_STATEMENTS);
    }

    /// A prepared statement, if its rows still are as they were described.
    ///
    /// # Errors
    ///
    /// 26000 if it does not exist, 0A000 if its columns have changed.
    pub fn prepared(&self, name: &str) -> Result<Prepared> {
        self.unchanged(&self.store.prepared(name)?.prepared)
    }

    /// The same of one that gets values.
    pub fn prepared_to_run(&self, name: &str) -> Result<Prepared> {
        let statement = self.store.prepared(name)?;
        statement.runs.set(statement.runs.get() + 1);
        self.unchanged(&statement.prepared)
    }

    fn unchanged(&self, prepared: &Prepared) -> Result<Prepared> {
        let Some(analysed) = prepared else { return Ok(None) };
        let generation = self.analyses.generation;
        if analysed.generation.get() == generation {
            return Ok(analysed.again.borrow().clone().or_else(|| prepared.clone()));
        }
        self.check_schemas(&analysed.text, &analysed.statement)?;
        let again = self.translated_anew(analysed)?;
        if !analysed.columns.is_empty()
            && has_own_columns(&analysed.statement)
            && self.columns_anew(again.as_ref().unwrap_or(analysed))? != analysed.columns
        {
            return Err(other_columns().into());
        }
        *analysed.again.borrow_mut() = again;
        analysed.generation.set(generation);
        Ok(analysed.again.borrow().clone().or_else(|| prepared.clone()))
    }

    /// The statement for the tables as they are now: casts, operators and functions are translated by the types of their columns,
    /// and without a list the columns of an INSERT are those of its table.
    fn translated_anew(&self, analysed: &Analysed) -> Result<Prepared> {
        let own = &analysed.statement;
        if own.action != Action::Run || !own.before.is_empty() {
            return Ok(None);
        }
        let mut all = self.ending(|| translate(&analysed.text, &self.context))?;
        let (Some(mut statement), true) = (all.pop(), all.is_empty()) else { return Ok(None) };
        let given: Vec<_> = analysed.parameters.iter().map(|one| one.ty.oid()).collect();
        let tables = self.tables();
        let parameters =
            self.ending(|| parameters::infer(&mut statement, &given, &tables, &self.context))?;
        statement.start = own.start;
        if analysed.counts {
            statement.sql.push_str(COUNTING);
        }
        Ok(Some(Rc::new(analysed.renewed(statement, parameters))))
    }

    /// The columns that a statement has with the tables as they are now.
    fn columns_anew(&self, analysed: &Analysed) -> Result<Vec<Output>> {
        let mut statement = analysed.statement.clone();
        let given: Vec<_> = analysed.parameters.iter().map(|one| one.ty.oid()).collect();
        self.ending(|| parameters::infer(&mut statement, &given, &self.tables(), &self.context))?;
        self.columns(&statement, "")
    }

    /// The types of a statement of `text`, in which it is `own`.
    pub fn analyse(
        &mut self,
        mut statement: Statement,
        text: &str,
        own: &str,
        given: &[u32],
    ) -> Result<Analysed> {
        self.transaction.check(&statement.action)?;
        self.check_schemas(own, &statement)?;
        if statement.parameters > 0 && is_definition(&statement.command) {
            return Err(
                Error::new(sqlstate::UNDEFINED_PARAMETER, "there is no parameter $1").into()
            );
        }
        let parameters = self
            .ending(|| parameters::infer(&mut statement, given, &self.tables(), &self.context))?;
        let columns = match &statement.action {
            Action::Show(name) => {
                self.session.state().settings.show(name)?;
                vec![text_column(&shown_name(name))]
            }
            Action::ShowAll => ["name", "setting", "description"].map(text_column).to_vec(),
            Action::Fetch { name, is_move: false, .. } => self.store.columns_of(name)?,
            Action::Execute { name, arguments } => {
                self.prepared_for(name, arguments)?.columns.clone()
            }
            // What is done already need not be possible.
            _ if self.check_objects(&statement)?.is_done => Vec::new(),
            _ if has_own_columns(&statement) => self.columns(&statement, text)?,
            _ => Vec::new(),
        };
        let has_no_columns = match &statement.action {
            Action::Execute { name, arguments } => {
                self.prepared_for(name, arguments)?.has_no_columns
            }
            _ => statement.has_no_columns,
        };
        let columns = if has_no_columns { Vec::new() } else { columns };
        let origins = if has_own_columns(&statement) {
            self.origins(&statement, columns.len())?
        } else {
            Vec::new()
        };
        let lists = listing::is_read_by(&statement.sql);
        if lists && is_definition(&statement.command) {
            // Other programs that read the file have no session.
            return Err(Error::unsupported("a table of the session in a definition").into());
        }
        let generation = self.analyses.generation.into();
        let text = own.to_owned();
        let counts = columns.is_empty() && self.writes_view(&statement);
        if counts {
            statement.sql.push_str(COUNTING);
        }
        let again = RefCell::default();
        let analysed = Analysed {
            text,
            statement,
            parameters,
            columns,
            origins,
            generation,
            again,
            lists,
            counts,
            has_no_columns,
        };
        Ok(analysed)
    }

    /// The columns of a query.
    pub fn columns(&self, statement: &Statement, text: &str) -> Result<Vec<Output>> {
        let prepared = self.engine.inspect(&statement.sql, |prepared| {
            let names = prepared.column_names().into_iter().map(str::to_owned);
            match prepared.column_count() {
                0 => Ok(Vec::new()),
                _ => Ok(names.zip(prepared.column_decltypes()?).collect::<Vec<_>>()),
            }
        });
        let prepared = prepared.map_err(|error| located(error, statement, text))?;
        let prepared: Vec<_> =
            prepared.iter().map(|(name, ty)| (name.as_str(), ty.as_deref())).collect();
        if prepared.is_empty() {
            Ok(Vec::new())
        } else {
            Ok(self.ending(|| infer::outputs(statement, &prepared, &self.tables()))?)
        }
    }

    /// The columns of a table, in their order.
    ///
    /// # Errors
    ///
    /// 42P01 if it does not exist.
    pub fn table(&self, name: &str) -> Result<Vec<Column>> {
        self.tables().columns(name).ok_or_else(|| {
            let message = format!("relation \"{name}\" does not exist");
            Error::new(sqlstate::UNDEFINED_TABLE, message).into()
        })
    }

    /// The tables that the columns of a result are from, and the columns' positions in them.
    fn origins(&mut self, statement: &Statement, count: usize) -> Result<Vec<(u32, i16)>> {
        let found = match count {
            0 => Vec::new(),
            _ => self.ending(|| origins::origins(statement, count, &self.tables()))?,
        };
        let number = |origin: Option<(String, i16)>| match origin {
            Some((table, number)) => Ok((self.oid(table)?, number)),
            None => Ok((0, 0)),
        };
        let mut number = number;
        found.into_iter().map(&mut number).collect()
    }

    /// The OID of a table, which the catalogue knows.
    fn oid(&mut self, table: String) -> Result<u32> {
        if let Some(known) = self.analyses.oids.get(&table) {
            return Ok(*known);
        }
        let sql = format!("SELECT to_regclass({})", quoted_text(&table));
        let row = |row: &sqlite_sandbox::Row<'_>| row.get::<_, Option<u32>>(0);
        let found = self.engine.own_rows(&sql, row)?.pop().flatten().unwrap_or(0);
        if self.analyses.oids.len() >= MAX_KEPT {
            self.analyses.oids.clear();
        }
        self.analyses.oids.insert(table, found);
        Ok(found)
    }

    /// Whether a statement writes a view, whose triggers do it.
    fn writes_view(&self, statement: &Statement) -> bool {
        let views = self.analyses.views.borrow();
        !views.is_empty()
            && statement.action == Action::Run
            && Target::of(statement).is_some_and(|one| views.contains(&one.table.to_lowercase()))
    }

    /// The tables of the connection.
    pub fn tables(&self) -> Tables<'_> {
        let Analyses { tables, views, .. } = &self.analyses;
        Tables { engine: self.engine, known: tables, views }
    }
}

/// Whether a command changes the schema.
pub fn is_definition(command: &str) -> bool {
    ["CREATE", "ALTER", "DROP"].iter().any(|verb| command.starts_with(verb))
}

/// Whether SQLite knows a statement's columns: what runs before may make what it names.
fn has_own_columns(statement: &Statement) -> bool {
    matches!(statement.action, Action::Run | Action::Explain(_)) && statement.before.is_empty()
}

/// A statement whose rows would not be those that were described.
pub fn other_columns() -> Error {
    let message = "cached plan must not change result type";
    // Pools prepare the statement again when they see this routine.
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message).routine("RevalidateCachedQuery")
}

fn text_column(name: &str) -> Output {
    Output { name: name.to_owned(), typed: Typed::plain(TEXT) }
}

/// An error of SQLite at its position in the client's text, where that is what SQLite was given.
fn located(error: SessionError, statement: &Statement, text: &str) -> Failure {
    let mut failure = Failure::from(error);
    if let Failure::Error(error) = &mut failure {
        let before = text.get(..statement.start).map_or(0, |before| before.chars().count());
        let position = error.position.filter(|_| statement.is_untouched);
        error.position = position.map(|position| position + before);
        *error = statement.blamed(text, std::mem::replace(error, Error::new("", "")));
    }
    failure
}
