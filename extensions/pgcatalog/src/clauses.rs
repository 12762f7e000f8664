//! Clauses of CREATE TABLE that SQLite does not report: what generated columns compute, and when foreign keys are checked.

use sql_tokens::Token;

use crate::sql_text::{closing, outermost, source, tokens};

/// The words with which another constraint begins.
const BEGINNINGS: [&str; 6] = ["constraint", "primary", "unique", "check", "foreign", "references"];

/// Whether a foreign key is DEFERRABLE, and whether it is INITIALLY DEFERRED; it begins at the first token.
pub fn deferral(key: &[Token<'_>]) -> (bool, bool) {
    let is_foreign = key.first().is_some_and(|token| token.is("foreign"));
    let start = key.iter().position(|token| token.is("references")).filter(|_| is_foreign);
    let rest = key.get(start.unwrap_or(0) + 1..).unwrap_or_default();
    let (mut depth, mut before) = (0_usize, "");
    for (at, token) in rest.iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" if depth > 0 => depth -= 1,
            ")" | "," if depth == 0 => break,
            _ if depth == 0 && BEGINNINGS.iter().any(|word| token.is(word)) => break,
            _ if token.is("deferrable") && !before.eq_ignore_ascii_case("not") => {
                let next = |after: usize, word: &str| {
                    rest.get(at + after).is_some_and(|token| token.is(word))
                };
                return (true, next(1, "initially") && next(2, "deferred"));
            }
            _ => {}
        }
        before = token.text;
    }
    (false, false)
}

/// The generated columns, each with its expression.
pub fn generated(sql: &str) -> Vec<(String, String)> {
    let tokens = tokens(sql);
    let mut found = Vec::new();
    for (at, column) in outermost(&tokens) {
        let is_open = tokens.get(at + 1).is_some_and(|next| next.text == "(");
        if tokens[at].is("as")
            && is_open
            && let Some(end) = closing(&tokens, at + 1)
        {
            let expression = source(&sql[tokens[at + 1].start + 1..tokens[end].start]);
            found.push((column.unquoted().into_owned(), expression));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_found() {
        let sql = "CREATE TABLE t(n INT, a INT GENERATED ALWAYS AS (n * (2 + n)) STORED, \"B\" AS (lower(n)), c AS INT)";
        let expected = [("a", "n * (2 + n)"), ("B", "lower(n)")];
        assert_eq!(generated(sql), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
        for (key, expected) in [
            ("REFERENCES b(c) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, d", (true, true)),
            ("FOREIGN KEY (a, b) REFERENCES b DEFERRABLE)", (true, false)),
            ("REFERENCES b NOT DEFERRABLE INITIALLY DEFERRED", (false, false)),
            ("REFERENCES b UNIQUE REFERENCES c DEFERRABLE", (false, false)),
            ("REFERENCES b, x REFERENCES c DEFERRABLE", (false, false)),
            ("FOREIGN", (false, false)),
        ] {
            assert_eq!(deferral(&tokens(key)), expected, "{key}");
        }
    }

    #[test]
    fn any_text_is_read() {
        arbtest::arbtest(|u| {
            let sql: String = u.arbitrary()?;
            generated(&format!("CREATE TABLE t({sql}"));
            deferral(&tokens(&sql));
            Ok(())
        });
    }
}
