//! What a session has besides SQLite: settings, advisory locks, and the keys that its
//! insertions got. One function of SQL reads and changes it, by the name of Postgres' own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlite_sandbox::functions::{Context, FunctionFlags};
use sqlite_sandbox::types::{Value, ValueRef};
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::{Parameter, Row, Settings};
use sqlite_wasm_postgres::translate::SESSION_FUNCTION;
use sqlite_wasm_postgres::{Error, Result};

use super::advisory::{Key, LOOK, Mode, Own, Scope};
use super::checked::Constraints;
use super::listing::TABLES;
use super::notes::Notes;
use crate::session::connection::SessionConnection;
use crate::session::control::Control;
use crate::session::error::Result as SessionResult;

/// Seconds that `pg_sleep` takes for infinity: longer than a server runs.
const LONGEST_SLEEP: f64 = 1e9;

/// Sequences whose last value is kept: one for each table that a session inserts into.
const MAX_SEQUENCES: usize = 1000;

/// What a session has.
#[derive(Debug)]
pub struct State {
    pub settings: Settings,
    pub locks: Own,
    pub notes: Notes,
    pub constraints: Constraints,
    /// The last values that insertions got, by the name of the sequence.
    sequences: HashMap<String, i64>,
    last: Option<String>,
    /// Messages for the client that are not errors.
    pub notices: Vec<Error>,
    /// The rows of the tables that list what the session has, for the statement that runs.
    pub listed: Option<[String; 2]>,
    /// The error of the function: SQLite reports its message only.
    error: Option<Error>,
    /// When the statement that runs must have ended.
    pub end: Option<Instant>,
    control: Arc<Control>,
}

/// What the conversation and the function share.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Mutex<State>>);

impl Shared {
    /// A session's state, with its function.
    ///
    /// # Errors
    ///
    /// When the sandbox cannot be called.
    pub fn new(
        engine: &mut SessionConnection,
        settings: Settings,
        locks: Own,
        notes: Notes,
    ) -> SessionResult<Self> {
        let state = State {
            settings,
            locks,
            notes,
            constraints: Constraints::default(),
            sequences: HashMap::new(),
            last: None,
            notices: Vec::new(),
            listed: None,
            error: None,
            end: None,
            control: engine.control().clone(),
        };
        let shared = Self(Arc::new(Mutex::new(state)));
        let own = shared.clone();
        // Only the client's own SQL calls it: what a schema has runs for other sessions.
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
        let call = move |context: &Context<'_>| own.call(context);
        engine.connection().create_scalar_function(SESSION_FUNCTION, -1, flags, call)?;
        let own = shared.clone();
        engine.at_commits(Box::new(move || own.state().notes.commit()));
        Ok(shared)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, context: &Context<'_>) -> sqlite_sandbox::Result<Value> {
        let mut state = self.state();
        state.call(context).map_err(|error| {
            let message = error.message.clone();
            state.error = Some(error);
            sqlite_sandbox::Error::UserFunctionError(message.into())
        })
    }

    /// The error that the function has reported, if any.
    pub fn take_error(&self) -> Option<Error> {
        self.state().error.take()
    }
}

impl State {
    /// After an error in a transaction with savepoints: the last one is where it may go on.
    pub fn undo_to_savepoint(&mut self) {
        if let Some(last) = self.settings.savepoints().checked_sub(1) {
            self.settings.roll_back_to(last);
            self.locks.roll_back_to(last);
            self.notes.roll_back_to(last);
            self.constraints.roll_back_to(last);
        }
    }

    fn call(&mut self, context: &Context<'_>) -> Result<Value> {
        let name: String = context.get(0).unwrap_or_default();
        let arguments: Vec<_> = (1..context.len()).map(|at| context.get_raw(at)).collect();
        let is_null = |value: &ValueRef<'_>| matches!(value, ValueRef::Null);
        if let ("pg_notify", [channel, payload]) = (name.as_str(), &arguments[..]) {
            self.notes.notify(&text(channel), &text(payload))?;
            return Ok(Value::Text(String::new()));
        }
        if name != "set_config" && arguments.iter().any(is_null) {
            return Ok(Value::Null);
        }
        match (name.as_str(), &arguments[..]) {
            ("current_setting", [name, rest @ ..]) => {
                let is_optional = rest.first().is_some_and(is_true);
                match self.settings.show(&text(name)) {
                    Ok(value) => Ok(Value::Text(value)),
                    Err(_) if is_optional => Ok(Value::Null),
                    Err(error) => Err(error),
                }
            }
            ("set_config", [name, value, is_local]) => self.set_config(name, value, is_local),
            ("current_schemas", [implicit]) => Ok(Value::Text(if is_true(implicit) {
                r#"["pg_catalog","public"]"#.to_owned()
            } else {
                r#"["public"]"#.to_owned()
            })),
            ("pg_settings", []) => Ok(Value::Text(self.all_settings())),
            (table, []) if let Some(at) = TABLES.iter().position(|known| *known == table) => {
                let listed = self.listed.as_ref().map(|listed| listed[at].clone());
                Ok(listed.map_or(Value::Null, Value::Text))
            }
            ("no_relation", [name]) => {
                let message = format!("relation \"{}\" does not exist", text(name));
                Err(Error::new(sqlstate::UNDEFINED_TABLE, message))
            }
            ("lastval", []) => self.last_number(),
            ("currval", [sequence]) => self.current_number(&text(sequence)),
            ("pg_sleep", [seconds]) => self.sleep(seconds),
            ("pg_advisory_unlock_all", []) => {
                self.locks.release_all();
                Ok(Value::Text(String::new()))
            }
            (name, keys) => self.lock(name, key(name, keys)?),
        }
    }

    fn set_config(
        &mut self,
        name: &ValueRef<'_>,
        value: &ValueRef<'_>,
        is_local: &ValueRef<'_>,
    ) -> Result<Value> {
        if matches!(name, ValueRef::Null) {
            return Err(Error::new("22004", "SET requires parameter name"));
        }
        let name = text(name);
        let value = (!matches!(value, ValueRef::Null)).then(|| text(value));
        self.settings.set(&name, value.as_deref(), is_true(is_local))?;
        self.settings.show(&name).map(Value::Text)
    }

    /// The rows of `pg_settings`, which the catalogue's extension requests: objects of JSON.
    fn all_settings(&self) -> String {
        let row = |row: Row| {
            let Parameter { name, context, kind, unit, range, default, .. } = row.parameter;
            let some = |text: &'static str| (!text.is_empty()).then_some(text);
            let values: Vec<_> = row.parameter.values().collect();
            let values = (!values.is_empty()).then(|| serde_json::json!(values).to_string());
            serde_json::json!({
                "name": name, "setting": row.value, "unit": some(unit), "context": context, "vartype": kind,
                "source": row.source, "min_val": some(range.0), "max_val": some(range.1), "enumvals": values,
                "boot_val": default, "reset_val": row.reset, "category": "", "short_desc": "",
            })
        };
        let rows: Vec<_> = self.settings.all().into_iter().map(row).collect();
        serde_json::Value::Array(rows).to_string()
    }

    /// An insertion got this value from a sequence.
    pub fn inserted(&mut self, sequence: String, number: i64) {
        if self.sequences.len() >= MAX_SEQUENCES && !self.sequences.contains_key(&sequence) {
            self.sequences.clear();
        }
        self.sequences.insert(sequence.clone(), number);
        self.last = Some(sequence);
    }

    /// `DISCARD SEQUENCES`.
    pub fn forget_numbers(&mut self) {
        self.sequences.clear();
        self.last = None;
    }

    fn last_number(&self) -> Result<Value> {
        let number = self.last.as_ref().and_then(|last| self.sequences.get(last));
        let undefined =
            || Error::new(sqlstate::OBJECT_NOT_READY, "lastval is not yet defined in this session");
        number.map(|number| Value::Integer(*number)).ok_or_else(undefined)
    }

    fn current_number(&self, sequence: &str) -> Result<Value> {
        let name = sequence.strip_prefix("public.").unwrap_or(sequence);
        let name = match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(quoted) => quoted.replace("\"\"", "\""),
            None => name.to_lowercase(),
        };
        let undefined = || {
            let message =
                format!("currval of sequence \"{name}\" is not yet defined in this session");
            Error::new(sqlstate::OBJECT_NOT_READY, message)
        };
        self.sequences.get(&name).map(|number| Value::Integer(*number)).ok_or_else(undefined)
    }

    /// `pg_sleep`: as long as the statement may take.
    fn sleep(&self, seconds: &ValueRef<'_>) -> Result<Value> {
        let seconds = match seconds {
            ValueRef::Integer(seconds) => *seconds as f64,
            ValueRef::Real(seconds) => *seconds,
            // SQLite has an infinite double and NaN as text.
            other => match text(other).as_str() {
                "Infinity" => LONGEST_SLEEP,
                "-Infinity" | "NaN" => 0.0,
                _ => return Err(none("pg_sleep", "unknown")),
            },
        };
        let wait = Wait { control: &self.control, statement: self.end, lock: None };
        let began = Instant::now();
        loop {
            wait.must_end()?;
            let left = seconds.clamp(0.0, LONGEST_SLEEP) - began.elapsed().as_secs_f64();
            // Zero if it has passed, or is NaN.
            match Duration::try_from_secs_f64(left).unwrap_or_default() {
                Duration::ZERO => return Ok(Value::Text(String::new())),
                left => std::thread::sleep(left.min(LOOK)),
            }
        }
    }

    /// The functions `pg_[try_]advisory_[xact_]lock[_shared]` and `pg_advisory_unlock[_shared]`.
    fn lock(&mut self, name: &str, key: Key) -> Result<Value> {
        let mode = if name.ends_with("_shared") { Mode::Shared } else { Mode::Exclusive };
        if name.contains("unlock") {
            let is_held = self.locks.release(key, mode);
            if !is_held {
                let message = format!("you don't own a lock of type {}", mode.name());
                self.notices.push(Error::new("01000", message));
            }
            return Ok(Value::Integer(is_held.into()));
        }
        let scope = if name.contains("_xact_") { Scope::Transaction } else { Scope::Session };
        if name.starts_with("pg_try_") {
            let is_taken = self.locks.take((key, mode, scope), None)?;
            return Ok(Value::Integer(is_taken.into()));
        }
        let wait = Wait {
            control: &self.control,
            statement: self.end,
            lock: self.settings.times().lock.and_then(|time| Instant::now().checked_add(time)),
        };
        self.locks.take((key, mode, scope), Some(&|| wait.must_end()))?;
        // Its type is `void`.
        Ok(Value::Text(String::new()))
    }
}

/// What ends the wait for a lock.
struct Wait<'a> {
    control: &'a Control,
    statement: Option<Instant>,
    lock: Option<Instant>,
}

impl Wait<'_> {
    fn must_end(&self) -> Result<()> {
        let is_over = |end: Option<Instant>| end.is_some_and(|end| Instant::now() >= end);
        let canceled = |why: &str| {
            Err(Error::new(sqlstate::QUERY_CANCELED, format!("canceling statement due to {why}")))
        };
        if self.control.must_end() || self.control.is_interrupted() {
            return canceled("user request");
        }
        if is_over(self.lock) {
            let message = "canceling statement due to lock timeout";
            return Err(Error::new(sqlstate::LOCK_NOT_AVAILABLE, message));
        }
        if is_over(self.statement) { canceled("statement timeout") } else { Ok(()) }
    }
}

fn text(value: &ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

fn is_true(value: &ValueRef<'_>) -> bool {
    match value {
        ValueRef::Integer(number) => *number != 0,
        ValueRef::Text(text) => {
            ["t", "true", "on", "yes", "1"].iter().any(|word| word.as_bytes() == *text)
        }
        _ => false,
    }
}

/// The key of a lock: a bigint, or two integers.
fn key(function: &str, keys: &[ValueRef<'_>]) -> Result<Key> {
    let number = |value: &ValueRef<'_>| match value {
        ValueRef::Integer(number) => Some(*number),
        ValueRef::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        _ => None,
    };
    let numbers: Option<Vec<i64>> = keys.iter().map(number).collect();
    match numbers.as_deref() {
        Some([one]) => Ok(Key::One(*one)),
        Some([one, two]) => match (i32::try_from(*one), i32::try_from(*two)) {
            (Ok(one), Ok(two)) => Ok(Key::Two(one, two)),
            _ => Err(none(function, "bigint, bigint")),
        },
        _ => Err(none(function, "unknown")),
    }
}

fn none(function: &str, types: &str) -> Error {
    let message = format!("function {function}({types}) does not exist");
    Error::new(sqlstate::UNDEFINED_FUNCTION, message)
}
