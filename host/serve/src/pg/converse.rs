//! The conversation with a client, on the thread of its session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sql_tokens::quoted_text;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::frames::{self, Message, Target};
use sqlite_wasm_postgres::state::{REPORTED, Settings, Transaction};
use sqlite_wasm_postgres::translate::Context;

use super::advisory::{Locks, Own};
use super::analyse::Analyses;
use super::failure::{Failure, Result, no_room, of_end, shutdown};
use super::notes::Notes;
use super::out::Severity;
use super::session::Shared;
use super::store::{Prepared, Statement, Store, check_length};
use super::stream::{Gone, Stream};
use crate::session::connection::SessionConnection;
use crate::session::control::Ended;

/// Statements that stay prepared in SQLite.
pub const KEPT_STATEMENTS: usize = 64;

/// How long one that listens may send nothing.
const FOR_EVER: Duration = Duration::from_secs(1 << 32);

/// What begins a conversation.
#[derive(Debug)]
pub struct Greeting {
    pub user: String,
    pub database: String,
    /// Settings that the client sent with its first message.
    pub settings: Vec<(String, String)>,
    pub process: i32,
    pub secret: u32,
}

/// A conversation.
pub struct Conversation<'a> {
    pub engine: &'a mut SessionConnection,
    pub stream: Stream,
    pub context: Context,
    pub session: Shared,
    /// The settings that the client has received, and the version of all when it did.
    reported: Vec<(&'static str, String)>,
    reported_version: u64,
    pub transaction: Transaction,
    /// A transaction that the client did not begin: the statements of one message, or up to Sync.
    pub is_implicit: bool,
    /// Whether the statement is one of several that are a transaction together.
    pub is_together: bool,
    pub has_savepoints: bool,
    pub store: Store,
    pub analyses: Analyses,
    /// When the analysis of the statement must be done; `None` if it has no limit.
    pub analysis_end: Option<Instant>,
    /// When the statement began.
    pub begun: Instant,
    /// Rows that wait in portals at most, in bytes.
    pub max_waiting: u64,
    /// After an error in the extended protocol, up to Sync.
    is_skipping: bool,
}

impl<'a> Conversation<'a> {
    /// Begin: tell the client what it needs to know.
    pub fn new(
        engine: &'a mut SessionConnection,
        stream: Stream,
        greeting: Greeting,
        locks: Arc<Locks>,
        max_waiting: u64,
    ) -> Result<Self> {
        engine.keep_statements(KEPT_STATEMENTS);
        let context =
            Context { user: greeting.user, database: greeting.database, process: greeting.process };
        let times = engine.times();
        let settings = Settings::of(&context.user, times.statement, times.transaction);
        let locks = Own::new(locks, greeting.process, &context.database);
        let notes = Notes::new(engine.feed().clone(), engine.runtime().clone(), greeting.process);
        let session = Shared::new(engine, settings, locks, notes)?;
        let mut new = Self {
            engine,
            stream,
            context,
            session,
            reported: Vec::new(),
            reported_version: 0,
            transaction: Transaction::Idle,
            is_implicit: false,
            is_together: false,
            has_savepoints: false,
            store: Store::default(),
            analyses: Analyses::default(),
            analysis_end: None,
            begun: Instant::now(),
            max_waiting,
            is_skipping: false,
        };
        match new.start(&greeting.settings) {
            Ok(()) => new.stream.out.authentication(0, &[]),
            Err(error) => {
                new.end(&error);
                return Err(Failure::Gone);
            }
        }
        REPORTED.iter().for_each(|name| new.report_setting(name));
        new.stream.out.key(greeting.process, greeting.secret);
        new.ready()?;
        Ok(new)
    }

    /// The settings of the client's first message. Drivers send the time zone of their machine unasked:
    /// another one than the server's stays as it is, and is reported so.
    fn start(&mut self, settings: &[(String, String)]) -> Result<(), Error> {
        let mut state = self.session.state();
        for (name, value) in settings {
            match state.settings.start(name, value) {
                Err(error) if error.code == sqlstate::FEATURE_NOT_SUPPORTED && is_zone(name) => {}
                done => done?,
            }
        }
        Ok(())
    }

    /// Tell the client a setting, unless it knows it.
    fn report_setting(&mut self, name: &'static str) {
        let Ok(value) = self.session.state().settings.show(name) else { return };
        match self.reported.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if *known == value => return,
            Some((_, known)) => known.clone_from(&value),
            None => self.reported.push((name, value.clone())),
        }
        self.stream.out.parameter(name, &value);
    }

    /// Tell the client the settings that have changed.
    fn report_changes(&mut self) {
        let version = self.session.state().settings.version();
        if std::mem::replace(&mut self.reported_version, version) != version {
            REPORTED.iter().for_each(|name| self.report_setting(name));
        }
    }

    /// Send the client a notice that is not an error, unless it wants no warnings.
    pub fn warn(&mut self, notice: &Error) {
        if self.session.state().settings.sends("warning") {
            self.stream.out.report(Severity::Warning, notice);
        }
    }

    /// The same of something that is as the client may want it.
    pub fn notice(&mut self, notice: &Error) {
        if self.session.state().settings.sends("notice") {
            self.stream.out.report(Severity::Notice, notice);
        }
    }

    /// Follow messages until the client is gone or must go.
    pub fn run(mut self) {
        let mut body = Vec::new();
        loop {
            let (patience, then) = self.patience();
            self.hear();
            let done = match self.stream.read(&mut body, patience) {
                Ok(tag) => self.follow(tag, &body),
                Err(Gone::Busy(tag)) => self.lose(tag),
                Err(Gone::Called) => self.deliver().map(|()| true),
                Err(gone) => return self.leave(&gone, then),
            };
            match done {
                Ok(true) => {}
                Ok(false) | Err(Failure::Gone) => return,
                Err(Failure::Fatal(error) | Failure::Error(error)) => return self.end(&error),
            }
            if self.engine.is_gone() {
                return self.end(&Error::new(sqlstate::INTERNAL_ERROR, "the sandbox is gone"));
            }
        }
    }

    /// How long to wait for the next message, and what happens then.
    fn patience(&self) -> (Duration, Ended) {
        let (patience, then) = self.engine.patience();
        let state = self.session.state();
        let is_idle = self.transaction == Transaction::Idle;
        let times = state.settings.times();
        let own = if is_idle { times.session } else { times.idle };
        // One that listens is not idle; a client that is gone is noticed.
        let patience = if is_idle && state.notes.heard().is_some() { FOR_EVER } else { patience };
        match own.filter(|own| *own < patience) {
            Some(own) if is_idle => (own, Ended::Idle(own)),
            Some(own) => (own, Ended::Transaction(own)),
            None => (patience, then),
        }
    }

    fn leave(self, gone: &Gone, then: Ended) {
        match gone {
            // The server has ended the reading half.
            Gone::Closed if self.engine.control().is_leaving() => self.end(&shutdown()),
            Gone::Closed | Gone::Busy(_) | Gone::Called => {}
            Gone::Late => self.end(&of_end(then)),
            Gone::TooLong => self.end(&frames::violation("invalid message length")),
        }
    }

    fn end(mut self, error: &Error) {
        self.stream.out.report(Severity::Fatal, error);
        self.stream.close();
    }

    /// Follow a message: whether the conversation goes on.
    fn follow(&mut self, tag: u8, body: &[u8]) -> Result<bool> {
        if self.ignores(tag) {
            return Ok(true);
        }
        let message = match frames::read(tag, body) {
            Ok(message) => message,
            Err(error) => return self.refuse(tag, error),
        };
        match message {
            Message::Terminate => return Ok(false),
            Message::Query(sql) => {
                self.is_skipping = false;
                let done = self.query(sql).and_then(|()| self.end_implicit());
                self.note(done)?;
                self.ready()?;
            }
            Message::Sync => {
                self.is_skipping = false;
                let done = self.end_implicit();
                self.note(done)?;
                if self.transaction == Transaction::Idle {
                    self.store.end_transaction(true);
                }
                self.ready()?;
            }
            Message::Flush => self.stream.send().map_err(|_| Failure::Gone)?,
            // What is left of a COPY that has failed.
            Message::CopyData(_) | Message::CopyDone | Message::CopyFail(_) => {}
            message => {
                let done = self.extended(message);
                self.is_skipping = done.is_err();
                self.note(done)?;
            }
        }
        Ok(true)
    }

    fn ignores(&self, tag: u8) -> bool {
        self.is_skipping && !matches!(tag, b'S' | b'X')
    }

    /// Report what is wrong with a message. The conversation goes on where that is a request.
    fn refuse(&mut self, tag: u8, error: Error) -> Result<bool> {
        if !b"QPBDECf".contains(&tag) {
            return Err(Failure::Fatal(error));
        }
        self.is_skipping = tag != b'Q';
        self.fail(&error)?;
        if tag == b'Q' {
            self.ready()?;
        }
        Ok(true)
    }

    /// Go on after a message for which there was no room.
    fn lose(&mut self, tag: u8) -> Result<bool> {
        // Data of a COPY that has failed is needed no more.
        if self.ignores(tag) || tag == b'd' { Ok(true) } else { self.refuse(tag, no_room()) }
    }

    fn ready(&mut self) -> Result<()> {
        self.report_changes();
        self.deliver()?;
        self.stream.out.ready(self.transaction.indicator());
        Ok(())
    }

    /// Report an error, if there is one after which the connection goes on.
    fn note(&mut self, done: Result<()>) -> Result<()> {
        match done {
            Err(Failure::Error(error)) => self.fail(&error),
            done => done,
        }
    }

    /// Report an error, which ends or fails the transaction.
    fn fail(&mut self, error: &Error) -> Result<()> {
        match self.key_name(error) {
            Some(name) => {
                self.stream.out.report(Severity::Error, &error.clone().of_key(name));
            }
            None => self.stream.out.report(Severity::Error, error),
        }
        self.abort()
    }

    /// The name of the key that is violated, which only the schema knows.
    pub fn key_name(&self, error: &Error) -> Option<String> {
        let columns = quoted_text(error.key_columns()?);
        let sql = format!("SELECT pg_violated_key({columns})");
        self.engine.own_rows(&sql, |row| row.get(0)).ok()?.pop()?
    }

    fn extended(&mut self, message: Message<'_>) -> Result<()> {
        self.begin_analysis();
        match message {
            Message::Parse { name, sql, types } => {
                check_length(sql)?;
                let prepared = self.analysed(sql, &types)?;
                let statement = Statement::new(prepared, sql.len(), self.begun);
                self.store.prepare(name, statement)?;
                self.stream.out.empty(b'1');
            }
            Message::Bind(bind) => self.bind(&bind)?,
            Message::Describe(Target::Statement, name) => {
                let prepared = self.prepared(name)?;
                self.describe_statement(&prepared);
            }
            Message::Describe(Target::Portal, name) => {
                // A cursor of SQL is a portal, too.
                if let Some(cursor) = self.store.cursors.get(name) {
                    self.stream.out.row_description(&cursor.columns, &[], &[]);
                    return Ok(());
                }
                let portal = self.store.take_portal(name)?;
                self.stream.out.columns(portal.prepared.as_deref(), &portal.formats);
                self.store.keep_portal(name, portal);
            }
            Message::Execute { portal, rows } => self.execute_portal(portal, rows)?,
            Message::Close(Target::Statement, name) => {
                self.store.forget(name);
                self.stream.out.empty(b'3');
            }
            Message::Close(Target::Portal, name) => {
                self.store.close_portal(name);
                self.store.cursors.remove(name);
                self.stream.out.empty(b'3');
            }
            _ => {}
        }
        Ok(())
    }

    fn describe_statement(&mut self, prepared: &Prepared) {
        let parameters = prepared.as_ref().map(|one| &one.parameters[..]).unwrap_or_default();
        self.stream.out.parameter_types(parameters);
        self.stream.out.columns(prepared.as_deref(), &[]);
    }
}

fn is_zone(setting: &str) -> bool {
    setting.eq_ignore_ascii_case("timezone")
}
