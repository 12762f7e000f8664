//! The text of SQL, by the rules of SQLite's tokenizer.

/// `sql` from its first word on: without white space, comments and semicolons before it.
pub fn from_first_word(mut sql: &str) -> &str {
    loop {
        sql = sql.trim_start_matches([' ', '\t', '\n', '\x0c', '\r', '\u{feff}', ';']);
        sql = if let Some(comment) = sql.strip_prefix("--") {
            comment.find('\n').map_or("", |end| &comment[end..])
        } else if let Some(comment) = sql.strip_prefix("/*") {
            comment.find("*/").map_or("", |end| &comment[end + 2..])
        } else {
            return sql;
        };
    }
}

#[cfg(test)]
mod tests {
    use super::from_first_word;

    #[test]
    fn comments_are_skipped() {
        assert_eq!(from_first_word(" ; -- x\n /* y */ ;SELECT 1"), "SELECT 1");
        for blank in ["", " ; -- x\n /* y */ ;", "-- x", "/* x"] {
            assert_eq!(from_first_word(blank), "", "{blank}");
        }
        assert_eq!(from_first_word("-"), "-");
    }
}
