//! `HEADER` of COPY with a value, of which the parser knows TRUE and FALSE only.

use sql_tokens::{Kind, Token};

use crate::error::{Error, Result, sqlstate};
use crate::lex::tokens;

/// COPY without what the parser does not know, and whether it is `HEADER MATCH`; `None` for other statements.
pub fn spelled(text: &str) -> Result<Option<(String, bool)>> {
    let Some(value) = value_of(text) else { return Ok(None) };
    let word = value.text.trim_matches('\'').to_ascii_lowercase();
    let (with, is_match) = match word.as_str() {
        "match" => ("TRUE", true),
        "true" | "on" | "1" => ("TRUE", false),
        "false" | "off" | "0" => ("FALSE", false),
        _ => {
            let message = "header requires a Boolean value or \"match\"";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
    };
    let (start, end) = (value.start, value.start + value.text.len());
    Ok(Some((format!("{}{with}{}", &text[..start], &text[end..]), is_match)))
}

/// What follows `HEADER` among the options of COPY.
fn value_of(text: &str) -> Option<Token<'_>> {
    let mut words = tokens(text).filter(|token| token.kind != Kind::Space);
    words.next().filter(|first| first.text.eq_ignore_ascii_case("copy"))?;
    let (mut depth, mut is_after_target, mut is_after_header) = (0_usize, false, false);
    for token in words {
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if is_after_header && !matches!(token.kind, Kind::Symbol(b',' | b')')) {
            return Some(token);
        }
        let is = |word: &str| token.kind == Kind::Word && token.text.eq_ignore_ascii_case(word);
        is_after_target |= depth == 0 && (is("stdin") || is("stdout"));
        is_after_header = is_after_target && depth == 1 && is("header");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_a_value() {
        for (text, expected) in [
            ("COPY t FROM STDIN (HEADER match, FORMAT csv)", Some((", FORMAT csv)", true))),
            ("copy t(header) from stdin (header 'on')", Some((")", false))),
            ("COPY t TO STDOUT (FORMAT csv, HEADER)", None),
            ("COPY (SELECT f(header x)) TO STDOUT", None),
            ("SELECT 1", None),
        ] {
            let found = spelled(text).unwrap();
            let end = expected.map(|(end, is_match)| (format!("TRUE{end}"), is_match));
            assert_eq!(found.is_some(), end.is_some(), "{text}");
            if let (Some((sql, is_match)), Some((end, is_it))) = (found, end) {
                assert!(sql.ends_with(&end) && is_match == is_it, "{sql}");
            }
        }
        assert_eq!(spelled("COPY t FROM STDIN (HEADER maybe)").unwrap_err().code, "42601");
    }
}
