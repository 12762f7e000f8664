//! Words of a text, and what of them distinguishes no two tokens.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// The words with where they begin, in bytes. Bytes that are not UTF-8 stand between words.
pub fn of_bytes(bytes: &[u8]) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    let chunks = bytes.utf8_chunks().map(move |chunk| {
        let start = end;
        end += chunk.valid().len() + chunk.invalid().len();
        (start, chunk.valid())
    });
    chunks.flat_map(|(start, text)| {
        let segments = text.split_word_bound_indices();
        segments
            .filter(|(_, segment)| segment.chars().any(is_of_word))
            .map(move |(place, segment)| (start + place, segment))
    })
}

/// A mark alone is not a word: it would be one together with the space in front of it.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() && !is_combining_mark(letter)
}

/// In lower case, and composed, so that each letter has one spelling.
pub fn lower(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.to_lowercase().nfc().collect()
}

/// Without diacritics, except on letters that are neither Latin nor Greek: there they make other letters.
pub fn without_diacritics(word: String) -> String {
    if word.is_ascii() {
        return word;
    }
    let mut is_base_bare = true;
    let kept = word.nfd().filter(|letter| match letter {
        '\u{300}'..='\u{36f}' => !is_base_bare,
        _ => {
            if !is_combining_mark(*letter) {
                is_base_bare = !letter.is_alphabetic() || is_latin_or_greek(*letter);
            }
            true
        }
    });
    kept.nfc().collect()
}

/// By the blocks of Unicode, for letters.
fn is_latin_or_greek(letter: char) -> bool {
    matches!(letter, ..'\u{400}' | '\u{1d00}'..'\u{2000}' | '\u{2c60}'..'\u{2c80}' | '\u{a720}'..'\u{a800}'
        | '\u{ab30}'..'\u{ab70}' | '\u{fb00}'..'\u{fb07}' | '\u{ff21}'..'\u{ff5b}')
}
