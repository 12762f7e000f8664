//! Languages and their stemmers.

use rust_stemmers::{Algorithm, Stemmer};
use sqlite_wasm_kit::Result;

/// All languages, by name.
pub const LANGUAGES: [(&str, Algorithm); 18] = [
    ("arabic", Algorithm::Arabic),
    ("danish", Algorithm::Danish),
    ("dutch", Algorithm::Dutch),
    ("english", Algorithm::English),
    ("finnish", Algorithm::Finnish),
    ("french", Algorithm::French),
    ("german", Algorithm::German),
    ("greek", Algorithm::Greek),
    ("hungarian", Algorithm::Hungarian),
    ("italian", Algorithm::Italian),
    ("norwegian", Algorithm::Norwegian),
    ("portuguese", Algorithm::Portuguese),
    ("romanian", Algorithm::Romanian),
    ("russian", Algorithm::Russian),
    ("spanish", Algorithm::Spanish),
    ("swedish", Algorithm::Swedish),
    ("tamil", Algorithm::Tamil),
    ("turkish", Algorithm::Turkish),
];

/// Longest word that is stemmed, in bytes; a longer one stays as it is, as in FTS5's `porter`.
///
/// Stemmers copy a word for each letter that they replace, so a text of one word would take hours.
pub const MAX_STEMMED: usize = 128;

/// The stemmers of a list of languages.
pub struct Stems(Vec<(Algorithm, Stemmer)>);

impl Stems {
    /// Those of these languages, of which each is named once.
    pub fn of(languages: &[&str]) -> Result<Self> {
        if languages.is_empty() {
            return Err(format!("snowball: no language; {}", known()).into());
        }
        let mut algorithms = Vec::new();
        for name in languages {
            let Some((_, algorithm)) = LANGUAGES.iter().find(|(known, _)| known == name) else {
                return Err(format!("snowball: no language {name:.40?}; {}", known()).into());
            };
            if algorithms.contains(algorithm) {
                return Err(format!("snowball: {name} is named twice").into());
            }
            algorithms.push(*algorithm);
        }
        let stemmers =
            algorithms.into_iter().map(|algorithm| (algorithm, Stemmer::create(algorithm)));
        Ok(Self(stemmers.collect()))
    }

    /// The stem of a word in lower case, by the first language that changes it.
    pub fn stem(&self, word: String) -> String {
        if word.len() > MAX_STEMMED {
            return word;
        }
        let mut stems = self.0.iter().map(|(algorithm, stemmer)| stem(*algorithm, stemmer, &word));
        match stems.find(|stem| *stem != word && !stem.is_empty()) {
            Some(stem) => stem,
            None => word,
        }
    }
}

fn stem(algorithm: Algorithm, stemmer: &Stemmer, word: &str) -> String {
    match algorithm {
        // As most texts have it. Snowball 2 does this itself, the crate has an older algorithm.
        Algorithm::Russian => stemmer.stem(&word.replace('ё', "е")).into_owned(),
        _ => stemmer.stem(word).into_owned(),
    }
}

fn known() -> String {
    format!("there are {}", LANGUAGES.map(|(name, _)| name).join(", "))
}
