//! What extensions say, made fit to be shown.

/// Longest message of a failure, in bytes: more than a person reads.
const MAX_MESSAGE_BYTES: usize = 4000;

/// A message as it is shown: without what moves a terminal's cursor, and cut
/// where it is too long.
pub fn shortened(mut message: String) -> String {
    if message.len() > MAX_MESSAGE_BYTES {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        message.push('…');
    }
    message.retain(|letter| !letter.is_control() || letter == '\n' || letter == '\t');
    message
}

/// A text as one line.
pub fn one_line(text: &str) -> String {
    let is_blank = |letter: char| letter.is_control() || letter.is_whitespace();
    let words = text.split(is_blank).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_between_letters_and_move_no_cursor() {
        assert_eq!(shortened("a\u{1b}[2J\r\nb".into()), "a[2J\nb");
        let long = shortened("é".repeat(MAX_MESSAGE_BYTES));
        assert!(long.len() < MAX_MESSAGE_BYTES + 4 && long.ends_with("é…"));
    }

    #[test]
    fn lines_and_control_characters_are_spaces() {
        assert_eq!(one_line(" a\r\n\u{1b}b  c\u{7}"), "a b c");
    }
}
