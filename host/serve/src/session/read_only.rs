//! Transactions that only read: libSQL's `BEGIN TRANSACTION READONLY`, which SQLite does not know, and
//! those of Postgres.

use access::policy::{Reading, Role, first_words};
use sqlite_sandbox::Connection;

use super::error::Result;

/// Whether a session's next statements only read.
pub struct OnlyReads {
    /// Whether `BEGIN READONLY` has begun the transaction.
    is_begun: bool,
    must_read: bool,
    /// Whether SQLite knows that.
    reading: Reading,
}

impl OnlyReads {
    pub fn new(reading: Reading) -> Self {
        Self { is_begun: false, must_read: false, reading }
    }

    /// `BEGIN READONLY`, which SQLite has not performed yet.
    pub fn begin(&mut self) {
        (self.is_begun, self.must_read) = (true, true);
    }

    /// The transaction is over, or has not begun.
    pub fn end(&mut self) {
        if std::mem::take(&mut self.is_begun) {
            self.must_read = false;
        }
    }

    /// Whether `BEGIN READONLY` has begun the transaction.
    pub fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// Let the next statements only read, or write again.
    pub fn let_only_read(&mut self, is_on: bool) {
        self.must_read = is_on;
    }

    /// Let the session itself write the text of a table, while `alter` runs.
    pub fn altering<T>(&self, alter: impl FnOnce() -> T) -> T {
        self.reading.altering(alter)
    }

    /// Tell SQLite before a statement: the SQL of extensions is not looked at here. A reader's
    /// connection is `query_only` all the time.
    ///
    /// # Errors
    ///
    /// When the sandbox cannot be called.
    pub fn apply(&self, db: &Connection, role: Role) -> Result<()> {
        if self.must_read == self.reading.is_on() || role == Role::Read {
            return Ok(());
        }
        let value = if self.must_read { "ON" } else { "OFF" };
        let set = || db.execute_batch(&format!("PRAGMA query_only = {value}"));
        Ok(self.reading.set(self.must_read, set)?)
    }
}

/// libSQL's `BEGIN TRANSACTION READONLY`: what follows it. For SQLite the last word is the name of a transaction, which it
/// ignores, so each spelling that it takes is one.
pub fn read_only_begin(sql: &str) -> Option<&str> {
    let mut words = first_words(sql);
    if !words.next_word()?.is("begin") {
        return None;
    }
    let mut word = words.next_word()?;
    for keyword in ["deferred", "immediate", "exclusive", "transaction"] {
        if word.is(keyword) {
            word = words.next_word()?;
        }
    }
    if !word.unquoted().eq_ignore_ascii_case("readonly") {
        return None;
    }
    let mut after = words.clone();
    match after.next_word() {
        None => Some(""),
        Some(end) if end.is(";") => Some(after.rest()),
        Some(_) => None,
    }
}

/// Whether a text is this one statement.
///
/// # Errors
///
/// Where others follow it.
pub fn is_read_only_begin(sql: &str) -> Result<bool> {
    match read_only_begin(sql).map(|rest| first_words(rest).next_word()) {
        Some(Some(_)) => Err(sqlite_sandbox::Error::MultipleStatement.into()),
        found => Ok(found.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_read_only_begin, read_only_begin};

    #[test]
    fn each_spelling_only_reads() {
        for sql in [
            "BEGIN TRANSACTION READONLY",
            "begin readonly",
            "BEGIN/**/TRANSACTION READONLY",
            "/*x*/ BEGIN TRANSACTION READONLY",
            "-- c\nBEGIN TRANSACTION READONLY",
            "; BEGIN TRANSACTION READONLY",
            "BEGIN TRANSACTION READONLY -- c",
            "BEGIN TRANSACTION READONLY /*x*/;",
            "BEGIN DEFERRED TRANSACTION READONLY",
            "BEGIN IMMEDIATE TRANSACTION [readonly]",
            "BEGIN TRANSACTION/**/\"READONLY\"",
        ] {
            assert_eq!(read_only_begin(sql).map(str::trim), Some(""), "{sql}");
        }
        assert_eq!(read_only_begin("BEGIN READONLY; SELECT 1"), Some(" SELECT 1"));
        assert!(is_read_only_begin("BEGIN READONLY; SELECT 1").is_err());
        assert!(is_read_only_begin("BEGIN READONLY; ; -- c").unwrap());
        assert!(!is_read_only_begin("BEGIN; SELECT 1").unwrap());
        for sql in ["BEGIN", "BEGIN TRANSACTION", "BEGIN TRANSACTION x", "SELECT readonly", ""] {
            assert_eq!(read_only_begin(sql), None, "{sql}");
        }
    }
}
