//! What of the settings ends with a transaction, and is undone with it.

use super::{MAX_BYTES, OF_TRANSACTION, Settings, too_many};
use crate::error::{Error, Result, sqlstate};
use crate::translate::Modes;

/// Savepoints of a transaction at most: each has its name.
const MAX_SAVEPOINTS: usize = 10_000;

/// A setting before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    name: String,
    session: Option<String>,
    local: Option<String>,
}

impl Settings {
    /// Keep a setting as it is, until the transaction ends.
    pub(super) fn remember(&mut self, name: &str) -> Result<()> {
        let last = self.marks.last().map_or(0, |(_, changes, _)| *changes);
        if self.changes[last..].iter().any(|change| change.name == name) {
            return Ok(());
        }
        let (session, local) = (self.session.get(name).cloned(), self.local.get(name).cloned());
        let length = |value: &Option<String>| value.as_ref().map_or(0, String::len);
        let bytes = size_of::<Change>() + name.len() + length(&session) + length(&local);
        if self.changed_bytes + bytes > MAX_BYTES {
            return Err(too_many("changes of settings in a transaction"));
        }
        self.changed_bytes += bytes;
        self.changes.push(Change { name: name.to_owned(), session, local });
        Ok(())
    }

    /// The modes of the transaction, of which a new one has the defaults of the session.
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// Begin a transaction with these modes: it keeps the others as they are now.
    pub fn begin(&mut self, given: &Modes) {
        self.modes = Modes::default();
        let isolation =
            || self.show("transaction_isolation").ok().and_then(|name| Modes::level(&name));
        self.modes = Modes {
            isolation: given.isolation.or_else(isolation),
            is_read_only: Some(
                given.is_read_only.unwrap_or_else(|| self.is_on("transaction_read_only")),
            ),
            is_deferrable: Some(
                given.is_deferrable.unwrap_or_else(|| self.is_on("transaction_deferrable")),
            ),
        };
    }

    /// Whether the transaction may only read.
    pub fn is_read_only(&self) -> bool {
        self.modes.is_read_only.unwrap_or(self.only_reads)
    }

    /// The transaction has read something.
    pub fn has_begun(&mut self) {
        self.has_begun = true;
    }

    /// `SET TRANSACTION`.
    ///
    /// # Errors
    ///
    /// 25001 for what cannot change after the first query.
    pub fn change_modes(&mut self, given: &Modes) -> Result<()> {
        let now = |place: usize| self.show(OF_TRANSACTION[place].0).unwrap_or_default();
        let changes = |place: usize| given.shown(place).is_some_and(|word| word != now(place));
        let is_early = !self.has_begun && self.marks.is_empty();
        // PostgreSQL's own default, which changes nothing there.
        let is_usual = given.isolation == Some("read committed");
        let what = match () {
            () if changes(0) && !is_usual => {
                "SET TRANSACTION ISOLATION LEVEL must be called before any query"
            }
            () if changes(1) && self.is_read_only() && !self.marks.is_empty() => {
                "cannot set transaction read-write mode inside a read-only transaction"
            }
            () if changes(1) && self.is_read_only() => {
                "transaction read-write mode must be set before any query"
            }
            () if changes(2) => "SET TRANSACTION [NOT] DEFERRABLE must be called before any query",
            () => "",
        };
        if !is_early && !what.is_empty() {
            return Err(Error::new(sqlstate::ACTIVE_TRANSACTION, what));
        }
        self.modes.take(given);
        Ok(())
    }

    /// `SET SESSION CHARACTERISTICS`.
    ///
    /// # Errors
    ///
    /// Those of [`Self::set`].
    pub fn set_default_modes(&mut self, modes: &Modes) -> Result<()> {
        for (place, (_, default)) in OF_TRANSACTION.iter().enumerate() {
            if let Some(word) = modes.shown(place) {
                self.set(default, Some(word), false)?;
            }
        }
        Ok(())
    }

    /// `SAVEPOINT`.
    ///
    /// # Errors
    ///
    /// 54000 where there are too many.
    pub fn savepoint(&mut self, name: &str) -> Result<()> {
        if self.marks.len() >= MAX_SAVEPOINTS {
            return Err(too_many("savepoints"));
        }
        self.marks.push((name.to_owned(), self.changes.len(), self.modes.clone()));
        Ok(())
    }

    /// How many savepoints the transaction has.
    pub fn savepoints(&self) -> usize {
        self.marks.len()
    }

    /// The index of the last savepoint with this name, from 0.
    ///
    /// # Errors
    ///
    /// 3B001 if it does not exist.
    pub fn mark(&self, name: &str) -> Result<usize> {
        let found = self.marks.iter().rposition(|(known, ..)| known == name);
        found.ok_or_else(|| {
            let message = format!("savepoint \"{name}\" does not exist");
            Error::new(sqlstate::INVALID_SAVEPOINT, message)
        })
    }

    /// `RELEASE SAVEPOINT`.
    pub fn release(&mut self, mark: usize) {
        self.marks.truncate(mark);
    }

    /// `ROLLBACK TO SAVEPOINT`, or to the last one where there are fewer.
    pub fn roll_back_to(&mut self, mark: usize) {
        self.marks.truncate(mark + 1);
        let Some((_, changes, modes)) = self.marks.last().cloned() else { return };
        self.undo(changes);
        self.modes = modes;
    }

    fn undo(&mut self, from: usize) {
        if from == self.changes.len() {
            return;
        }
        for Change { name, session, local } in self.changes.split_off(from).into_iter().rev() {
            for (values, value) in [(&mut self.session, session), (&mut self.local, local)] {
                match value {
                    Some(value) => values.insert(name.clone(), value),
                    None => values.remove(&name),
                };
            }
            self.keep_own(name);
        }
        self.change();
    }

    /// The end of a transaction, or of a statement that is one: what `SET LOCAL` changed is as
    /// before, and without a commit all is.
    pub fn end(&mut self, is_committed: bool) {
        self.modes = Modes::default();
        self.has_begun = false;
        self.marks.clear();
        if !is_committed {
            self.undo(0);
        }
        self.changes.clear();
        self.changed_bytes = 0;
        if !self.local.is_empty() {
            std::mem::take(&mut self.local).into_keys().for_each(|name| self.keep_own(name));
            self.change();
        }
    }

    /// A setting that a client has invented stays, without a value, as in PostgreSQL.
    fn keep_own(&mut self, name: String) {
        if name.contains('.') && self.found(&name).is_none() {
            self.session.insert(name, String::new());
        }
    }
}
