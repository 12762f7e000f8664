//! Text from outside, made fit for a message: one function for paths, names
//! and what components say.
//!
//! ```
//! use sqlite_wasm_run::escape::escaped;
//!
//! assert_eq!(escaped("a\u{1b}[2J\n`b").to_string(), r"a\u{1b}[2J\n\u{60}b");
//! ```

use std::ffi::OsStr;
use std::fmt::{self, Write};
use std::os::unix::ffi::OsStrExt;

/// Characters shown of one text: more than Linux's longest path has.
const MAX_SHOWN: usize = 4096;

/// Shows a text in one line that moves no cursor, changes no direction of
/// writing and ends no quotation: control and format characters, backslashes,
/// backticks and bytes that are not UTF-8 are written as escapes.
pub fn escaped<T: AsRef<OsStr> + ?Sized>(text: &T) -> Escaped<'_> {
    Escaped(text.as_ref().as_bytes())
}

/// See [`escaped`].
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(&'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = 0;
        for chunk in self.0.utf8_chunks() {
            for letter in chunk.valid().chars() {
                if shown == MAX_SHOWN {
                    return f.write_char('…');
                }
                shown += 1;
                match letter {
                    // Quotes need no escape between backticks.
                    '\'' | '"' => f.write_char(letter)?,
                    '`' => write!(f, "{}", letter.escape_unicode())?,
                    _ => write!(f, "{}", letter.escape_debug())?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_shown_as_it_is() {
        for text in ["/home/ä/My \"own\" 'file'.db", "表/😀"] {
            assert_eq!(escaped(text).to_string(), text);
        }
    }

    #[test]
    fn text_cannot_leave_its_line_or_quotation() {
        assert_eq!(escaped("a\r\nb\u{7}").to_string(), r"a\r\nb\u{7}");
        assert_eq!(escaped("x\u{202e}y\u{9b}z").to_string(), r"x\u{202e}y\u{9b}z");
        assert_eq!(escaped(OsStr::from_bytes(b"\xff`\\")).to_string(), r"\xff\u{60}\\");
    }

    #[test]
    fn long_text_is_cut() {
        let long = "é".repeat(MAX_SHOWN + 1);
        let shown = escaped(&long).to_string();
        assert!(shown.ends_with("é…") && shown.chars().count() == MAX_SHOWN + 1);
    }
}
