//! fuzzy: similarity of texts, and phonetic codes.
//!
//! - `fuzzy_leven(X, Y)`: the fewest letters to insert, delete or replace (Levenshtein)
//! - `fuzzy_damlev(X, Y)`: the same, but swapping two adjacent letters is one step
//!   (Damerau-Levenshtein)
//! - `fuzzy_osadist(X, Y)`: the same, but no letter is edited twice (optimal string
//!   alignment)
//! - `fuzzy_hamming(X, Y)`: how many letters differ; -1 if the lengths differ
//! - `fuzzy_jarowin(X, Y)`: similarity from 0 to 1 (Jaro-Winkler)
//! - `fuzzy_soundex(X)`, `fuzzy_rsoundex(X)`, `fuzzy_caver(X)`: the phonetic code of
//!   X (soundex, refined soundex, Caverphone 2)
//!
//! The phonetic codes are those of the letters A to Z in X. The names are sqlean's. Unlike there, letters of all
//! languages count for the others, not only
//! ASCII, and `fuzzy_osadist('awesome', 'aewsme')` is 2, not 3 as in its manual.
//! NULL gives NULL.

use rphonetic::{Caverphone2, Encoder, RefinedSoundex, Soundex};
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Scalar;
use sqlite_wasm_kit::Stability::Stable;

const SCALARS: &[Scalar] = &[
    Scalar::new("fuzzy_leven", 2, Stable, Innocuous, |a| a.apply(leven)),
    Scalar::new("fuzzy_damlev", 2, Stable, Innocuous, |a| a.apply(damlev)),
    Scalar::new("fuzzy_osadist", 2, Stable, Innocuous, |a| a.apply(osadist)),
    Scalar::new("fuzzy_hamming", 2, Stable, Innocuous, |a| a.apply(hamming)),
    Scalar::new("fuzzy_jarowin", 2, Stable, Innocuous, |a| a.apply(jarowin)),
    Scalar::new("fuzzy_soundex", 1, Stable, Innocuous, |a| a.apply(soundex)),
    Scalar::new("fuzzy_rsoundex", 1, Stable, Innocuous, |a| a.apply(rsoundex)),
    Scalar::new("fuzzy_caver", 1, Stable, Innocuous, |a| a.apply(caver)),
];

sqlite_wasm_kit::extension! {
    name: "fuzzy",
    description: "similarity of texts, and phonetic codes",
    scalars: SCALARS,
}

fn leven(left: String, right: String) -> i64 {
    strsim::levenshtein(&left, &right) as i64
}

fn damlev(left: String, right: String) -> i64 {
    strsim::damerau_levenshtein(&left, &right) as i64
}

fn osadist(left: String, right: String) -> i64 {
    strsim::osa_distance(&left, &right) as i64
}

fn hamming(left: String, right: String) -> i64 {
    strsim::hamming(&left, &right).map_or(-1, |count| count as i64)
}

fn jarowin(left: String, right: String) -> f64 {
    strsim::jaro_winkler(&left, &right)
}

/// The letters that these codes are made of: the crate uses each as an index into its alphabet.
fn letters(word: &str) -> String {
    word.chars().filter(char::is_ascii_alphabetic).collect()
}

fn soundex(word: String) -> String {
    Soundex::default().encode(&letters(&word))
}

fn rsoundex(word: String) -> String {
    RefinedSoundex::default().encode(&letters(&word))
}

fn caver(word: String) -> String {
    Caverphone2.encode(&letters(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_known_pairs() {
        assert_eq!(leven("awesome".into(), "aewsme".into()), 3);
        assert_eq!(damlev("awesome".into(), "aewsme".into()), 2);
        assert_eq!((damlev("ca".into(), "abc".into()), osadist("ca".into(), "abc".into())), (2, 3));
        assert_eq!(osadist("awesome".into(), "aewsme".into()), 2);
        assert_eq!(hamming("größe".into(), "grüße".into()), 1);
        assert_eq!(hamming("a".into(), "ab".into()), -1);
        assert_eq!(leven(String::new(), String::new()), 0);
    }

    #[test]
    fn jaro_winkler_of_the_textbook() {
        assert!((jarowin("MARTHA".into(), "MARHTA".into()) - 0.9611).abs() < 1e-4);
        assert!((jarowin("awesome".into(), "aewsme".into()) - 0.907142857142857).abs() < 1e-12);
        assert_eq!(jarowin("a".into(), "b".into()), 0.0);
    }

    #[test]
    fn words_that_sound_alike_have_one_code() {
        assert_eq!(soundex("Robert".into()), "R163");
        assert_eq!(soundex("Robert".into()), soundex("Rupert".into()));
        assert_eq!(rsoundex("awesome".into()), "A03080");
        assert_eq!(caver("awesome".into()), "AWSM111111");
        assert_eq!(soundex("awesome".into()), "A250");
        assert_eq!(soundex("".into()), "");
        assert_eq!([soundex("é".into()), rsoundex("千世".into())], ["", ""]);
        assert_eq!(soundex("Müller".into()), soundex("Mller".into()));
        assert_eq!(soundex("O'Hara".into()), soundex("OHara".into()));
    }

    #[test]
    fn any_text_has_a_code() {
        for text in ["\0", "ß", "İ", "ﬁ", "a\u{301}", "😋", " ", "1", "\u{10ffff}", "ǅ"] {
            for function in [soundex, rsoundex, caver] {
                function(text.into());
                function(format!("a{text}b"));
                function(text.repeat(3000));
            }
        }
    }
}
