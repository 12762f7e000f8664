//! Checking text that a component sends.
//!
//! wasmtime checks that a component's string is UTF-8 and copies it then. Where
//! the component has mapped a file into its memory (the wal-index), another
//! process can write to it in between, and the copy is a `String` that is not
//! UTF-8. Code that takes text from such a component calls [`text`] before
//! anything else; `files` takes bytes instead.

/// The copied `text`, with U+FFFD for invalid UTF-8.
pub fn text(text: String) -> String {
    // This only moves the bytes, and does not rely on the first check.
    settled(text.into_bytes())
}

/// Apply [`text`] to each.
pub fn texts(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(text).collect()
}

fn settled(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utf8_whatever_was_copied() {
        assert_eq!(text("a é".to_owned()), "a é");
        assert_eq!(settled(b"a\xff\xc3".to_vec()), "a\u{fffd}\u{fffd}");
    }
}
