//! The one form that `jsonb` has of a text: for a default, which SQLite stores as it is written.

use std::collections::BTreeMap;

use crate::error::{Error, Result, sqlstate};

/// Values in each other at most.
const MAX_DEPTH: usize = 64;

/// The canonical text; 0A000 for escapes and for numbers with an exponent, which have other forms there.
pub fn canonical(text: &str) -> Result<String> {
    let mut reader = Reader { rest: text };
    let found = reader.value(0)?;
    reader.skip();
    if reader.rest.is_empty() { Ok(found) } else { Err(invalid()) }
}

fn invalid() -> Error {
    Error::new(sqlstate::INVALID_TEXT, "invalid input syntax for type json")
}

fn unsupported(what: &str) -> Error {
    Error::unsupported(format_args!("{what} in a default of jsonb"))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    /// Whether this comes next, which is taken then.
    fn takes(&mut self, sign: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> Result<String> {
        if depth > MAX_DEPTH {
            return Err(unsupported("values deep in each other"));
        }
        if self.takes("{") {
            return self.object(depth);
        }
        if self.takes("[") {
            return self.array(depth);
        }
        if self.rest.starts_with('"') {
            return Ok(format!("\"{}\"", self.string()?));
        }
        match ["null", "true", "false"].into_iter().find(|word| self.takes(word)) {
            Some(word) => Ok(word.to_owned()),
            None => self.number(),
        }
    }

    fn array(&mut self, depth: usize) -> Result<String> {
        let mut all = Vec::new();
        if !self.takes("]") {
            loop {
                all.push(self.value(depth + 1)?);
                if self.takes("]") {
                    break;
                }
                if !self.takes(",") {
                    return Err(invalid());
                }
            }
        }
        Ok(format!("[{}]", all.join(", ")))
    }

    /// Its keys in the order of their lengths; of equal ones the last counts.
    fn object(&mut self, depth: usize) -> Result<String> {
        let mut all = BTreeMap::new();
        if !self.takes("}") {
            loop {
                self.skip();
                let key = self.string()?;
                if !self.takes(":") {
                    return Err(invalid());
                }
                all.insert((key.len(), key), self.value(depth + 1)?);
                if self.takes("}") {
                    break;
                }
                if !self.takes(",") {
                    return Err(invalid());
                }
            }
        }
        let pairs = all.iter().map(|((_, key), value)| format!("\"{key}\": {value}"));
        Ok(format!("{{{}}}", pairs.collect::<Vec<_>>().join(", ")))
    }

    fn string(&mut self) -> Result<&'a str> {
        let inner = self.rest.strip_prefix('"').ok_or_else(invalid)?;
        let end = inner.find('"').ok_or_else(invalid)?;
        let text = &inner[..end];
        if text.contains('\\') {
            return Err(unsupported("an escape"));
        }
        if text.contains(|c: char| c < ' ') {
            return Err(invalid());
        }
        self.rest = &inner[end + 1..];
        Ok(text)
    }

    fn number(&mut self) -> Result<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) =
            digits.split_once('.').map_or((digits, None), |(a, b)| (a, Some(b)));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(invalid());
        }
        if is_digits(whole) && fraction.is_some_and(|fraction| fraction.contains(['e', 'E']))
            || whole.starts_with(|c: char| c.is_ascii_digit()) && whole.contains(['e', 'E'])
        {
            return Err(unsupported("a number with an exponent"));
        }
        if !is_digits(whole) || !fraction.is_none_or(is_digits) {
            return Err(invalid());
        }
        self.rest = rest;
        let is_zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        Ok(if is_zero { digits } else { text }.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_has_the_form_of_postgres() {
        for (text, expected) in [
            ("{\"bb\": 1, \"a\":[1,2 , {}], \"a\": null}", "{\"a\": null, \"bb\": 1}"),
            (" [ ] ", "[]"),
            ("{}", "{}"),
            ("-0.0", "0.0"),
            ("1.50", "1.50"),
            ("[\"x y\",true,false]", "[\"x y\", true, false]"),
        ] {
            assert_eq!(canonical(text).unwrap(), expected);
        }
        for wrong in ["", "{", "[1,]", "{a:1}", "01", "nul", "1 2", "\"a", "{\"a\" 1}", "+1", "1."]
        {
            assert_eq!(canonical(wrong).unwrap_err().code, "22P02", "{wrong}");
        }
        let deep = "[".repeat(100_000);
        for other in ["\"a\\n\"", "1e5", "1.5E-3", &deep] {
            assert_eq!(canonical(other).unwrap_err().code, "0A000");
        }
    }
}
