//! Texts of extensions, escaped and limited to be shown.

use crate::words::escape;

/// Longest message of a failure, in bytes: more than a user reads.
const MAX_MESSAGE_BYTES: usize = 4000;

/// Longest text that is shown as a part of a line, in characters.
const MAX_LINE: usize = 2000;

/// A message as SQL shows it: lines stay lines, and what moves a terminal's
/// cursor is written as an escape. It is cut where it is too long.
pub fn shortened(mut message: String) -> String {
    if message.len() > MAX_MESSAGE_BYTES {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        message.push('…');
    }
    escape::controls_escaped(message)
}

/// A text as one line.
pub fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let mut line = words.join(" ");
    if let Some((end, _)) = line.char_indices().nth(MAX_LINE) {
        line.truncate(end);
        line.push('…');
    }
    escape::controls_escaped(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_between_letters_and_move_no_cursor() {
        assert_eq!(shortened("a\u{1b}[2J\r\nb".into()), "a\\u{1b}[2J\\r\nb");
        let long = shortened("é".repeat(MAX_MESSAGE_BYTES));
        assert!(long.len() < MAX_MESSAGE_BYTES + 4 && long.ends_with("é…"));
    }

    #[test]
    fn lines_are_spaces() {
        assert_eq!(one_line(" a\r\n\u{1b}b  c\u{7}"), "a \\u{1b}b c\\u{7}");
    }
}
