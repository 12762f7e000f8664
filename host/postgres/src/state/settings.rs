//! What a session has set.

mod transaction;

use std::collections::BTreeMap;
use std::time::Duration;

use super::parameters::{self, Parameter};
use super::promises;
use super::units;
use crate::error::{Error, Result, sqlstate};
use crate::translate::Modes;
use postgres_types::Style;
use transaction::Change;

/// Settings that a client may invent (`my.name`), at most.
const MAX_OWN: usize = 64;

/// Bytes of a value at most: PostgREST puts the headers of a request there.
const MAX_VALUE: usize = 64 << 10;

/// Bytes of all values of a session at most, and again of those that a transaction may restore.
const MAX_BYTES: usize = 1 << 20;

/// The setting that limits a statement, that which limits the pause in a transaction, that which
/// limits the wait for a lock, and that which limits the pause outside a transaction.
const STATEMENT: &str = "statement_timeout";
const IDLE: &str = "idle_in_transaction_session_timeout";
const LOCK: &str = "lock_timeout";
const SESSION: &str = "idle_session_timeout";

/// The settings of the transaction, and those that it has them from.
const OF_TRANSACTION: [(&str, &str); 3] = [
    ("transaction_isolation", "default_transaction_isolation"),
    ("transaction_read_only", "default_transaction_read_only"),
    ("transaction_deferrable", "default_transaction_deferrable"),
];

/// Values by names in lower case, as `pg_settings` has them.
type Values = BTreeMap<String, String>;

/// What a session has set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    user: String,
    /// Those of the client's first message, to which RESET returns.
    startup: Values,
    session: Values,
    /// Until the end of the transaction.
    local: Values,
    /// What the transaction has changed, in its order.
    changes: Vec<Change>,
    changed_bytes: usize,
    /// The savepoints: their names, and what was before them.
    marks: Vec<(String, usize, Modes)>,
    modes: Modes,
    /// Whether the transaction has read something.
    has_begun: bool,
    /// What the server allows of [`STATEMENT`] and [`IDLE`].
    limits: [Option<Duration>; 2],
    /// How often something has changed.
    version: u64,
    times: Times,
    /// Whether a transaction only reads if nothing says otherwise.
    only_reads: bool,
}

/// Limits of time, which each message needs; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Of a statement.
    pub statement: Option<Duration>,
    /// Of a transaction that waits for its client.
    pub idle: Option<Duration>,
    /// Of a statement that waits for a lock.
    pub lock: Option<Duration>,
    /// Of a session that waits for its client outside a transaction.
    pub session: Option<Duration>,
}

/// A row of `pg_settings`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is.
    pub parameter: &'static Parameter,
    /// Its value, without a unit.
    pub value: String,
    /// The value to which RESET returns.
    pub reset: String,
    /// `default`, `client` or `session`.
    pub source: &'static str,
}

impl Settings {
    /// Those of a user, on a server that limits a statement and a pause in a transaction.
    pub fn of(user: &str, statement: Duration, idle: Duration) -> Self {
        let limits = [Some(statement), Some(idle)];
        let mut new = Self { user: user.to_owned(), limits, ..Self::default() };
        new.change();
        new
    }

    /// How long statements, transactions and sessions may take or wait.
    pub fn times(&self) -> Times {
        self.times
    }

    /// Note that something has changed.
    fn change(&mut self) {
        self.version += 1;
        self.times = Times {
            statement: self.time(STATEMENT),
            idle: self.time(IDLE),
            lock: self.time(LOCK),
            session: self.time(SESSION),
        };
        self.only_reads = self.is_on(OF_TRANSACTION[1].1);
    }

    /// How intervals are written.
    pub fn interval_style(&self) -> Style {
        let style = parameters::named("IntervalStyle").map(|parameter| self.raw(parameter));
        match style.as_deref() {
            Some("iso_8601") => Style::Iso8601,
            _ => Style::Postgres,
        }
    }

    fn time(&self, name: &str) -> Option<Duration> {
        let milliseconds = self.raw(parameters::named(name)?).parse().ok()?;
        (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
    }

    /// Whether a setting is `on`.
    pub fn is_on(&self, name: &str) -> bool {
        self.show(name).is_ok_and(|value| value == "on")
    }

    /// Whether messages of this kind are sent, as `client_min_messages` has it.
    pub fn sends(&self, kind: &str) -> bool {
        let Some(parameter) = parameters::named("client_min_messages") else { return true };
        let least = self.raw(parameter);
        let place = |word: &str| parameter.values().position(|value| value == word);
        place(&least) <= place(kind)
    }

    /// The version of the settings, which each change increments.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// A setting, as SHOW writes it.
    ///
    /// # Errors
    ///
    /// 42704 if it does not exist.
    pub fn show(&self, name: &str) -> Result<String> {
        if let Some(parameter) = parameters::named(name) {
            return Ok(parameter.shown(&self.raw(parameter)));
        }
        let name = name.to_lowercase();
        Ok(match name.as_str() {
            "is_superuser" => "off".to_owned(),
            "role" => "none".to_owned(),
            "seed" => "unavailable".to_owned(),
            "session_authorization" => self.user.clone(),
            own => self.found(own).cloned().ok_or_else(|| unknown(own))?,
        })
    }

    fn found(&self, name: &str) -> Option<&String> {
        let of = |values: &'_ Values| values.contains_key(name);
        let all = [&self.local, &self.session, &self.startup];
        all.into_iter().find(|values| of(values)).and_then(|values| values.get(name))
    }

    /// A parameter's value without a unit, as it holds.
    fn raw(&self, parameter: &Parameter) -> String {
        let name = parameter.name.to_lowercase();
        let place = OF_TRANSACTION.iter().position(|(own, _)| *own == name);
        if let Some(own) = place.and_then(|place| self.modes.shown(place)) {
            return own.to_owned();
        }
        let name = place.map_or(name.as_str(), |place| OF_TRANSACTION[place].1);
        let value = self.found(name).map_or(parameter.default, String::as_str);
        let limit = match name {
            STATEMENT => self.limits[0],
            IDLE => self.limits[1],
            _ => return value.to_owned(),
        };
        units::within(limit, value.parse().unwrap_or(0)).to_string()
    }

    /// All parameters, as `pg_settings` has them.
    pub fn all(&self) -> Vec<Row> {
        let row = |parameter: &'static Parameter| {
            let name = parameter.name.to_lowercase();
            let is_set = self.local.contains_key(&name) || self.session.contains_key(&name);
            let startup = self.startup.get(&name);
            Row {
                parameter,
                value: self.raw(parameter),
                reset: startup.map_or(parameter.default, String::as_str).to_owned(),
                source: match (is_set, startup) {
                    (true, _) => "session",
                    (false, Some(_)) => "client",
                    _ => "default",
                },
            }
        };
        parameters::all().map(row).collect()
    }

    /// Set a setting; `None` for its default.
    ///
    /// # Errors
    ///
    /// 42704 if it does not exist, 22023 if it cannot have this value, 0A000 if the server would
    /// have to do what it does not, and those of [`Parameter::check_context`].
    pub fn set(&mut self, name: &str, value: Option<&str>, is_local: bool) -> Result<()> {
        let Some(parameter) = parameters::named(name) else {
            return self.set_other(&name.to_lowercase(), value, is_local);
        };
        parameter.check_context()?;
        let value = value.map(|value| promises::value(parameter, value)).transpose()?;
        if let Some(modes) = modes_of(parameter.name, value.as_deref()) {
            return self.change_modes(&modes);
        }
        self.put(&parameter.name.to_lowercase(), value, is_local)
    }

    /// A setting of the client's first message.
    ///
    /// # Errors
    ///
    /// Those of [`Self::set`].
    pub fn start(&mut self, name: &str, value: &str) -> Result<()> {
        self.set(name, Some(value), false)?;
        self.startup.append(&mut self.session);
        self.end(true);
        Ok(())
    }

    fn set_other(&mut self, name: &str, value: Option<&str>, is_local: bool) -> Result<()> {
        if name == "is_superuser" {
            return Err(Error::new("55P02", format!("parameter \"{name}\" cannot be changed")));
        }
        if promises::is_identity(name, value, &self.user)? {
            return Ok(());
        }
        if !name.contains('.') {
            return Err(unknown(name));
        }
        promises::check_own_name(name)?;
        let own = self.session.keys().chain(self.local.keys()).filter(|name| name.contains('.'));
        if own.count() >= MAX_OWN && self.found(name).is_none() {
            return Err(too_many("settings"));
        }
        // Once there, it remains.
        let none = (!self.startup.contains_key(name)).then(String::new);
        self.put(name, value.map(str::to_owned).or(none), is_local)
    }

    fn put(&mut self, name: &str, value: Option<String>, is_local: bool) -> Result<()> {
        let length = value.as_ref().map_or(0, String::len);
        let all: usize = self.session.values().chain(self.local.values()).map(String::len).sum();
        if length > MAX_VALUE || all + length > MAX_BYTES {
            return Err(too_many("bytes of settings"));
        }
        self.remember(name)?;
        let value = value.or_else(|| self.startup.get(name).cloned().filter(|_| is_local));
        let (set, other) = if is_local {
            (&mut self.local, None)
        } else {
            (&mut self.session, Some(&mut self.local))
        };
        match value {
            Some(value) => set.insert(name.to_owned(), value),
            None => set.remove(name),
        };
        if let Some(local) = other {
            local.remove(name);
        }
        self.change();
        Ok(())
    }

    /// `RESET ALL`.
    ///
    /// # Errors
    ///
    /// 54000 where the transaction has changed too much.
    pub fn reset(&mut self) -> Result<()> {
        let names: Vec<_> = self.session.keys().chain(self.local.keys()).cloned().collect();
        names.iter().try_for_each(|name| {
            let is_own = name.contains('.') && !self.startup.contains_key(name);
            self.put(name, is_own.then(String::new), false)
        })
    }
}

/// The modes that a setting of the transaction has.
fn modes_of(name: &str, value: Option<&str>) -> Option<Modes> {
    let is_on = value.map(|value| value == "on");
    let none = Modes::default();
    Some(match OF_TRANSACTION.iter().position(|(own, _)| *own == name)? {
        0 => Modes { isolation: Modes::level(value?), ..none },
        1 => Modes { is_read_only: is_on, ..none },
        _ => Modes { is_deferrable: is_on, ..none },
    })
}

fn unknown(name: &str) -> Error {
    let message = format!("unrecognized configuration parameter \"{name}\"");
    Error::new(sqlstate::UNDEFINED_OBJECT, message)
}

fn too_many(what: &str) -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, format!("too many {what}"))
}
