//! The fields of a text of a date, time or interval: PostgreSQL's `ParseDateTime`.

use crate::read::{Fault, Found};

/// The most fields that PostgreSQL reads.
const MAX_FIELDS: usize = 25;

/// What a field looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `10`, `10.5`, `.5`.
    Number,
    /// `04:05`, `04:05:06.7`.
    Time,
    /// `2020-01-02`, `1-2`, and words with digits or marks in them.
    Date,
    /// A word.
    Word,
    /// A sign and digits: a zone, or a number, or years and months.
    Signed,
    /// A sign and a word.
    Special,
}

/// A field, in small letters.
pub type Field = (Kind, String);

/// Words after which a digit begins another field, besides the months and the days of the week.
const WORDS: [&str; 30] = [
    "ad",
    "allballs",
    "am",
    "at",
    "bc",
    "d",
    "dow",
    "doy",
    "dst",
    "epoch",
    "h",
    "infinity",
    "isodow",
    "isoyear",
    "j",
    "jd",
    "julian",
    "m",
    "mm",
    "now",
    "on",
    "pm",
    "s",
    "sept",
    "t",
    "today",
    "tomorrow",
    "y",
    "yesterday",
    "weds",
];

/// The days of the week, by the beginnings of their names.
const DAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// Whether a word is a day of the week.
pub fn is_day_of_week(word: &str) -> bool {
    matches!(word, "tues" | "weds" | "thur" | "thurs")
        || DAYS.iter().any(|day| word == *day || word == &day[..3])
}

fn is_known(word: &str) -> bool {
    WORDS.contains(&word) || is_day_of_week(word) || crate::read::month(word).is_some()
}

/// A position in the text.
struct Reader<'a> {
    rest: &'a str,
    field: String,
}

impl Reader<'_> {
    fn peek(&self) -> char {
        self.rest.chars().next().unwrap_or('\0')
    }

    fn take(&mut self) {
        if let Some(next) = self.rest.chars().next() {
            self.field.push(next.to_ascii_lowercase());
            self.rest = &self.rest[next.len_utf8()..];
        }
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) {
        while !self.rest.is_empty() && is_part(self.peek()) {
            self.take();
        }
    }

    /// What begins with a digit.
    fn number(&mut self) -> Kind {
        let is_digit = |next: char| next.is_ascii_digit();
        self.take_while(is_digit);
        let mark = self.peek();
        match mark {
            ':' => {
                self.take_while(|next| next.is_ascii_digit() || matches!(next, ':' | '.'));
                Kind::Time
            }
            '-' | '/' | '.' => {
                self.take();
                if !is_digit(self.peek()) {
                    self.take_while(|next| next.is_ascii_alphanumeric() || next == mark);
                    return Kind::Date;
                }
                self.take_while(is_digit);
                let kind = if mark == '.' { Kind::Number } else { Kind::Date };
                if self.peek() != mark {
                    return kind;
                }
                self.take_while(|next| next.is_ascii_digit() || next == mark);
                Kind::Date
            }
            _ => Kind::Number,
        }
    }

    fn word(&mut self) -> Kind {
        self.take_while(|next| next.is_ascii_alphabetic());
        let next = self.peek();
        let is_more = next == '+' || next.is_ascii_digit();
        if matches!(next, '-' | '/' | '.') || (is_more && !is_known(&self.field)) {
            let is_part = |next: char| {
                next.is_ascii_alphanumeric() || matches!(next, '+' | '-' | '/' | '_' | '.' | ':')
            };
            self.take_while(is_part);
            return Kind::Date;
        }
        Kind::Word
    }

    fn signed(&mut self) -> Found<Kind> {
        self.take();
        self.rest = self.rest.trim_start_matches(|next: char| next.is_ascii_whitespace());
        match self.peek() {
            next if next.is_ascii_digit() || next == '.' => {
                self.take_while(|next| next.is_ascii_digit() || matches!(next, ':' | '.' | '-'));
                Ok(Kind::Signed)
            }
            next if next.is_ascii_alphabetic() => {
                self.take_while(|next| next.is_ascii_alphabetic());
                Ok(Kind::Special)
            }
            _ => Err(Fault::Form),
        }
    }
}

/// The fields of a text.
///
/// # Errors
///
/// [`Fault::Form`] where it has others, or too many.
pub fn fields(text: &str) -> Found<Vec<Field>> {
    let mut reader = Reader { rest: text, field: String::new() };
    let mut found = Vec::new();
    while !reader.rest.is_empty() {
        let kind = match reader.peek() {
            next if next.is_ascii_digit() => reader.number(),
            '.' => {
                reader.take();
                reader.take_while(|next| next.is_ascii_digit());
                Kind::Number
            }
            next if next.is_ascii_alphabetic() => reader.word(),
            '+' | '-' => reader.signed()?,
            // Other marks only separate.
            next if next.is_ascii_whitespace() || next == '\x0b' || next.is_ascii_punctuation() => {
                reader.rest = &reader.rest[1..];
                continue;
            }
            _ => return Err(Fault::Form),
        };
        if found.len() == MAX_FIELDS {
            return Err(Fault::Form);
        }
        found.push((kind, std::mem::take(&mut reader.field)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_fields_of_postgres() {
        let kinds = |text: &str| {
            fields(text).map(|all| {
                all.into_iter().map(|(kind, text)| format!("{kind:?} {text}")).collect::<Vec<_>>()
            })
        };
        for (text, wanted) in [
            ("1 month - 1 day", "Number 1, Word month, Signed -1, Word day"),
            ("1h30m", "Number 1, Word h, Number 30, Word m"),
            ("1-2 04:05", "Date 1-2, Time 04:05"),
            ("P1Y", "Date p1y"),
            ("Jan-02, 2020 T10:00z", "Date jan-02, Number 2020, Word t, Time 10:00, Word z"),
            ("-infinity", "Special -infinity"),
        ] {
            assert_eq!(kinds(text).unwrap().join(", "), wanted, "{text}");
        }
        assert_eq!(kinds("1 é"), Err(Fault::Form));
        assert_eq!(kinds("- "), Err(Fault::Form));
        assert_eq!(kinds(&"1 ".repeat(26)), Err(Fault::Form));
    }
}
