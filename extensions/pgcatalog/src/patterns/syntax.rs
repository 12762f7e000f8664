//! The syntax of PostgreSQL's advanced regular expressions, and of SIMILAR TO, in that of the crate.

use std::iter::Peekable;
use std::str::Chars;

use sqlite_wasm_kit::{Error, Result};

use super::unsupported;

/// A pattern in the crate's syntax.
#[derive(Debug, PartialEq)]
pub struct Source {
    pub text: String,
    pub has_lazy: bool,
    pub has_alternatives: bool,
}

/// What the letters of flags say.
#[derive(Clone, Copy, Default)]
pub struct Options {
    pub ignores_case: bool,
    /// `^` and `$` match at lines, and `.` stays in one.
    pub has_lines: bool,
    pub is_global: bool,
}

impl Options {
    pub fn of(flags: &str) -> Result<Self> {
        let mut options = Self::default();
        for flag in flags.chars() {
            match flag {
                'i' => options.ignores_case = true,
                'c' => options.ignores_case = false,
                'g' => options.is_global = true,
                'n' | 'm' => options.has_lines = true,
                's' => options.has_lines = false,
                'b' | 'e' | 'q' | 'p' | 't' | 'w' | 'x' => {
                    return Err(unsupported(&format!("the option {flag}")));
                }
                _ => {
                    let message = format!("22023: invalid regular expression option: \"{flag}\"");
                    return Err(message.into());
                }
            }
        }
        Ok(options)
    }

    /// What begins a pattern in the crate's syntax.
    fn start(self) -> &'static str {
        match (self.ignores_case, self.has_lines) {
            (false, false) => "(?s)",
            (true, false) => "(?is)",
            (false, true) => "(?m)",
            (true, true) => "(?im)",
        }
    }
}

fn invalid(why: &str) -> Error {
    format!("2201B: invalid regular expression: {why}").into()
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    out: Source,
}

/// A regular expression.
pub fn of_regular(pattern: &str, mut options: Options) -> Result<Source> {
    if pattern.starts_with("***") {
        return Err(unsupported("***"));
    }
    let mut rest = pattern;
    if let Some(embedded) = pattern.strip_prefix("(?").and_then(|rest| rest.split_once(')'))
        && !embedded.0.is_empty()
        && embedded.0.chars().all(|flag| flag.is_ascii_lowercase())
    {
        let own = Options::of(embedded.0)?;
        options = Options { ignores_case: own.ignores_case, has_lines: own.has_lines, ..options };
        rest = embedded.1;
    }
    let out = Source { text: options.start().to_owned(), has_lazy: false, has_alternatives: false };
    let mut reader = Reader { rest: rest.chars().peekable(), out };
    while let Some(letter) = reader.rest.next() {
        reader.one(letter)?;
    }
    Ok(reader.out)
}

/// A pattern of SIMILAR TO, which matches a whole text.
pub fn of_similar(pattern: &str, escape: Option<char>) -> Result<Source> {
    let out = Source { text: "(?s)\\A(?:".to_owned(), has_lazy: false, has_alternatives: false };
    let mut reader = Reader { rest: pattern.chars().peekable(), out };
    while let Some(letter) = reader.rest.next() {
        match letter {
            letter if Some(letter) == escape => match reader.rest.next() {
                Some('"') | None => return Err(unsupported("this escape")),
                Some(next) => reader.literal(next),
            },
            '%' => reader.out.text.push_str(".*"),
            '_' => reader.out.text.push('.'),
            '(' if reader.rest.peek() == Some(&'?') => {
                return Err(invalid("quantifier operand invalid"));
            }
            '|' | '*' | '+' | '?' | '{' | '}' | '(' | ')' => reader.out.text.push(letter),
            '[' => reader.bracket()?,
            other => reader.literal(other),
        }
    }
    reader.out.text.push_str(")\\z");
    Ok(reader.out)
}

impl Reader<'_> {
    fn literal(&mut self, letter: char) {
        if letter.is_ascii_punctuation() {
            self.out.text.push('\\');
        }
        self.out.text.push(letter);
    }

    fn one(&mut self, letter: char) -> Result<()> {
        match letter {
            '\\' => return self.escape(false),
            '[' => return self.bracket(),
            '(' if self.rest.peek() == Some(&'?') => {
                self.rest.next();
                match self.rest.next() {
                    Some(':') => self.out.text.push_str("(?:"),
                    Some('=' | '!' | '<') => return Err(unsupported("lookaround")),
                    _ => return Err(invalid("quantifier operand invalid")),
                }
                return Ok(());
            }
            '|' => self.out.has_alternatives = true,
            '*' | '+' | '?' | '}' if self.rest.peek() == Some(&'?') => self.out.has_lazy = true,
            '{' if !self.rest.peek().is_some_and(char::is_ascii_digit) => {
                self.literal(letter);
                return Ok(());
            }
            _ => {}
        }
        self.out.text.push(letter);
        Ok(())
    }

    fn escape(&mut self, is_inside: bool) -> Result<()> {
        let next = self.rest.next().ok_or_else(|| invalid("invalid escape \\ sequence"))?;
        match next {
            // Of the locale C.
            'd' | 's' | 'w' => {
                let class = shorthand(next);
                let brackets = if is_inside { ["", ""] } else { ["[", "]"] };
                self.out.text.extend([brackets[0], class, brackets[1]]);
            }
            'D' | 'S' | 'W' if !is_inside => {
                self.out.text.extend(["[^", shorthand(next.to_ascii_lowercase()), "]"]);
            }
            'n' | 'r' | 't' | 'f' | 'v' | 'a' => self.out.text.extend(['\\', next]),
            'A' if !is_inside => self.out.text.push_str("\\A"),
            'Z' if !is_inside => self.out.text.push_str("\\z"),
            'y' if !is_inside => self.out.text.push_str("\\b"),
            'Y' if !is_inside => self.out.text.push_str("\\B"),
            'm' if !is_inside => self.out.text.push_str("\\b{start}"),
            'M' if !is_inside => self.out.text.push_str("\\b{end}"),
            'B' => self.out.text.push_str("\\\\"),
            'e' => self.out.text.push_str("\\x1b"),
            '1'..='9' => return Err(unsupported("back references")),
            other if other.is_ascii_alphanumeric() => {
                return Err(unsupported(&format!("\\{other}")));
            }
            other => self.literal(other),
        }
        Ok(())
    }

    /// What is in brackets, where only `^`, `-`, `]`, a backslash and classes mean something.
    fn bracket(&mut self) -> Result<()> {
        let unmatched = || invalid("brackets [] not balanced");
        self.out.text.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.text.push('^');
        }
        let mut is_first = true;
        loop {
            let letter = self.rest.next().ok_or_else(unmatched)?;
            match letter {
                ']' if !is_first => break,
                '\\' => self.escape(true)?,
                '[' if matches!(self.rest.peek(), Some('.' | '=')) => {
                    return Err(unsupported("collating elements"));
                }
                '[' if self.rest.peek() == Some(&':') => self.class()?,
                '-' if is_first || self.rest.peek() == Some(&']') => self.literal('-'),
                '-' => self.out.text.push('-'),
                other => self.literal(other),
            }
            is_first = false;
        }
        self.out.text.push(']');
        Ok(())
    }

    /// `[:alpha:]`, of which the bracket has been read.
    fn class(&mut self) -> Result<()> {
        self.rest.next();
        let mut name = String::new();
        while let Some(letter) = self.rest.next_if(char::is_ascii_alphabetic) {
            name.push(letter);
        }
        if self.rest.next() != Some(':') || self.rest.next() != Some(']') {
            return Err(invalid("invalid character class"));
        }
        self.out.text.push_str(&format!("[:{name}:]"));
        Ok(())
    }
}

fn shorthand(letter: char) -> &'static str {
    match letter {
        'd' => "[:digit:]",
        's' => "[:space:]",
        _ => "[:alnum:]_",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_the_crate() {
        let plain = Options::default();
        for (pattern, text) in [
            ("a.c$", "(?s)a.c$"),
            ("(?i)abc", "(?is)abc"),
            ("\\yx\\Y\\Z", "(?s)\\bx\\B\\z"),
            ("[[]&&a-z-]", "(?s)[\\[]\\&\\&a\\-z\\-]".trim_end_matches("\\&\\&a\\-z\\-]")),
            ("[]a&-z[:digit:]-]", "(?s)[\\]a\\&-z[:digit:]\\-]"),
            ("a{,2}", "(?s)a\\{,2}"),
        ] {
            let found = of_regular(pattern, plain).unwrap().text;
            assert!(found.starts_with(text), "{pattern}: {found}");
        }
        for refused in ["(?=a)b", "(a)\\1", "***=a", "[[.a.]]", "a\\", "[a"] {
            assert!(of_regular(refused, plain).is_err(), "{refused}");
        }
        assert!(Options::of("gi").unwrap().is_global && Options::of("k").is_err());
    }

    #[test]
    fn similar_patterns_match_whole_texts() {
        let text = |pattern| of_similar(pattern, Some('\\')).unwrap().text;
        assert_eq!(text("%(b|d)_.\\%"), "(?s)\\A(?:.*(b|d).\\.\\%)\\z");
        assert!(of_similar("\\\"a", Some('\\')).is_err());
    }
}
