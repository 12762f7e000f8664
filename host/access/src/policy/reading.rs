//! Whether a session may only read now. Its own statements are looked at before they run; SQL that an
//! extension runs meets SQLite's flag `query_only` and the authorizer instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlite_sandbox::hooks::AuthAction;

/// SQLite's flag: what writes fails when it begins.
const QUERY_ONLY: &str = "query_only";

/// What lets the text of a table be written, and what makes SQLite read it again.
const ALTERING: [&str; 2] = ["writable_schema", "schema_version"];

/// What a session and its authorizer share, on one thread.
#[derive(Clone, Debug, Default)]
pub struct Reading(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_on: AtomicBool,
    /// Whether the session itself sets the flag now, which no client may.
    is_changing: AtomicBool,
    /// Whether the session itself writes the text of a table now.
    is_altering: AtomicBool,
}

impl Reading {
    /// Whether the session may only read.
    pub fn is_on(&self) -> bool {
        self.0.is_on.load(Ordering::Relaxed)
    }

    /// Let the session only read, or again write: `set` changes SQLite's flag.
    ///
    /// # Errors
    ///
    /// That of `set`; then nothing has changed.
    pub fn set<E>(&self, is_on: bool, set: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        self.0.is_changing.store(true, Ordering::Relaxed);
        let done = set();
        self.0.is_changing.store(false, Ordering::Relaxed);
        done?;
        self.0.is_on.store(is_on, Ordering::Relaxed);
        Ok(())
    }

    /// Let the session itself write the text of a table into the schema, while `alter` runs and no SQL of a
    /// client does.
    pub fn altering<T>(&self, alter: impl FnOnce() -> T) -> T {
        self.0.is_altering.store(true, Ordering::Relaxed);
        let done = alter();
        self.0.is_altering.store(false, Ordering::Relaxed);
        done
    }

    /// Whether SQLite prepares the session's own change of a flag.
    pub fn is_setting(&self, action: AuthAction<'_>) -> bool {
        let AuthAction::Pragma { pragma_name, .. } = action else { return false };
        let is = |name: &&str| pragma_name.eq_ignore_ascii_case(name);
        (self.0.is_changing.load(Ordering::Relaxed) && is(&QUERY_ONLY))
            || (self.0.is_altering.load(Ordering::Relaxed) && ALTERING.iter().any(is))
    }
}
