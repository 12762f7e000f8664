//! sqlean's `fuzzy`.
c_extensions::sqlean_extension!(
    "sqlean_fuzzy",
    "distances of words, phonetic codes, transliteration"
);
