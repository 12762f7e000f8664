//! Case, normal forms and order.

use caseless::Caseless;
use std::cmp::Ordering;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

pub fn lower(text: String) -> String {
    text.to_lowercase()
}

pub fn upper(text: String) -> String {
    text.to_uppercase()
}

pub fn fold(text: String) -> String {
    text.chars().default_case_fold().collect()
}

pub fn nfc(text: String) -> String {
    text.nfc().collect()
}

pub fn nfd(text: String) -> String {
    text.nfd().collect()
}

pub fn nfkc(text: String) -> String {
    text.nfkc().collect()
}

pub fn nfkd(text: String) -> String {
    text.nfkd().collect()
}

pub fn unaccent(text: String) -> String {
    text.nfd().filter(|&letter| !is_combining_mark(letter)).nfc().collect()
}

pub fn length(text: String) -> i64 {
    text.chars().count() as i64
}

pub fn reverse(text: String) -> String {
    text.chars().rev().collect()
}

/// Valid texts by their folded letters, then the others by their bytes.
pub fn compare(left: &[u8], right: &[u8]) -> Ordering {
    match (str::from_utf8(left), str::from_utf8(right)) {
        (Ok(left), Ok(right)) if left.is_ascii() && right.is_ascii() => {
            let folded = |byte: u8| byte.to_ascii_lowercase();
            left.bytes().map(folded).cmp(right.bytes().map(folded))
        }
        (Ok(left), Ok(right)) => canonical(left).cmp(canonical(right)),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => left.cmp(right),
    }
}

/// The letters of canonical caseless matching (Unicode 3.13, D145).
fn canonical(text: &str) -> impl Iterator<Item = char> {
    text.nfd().default_case_fold().nfd()
}

#[cfg(test)]
mod tests {
    use super::{compare, fold, length, lower, nfc, nfd, reverse, unaccent, upper};
    use std::cmp::Ordering::{Equal, Greater, Less};

    #[test]
    fn case_is_that_of_unicode() {
        assert_eq!(lower("ÄÖÜ ΣΑΣ".into()), "äöü σας");
        assert_eq!(upper("straße".into()), "STRASSE");
        assert_eq!(fold("Straße".into()), "strasse");
    }

    #[test]
    fn normal_forms_and_accents() {
        assert_eq!(nfc("e\u{301}".into()), "é");
        assert_eq!(nfd("é".into()), "e\u{301}");
        assert_eq!(unaccent("crème brûlée".into()), "creme brulee");
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        assert_eq!(length("größe".into()), 5);
        assert_eq!(reverse("größe".into()), "eßörg");
    }

    #[test]
    fn the_collation_orders_without_case_and_form() {
        let cases = [
            ("straße", "STRASSE", Equal),
            ("é", "E\u{301}", Equal),
            ("abc", "ABD", Less),
            ("É", "e", Greater),
            ("", "a", Less),
        ];
        for (left, right, order) in cases {
            assert_eq!(compare(left.as_bytes(), right.as_bytes()), order);
            assert_eq!(compare(right.as_bytes(), left.as_bytes()), order.reverse());
        }
    }

    #[test]
    fn what_is_no_utf8_comes_last_by_its_bytes() {
        assert_eq!(compare("\u{10ffff}".as_bytes(), &[0xff]), Less);
        assert_eq!(compare(&[0xff, 1], &[0xff, 0]), Greater);
        assert_eq!(compare(&[0xff], &[0xff]), Equal);
    }
}
