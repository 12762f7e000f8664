"""Tokenizers of FTS5: what they find, as bytes of the contract (`wit/extension/scalar.wit`)."""

import struct
import typing

#: What tokens are for, by FTS5_TOKENIZE_*; all else is a document.
PURPOSES = {1: "query", 3: "prefix", 8: "auxiliary"}

#: Where a token begins and ends, and how many bytes it has.
HEAD = struct.Struct("<III")

#: Added to the length of a token that shares the position of the one before.
COLOCATED = 1 << 31


class About(typing.NamedTuple):
    """What a tokenizer may know about its text."""

    #: "document", "query", "prefix" or "auxiliary".
    purpose: str
    #: That of `fts5_locale`.
    locale: str | None
    #: The words behind the name of the tokenizer.
    words: tuple[str, ...]


def served(tokenize, check, takes_about):
    """The function that the contract calls for a tokenizer: without a text to check the words."""

    def call(text, purpose, locale, *words):
        if text is None:
            if check is not None:
                check(words)
            return None
        if isinstance(text, bytes):
            text = text.decode(errors="surrogateescape")
        about = (About(PURPOSES.get(purpose, "document"), locale, words),) if takes_about else ()
        return packed(text, tokenize(text, *about))

    return call


def size(text):
    return len(text) if text.isascii() else len(text.encode(errors="surrogateescape"))


def packed(text, found):
    """The tokens as bytes, with offsets in bytes. Tokens begin in the order of the text, so each measures from the one before."""
    parts, at, bytes_before, is_ascii = [], 0, 0, text.isascii()
    for one in found:
        token, start, end, is_synonym = _parts(one)
        if not at <= start <= end <= len(text):
            raise ValueError(f"a token is from {start} to {end}, not in the text or before the last one")
        bytes_before += start - at if is_ascii else size(text[at:start])
        at = start
        content = token.encode(errors="surrogateescape")
        length = len(content) + (COLOCATED if is_synonym else 0)
        last = bytes_before + (end - start if is_ascii else size(text[start:end]))
        parts += HEAD.pack(bytes_before, last, length), content
    return b"".join(parts)


def _parts(one):
    match one:
        case (str(token), int(start), int(end)):
            return token, start, end, False
        case (str(token), int(start), int(end), bool(is_synonym)):
            return token, start, end, is_synonym
    raise TypeError("a token is (token, start, end), or with True behind it a synonym")
