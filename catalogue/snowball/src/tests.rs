//! What is refused, and limits; `tests/parity` compares words and stems with those of others.

use crate::languages::Languages;
use crate::stems::{LANGUAGES, MAX_STEMMED, Stems};
use crate::{SCALARS, TOKENIZERS, words};
use sqlite_wasm_kit::table::{Scan, scan};
use sqlite_wasm_kit::{Purpose, Result, Value};

type Places = Vec<(String, usize, usize)>;

fn tokens(tokenizer: &str, options: &[&str], text: &str) -> Result<Places> {
    let number = ["unicode_words", "snowball"].iter().position(|name| *name == tokenizer);
    TOKENIZERS[number.expect("it is in the list")].tokens(text, options)
}

fn terms(tokenizer: &str, options: &[&str], text: &str) -> Vec<String> {
    tokens(tokenizer, options, text).unwrap().into_iter().map(|(token, _, _)| token).collect()
}

fn stem(language: &str, word: &str) -> Result<Value> {
    SCALARS[0].call(vec![Value::text(language), Value::text(word)])
}

#[test]
fn tokens_have_the_places_of_words() {
    let found = tokens("unicode_words", &[], "Größe: don't, É 3.14!").unwrap();
    let places = [("große", 0, 7), ("don't", 9, 14), ("e", 16, 18), ("3.14", 19, 23)];
    assert_eq!(found, places.map(|(token, start, end)| (token.to_owned(), start, end)));
}

#[test]
fn diacritics_of_latin_and_greek_letters_are_removed() {
    let text = "E\u{301}tude Ệ Αθήνα ΐ И\u{306} か\u{3099} Ǖ e\u{332}\u{301}";
    assert_eq!(
        terms("unicode_words", &[], text),
        ["etude", "e", "αθηνα", "ι", "й", "が", "u", "e"]
    );
    let kept = terms("unicode_words", &["keep_diacritics"], text);
    assert_eq!(kept[..6], ["étude", "ệ", "αθήνα", "ΐ", "й", "が"]);
}

#[test]
fn the_first_language_that_changes_a_word_stems_it() {
    let text = "Häuser running Étudiants";
    assert_eq!(terms("snowball", &["german"], text), ["haus", "running", "etudiant"]);
    assert_eq!(terms("snowball", &["english", "german"], text), ["haus", "run", "etudiant"]);
    let kept = terms("snowball", &["french", "keep_diacritics"], "étudiants");
    assert_eq!(kept, ["étudi"]);
}

#[test]
fn options_that_are_not_known_are_refused() {
    let known = "there are arabic, danish, ";
    for (tokenizer, options, message) in [
        ("unicode_words", &["english"][..], "only the word `keep_diacritics` is known"),
        ("unicode_words", &["keep_diacritics", "keep_diacritics"], "only the word"),
        ("snowball", &[], known),
        ("snowball", &["keep_diacritics"], known),
        ("snowball", &["english", "klingon"], "no language \"klingon\""),
        ("snowball", &["English"], known),
        ("snowball", &["english", "german", "english"], "english is named twice"),
        ("snowball", &["keep_diacritics", "english", "keep_diacritics"], "is given twice"),
    ] {
        let error = tokens(tokenizer, options, "").unwrap_err();
        assert!(error.message.contains(message), "{}", error.message);
    }
    assert!(stem("klingon\n", &"x".repeat(1000)).unwrap_err().message.len() < 300);
}

#[test]
fn stems_are_in_lower_case() {
    assert_eq!(stem("english", "RUNNING"), Ok(Value::text("run")));
    assert_eq!(stem("french", "Mangé"), Ok(Value::text("mang")));
    assert_eq!(stem("russian", "Ёлками"), stem("russian", "елка"));
    assert_eq!(stem("english", ""), Ok(Value::text("")));
    assert_eq!(SCALARS[0].call(vec![Value::text("english"), Value::Null]), Ok(Value::Null));
}

#[test]
fn bytes_that_are_not_utf8_stand_between_words() {
    let bytes = b"one\xfftwo \xe2\x82 x\xf0\x9f\xff\xc3\xa9t\xc3";
    let found: Vec<_> = words::of_bytes(bytes).collect();
    assert_eq!(found, [(0, "one"), (4, "two"), (11, "x"), (15, "ét")]);
}

#[test]
fn marks_alone_are_no_words() {
    let text = "\u{93e} \u{93e}x \u{301}\u{301} \u{200d} _ 😀 🇫🇷 a\u{93e}";
    let found: Vec<_> = words::of_bytes(text.as_bytes()).map(|(_, word)| word).collect();
    assert_eq!(found, ["x", "a\u{93e}"]);
}

#[test]
fn long_words_stay_and_take_linear_time() {
    let letters = ["ü", "ing", "iß", "e\u{301}", "\u{301}", "ا", "лся", "🇫", "1,", "'a", "க்"];
    let languages = LANGUAGES.map(|(name, _)| name);
    for letter in letters {
        let text = letter.repeat(200_000);
        assert!(tokens("snowball", &languages, &text).is_ok(), "{letter}");
    }
    let long = "running".repeat(MAX_STEMMED);
    assert_eq!(stem("english", &long), Ok(Value::text(&*long)));
}

/// Words of letters that stemmers look for, and of others, in all languages.
#[test]
fn no_word_makes_a_stemmer_fail() {
    let letters: Vec<char> = "aeiouyäéïøßłxbcdfglmnrstvzjkwhıığş'’.\u{301}\u{130}ьиюяетлсшъόςαισηςابالتونيهஅகக்வ்\u{bcd}ா한😀0_"
        .chars()
        .collect();
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for (name, _) in LANGUAGES {
        let stems = Stems::of(&[name]).unwrap();
        for _ in 0..20_000 {
            // Neighbours in the list are of one script.
            let (around, length) = (next(letters.len()), next(12));
            let word: String =
                (0..length).map(|_| letters[(around + next(25)) % letters.len()]).collect();
            let stem = stems.stem(word.clone());
            assert!(stem.is_empty() == word.is_empty(), "{name} {word}");
        }
    }
}

#[test]
fn the_table_has_each_language_once() {
    let rows = scan(&mut Languages, Scan::default(), vec![0]).unwrap();
    assert_eq!(rows.len(), LANGUAGES.len());
    for (_, row) in &rows {
        let Value::Text(name) = &row[0] else { panic!("it is a text") };
        assert!(stem(&String::from_utf8_lossy(name), "word").is_ok());
    }
}

#[test]
fn queries_are_tokenized_as_documents() {
    let text = "Running";
    for purpose in [Purpose::Query, Purpose::Prefix, Purpose::Document, Purpose::Auxiliary] {
        let mut tokens = sqlite_wasm_kit::Tokens::default();
        let text = sqlite_wasm_kit::Text {
            bytes: text.as_bytes(),
            purpose,
            locale: None,
            words: &["english"],
        };
        crate::tokenize_stems(&text, &mut tokens).unwrap();
        assert!(format!("{tokens:?}").contains("114, 117, 110]"), "{tokens:?}");
    }
}
