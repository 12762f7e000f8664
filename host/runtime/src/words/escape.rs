//! Escaping untrusted text for messages: paths, names and texts of components.
//!
//! ```
//! use sqlite_wasm_runtime::words::escape::escaped;
//!
//! assert_eq!(escaped("a\u{1b}[2J\n`b").to_string(), r"a\u{1b}[2J\n\u{60}b");
//! ```

use std::ffi::OsStr;
use std::fmt::{self, Write};
use std::os::unix::ffi::OsStrExt;

/// Most characters shown of one text: more than Linux's longest path has.
const MAX_SHOWN: usize = 4096;

/// Shows a text in one line: control and format characters, backslashes,
/// backticks and bytes that are not UTF-8 are escaped, so that the text cannot
/// move the cursor, change the writing direction or end a quotation.
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

/// `text` as one word for the user's shell; none if it has characters that a
/// user cannot type or [`escaped`] would change.
pub fn shell_word(text: &str) -> Option<String> {
    let shown: String = text
        .chars()
        .map(|letter| match letter {
            '\'' | '"' => letter.to_string(),
            letter => escaped(letter.encode_utf8(&mut [0; 4])).to_string(),
        })
        .collect();
    if text.is_empty() || shown != text {
        return None;
    }
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@%=".contains(letter);
    if text.chars().all(is_plain) && !text.starts_with('-') {
        return Some(text.to_owned());
    }
    Some(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Text of several lines with control and format characters escaped: for whole
/// messages, where backslashes and quotes are the runner's own.
pub fn controls_escaped(text: String) -> String {
    if !text.contains(is_unseen) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unseen(letter) { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    shown
}

/// Whether a character is a control character other than a line end or tab, or
/// hides text or changes its direction.
fn is_unseen(letter: char) -> bool {
    let turns = matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}');
    turns || (letter.is_control() && !matches!(letter, '\n' | '\t'))
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
    fn words_for_a_shell_are_quoted_where_they_must_be() {
        for (text, word) in [
            ("/tmp/ä-1.db", Some("/tmp/ä-1.db")),
            ("/my own", Some("'/my own'")),
            ("/it's", Some(r"'/it'\''s'")),
            ("$(id)", Some("'$(id)'")),
            ("", None),
            ("a`b", None),
            ("a\u{1b}b", None),
        ] {
            assert_eq!(shell_word(text).as_deref(), word, "{text:?}");
        }
    }

    #[test]
    fn messages_keep_their_lines() {
        let message = controls_escaped("a\\`\n\tb\u{1b}[2J\u{202e}".into());
        assert_eq!(message, "a\\`\n\tb\\u{1b}[2J\\u{202e}");
    }

    #[test]
    fn long_text_is_cut() {
        let long = "é".repeat(MAX_SHOWN + 1);
        let shown = escaped(&long).to_string();
        assert!(shown.ends_with("é…") && shown.chars().count() == MAX_SHOWN + 1);
    }
}
