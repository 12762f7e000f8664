//! Text helpers of the tests: splitting, replacing, comparing.

use std::fmt::Write;

/// Words separated by blanks; `'…'` and `"…"` hold blanks together.
pub fn split_words(value: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for letter in value.chars() {
        match letter {
            _ if quote == Some(letter) => quote = None,
            '\'' | '"' if quote.is_none() => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ' ' if quote.is_none() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// A separate line for `marker`, after whatever comes before.
pub fn append_marker(text: &mut Vec<u8>, marker: &str) {
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(marker.as_bytes());
    text.push(b'\n');
}

/// `text` with every `from` made `to`.
pub fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

/// The lines that differ, between the first and the last such line.
pub fn line_diff(expected: &[u8], printed: &[u8]) -> String {
    let split = |text| -> Vec<String> {
        let text = String::from_utf8_lossy(text);
        text.split_inclusive('\n').map(|line| line.escape_debug().to_string()).collect()
    };
    let (old, new) = (split(expected), split(printed));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut diff = format!("@@ line {} @@\n", head + 1);
    for (sign, lines) in [('-', old), ('+', new)] {
        for line in &lines[..lines.len() - tail] {
            writeln!(diff, "{sign} {line}").expect("a string takes all");
        }
    }
    diff
}
