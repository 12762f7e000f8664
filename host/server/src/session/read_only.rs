//! libSQL's `BEGIN TRANSACTION READONLY`, which SQLite does not know.

use crate::policy::first_words;

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

#[cfg(test)]
mod tests {
    use super::read_only_begin;

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
        for sql in ["BEGIN", "BEGIN TRANSACTION", "BEGIN TRANSACTION x", "SELECT readonly", ""] {
            assert_eq!(read_only_begin(sql), None, "{sql}");
        }
    }
}
