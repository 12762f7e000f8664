"""The tokenizers of our extension snowball: words by `apsw.unicode`, stems by Python's package snowballstemmer."""

import functools
import importlib
import pkgutil
import unicodedata
from collections.abc import Callable, Iterator

import apsw
import apsw.ext
import apsw.unicode
import snowballstemmer

Token = tuple[int, int, str]
Tokenize = Callable[[bytes, int, str | None], Iterator[Token]]
Factory = Callable[[apsw.Connection, list[str]], Tokenize]
# What the package has beyond the crate; `porter` is an older one for English.
OTHERS = {"armenian", "basque", "catalan", "hindi", "indonesian", "irish", "lithuanian", "nepali", "porter", "serbian", "yiddish"}
OPTION = "keep_diacritics"
# Longer words stay as they are.
MOST_BYTES = 128


def names() -> list[str]:
    modules = [module.name for module in pkgutil.iter_modules(snowballstemmer.__path__)]
    found = {name.removesuffix("_stemmer") for name in modules if name.endswith("_stemmer")}
    return sorted(found - OTHERS)


@functools.cache
def stem_of(language: str, word: str) -> str:
    if len(word.encode()) > MOST_BYTES:
        return word
    module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
    stem: str = getattr(module, f"{language.capitalize()}Stemmer")().stemWord(word)
    return stem or word


def lower(word: str) -> str:
    return unicodedata.normalize("NFC", word.lower())


def stem(language: str, word: str) -> str:
    return stem_of(language, lower(word))


def first_stem(languages: list[str], word: str) -> str:
    return next((stem for stem in (stem_of(language, word) for language in languages) if stem != word), word)


def without_diacritics(word: str) -> str:
    kept, is_bare = "", True
    for letter in unicodedata.normalize("NFD", word):
        category = unicodedata.category(letter)
        if not "\u0300" <= letter <= "\u036f":
            kept += letter
            if category[0] != "M":
                is_letter = category[0] == "L" or category == "Nl"
                is_bare = not is_letter or unicodedata.name(letter, "").replace("FULLWIDTH ", "").startswith(("LATIN", "GREEK"))
        elif not is_bare:
            kept += letter
    return unicodedata.normalize("NFC", kept)


def texts(text: bytes) -> Iterator[tuple[int, str]]:
    """The parts that are UTF-8, with where they begin."""
    start = 0
    while start < len(text):
        try:
            yield start, text[start:].decode()
            return
        except UnicodeDecodeError as error:
            yield start, text[start : start + error.start].decode()
            start += error.end


def words(text: bytes) -> Iterator[Token]:
    for start, part in texts(text):
        for begin, end, word in apsw.unicode.word_iter_with_offsets(part):
            place = start + len(part[:begin].encode())
            yield place, place + len(part[begin:end].encode()), word


def tokenizer(stem: Callable[[list[str], str], str]) -> Factory:
    def factory(_: apsw.Connection, arguments: list[str]) -> Tokenize:
        languages = [argument for argument in arguments if argument != OPTION]

        def tokenize(text: bytes, _flags: int, _locale: str | None) -> Iterator[Token]:
            for start, end, word in words(text):
                token = stem(languages, lower(word))
                yield start, end, token if OPTION in arguments else without_diacritics(token)

        return tokenize

    return factory


def languages() -> list[tuple[str]]:
    return [(name,) for name in names()]


def register(database: apsw.Connection) -> None:
    """All of them."""
    database.register_fts5_tokenizer("unicode_words", tokenizer(lambda _, word: word))
    database.register_fts5_tokenizer("snowball", tokenizer(first_stem))
    database.create_scalar_function("snowball_stem", stem)
    languages.columns, languages.column_access = ("name",), apsw.ext.VTColumnAccess.By_Index  # type: ignore[attr-defined]
    apsw.ext.make_virtual_module(database, "snowball_languages", languages)
