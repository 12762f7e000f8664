"""Documents and queries for full-text search."""

from bisect import bisect
from functools import cache
from itertools import accumulate

from ..generator import Generator

WORDS = 10_000
WORDS_OF_A_DOCUMENT = 16
ASKED_WORDS = 65
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@cache
def dictionary() -> list[str]:
    """Words of six letters, the same in all workloads."""
    numbers = Generator(4711)
    found: dict[str, None] = {}
    while len(found) < WORDS:
        found["".join(LETTERS[numbers.below(26)] for _ in range(6))] = None
    return list(found)


def documents(count: int, numbers: Generator, zipf: bool) -> list[str]:
    words = dictionary()
    draw = by_rank(words, numbers) if zipf else lambda: words[numbers.below(WORDS)]
    return [" ".join(draw() for _ in range(WORDS_OF_A_DOCUMENT)) for _ in range(count)]


def by_rank(words: list[str], numbers: Generator):
    """The n-th word as often as 1/n, in integers so that no language rounds."""
    limits = list(accumulate(1_000_000 // rank for rank in range(1, len(words) + 1)))
    return lambda: words[bisect(limits, numbers.below(limits[-1]))]


def any_of(question: str) -> str:
    """The words of a query, for an engine to which any of them is enough."""
    return question.replace(" OR ", " ")


def questions(count: int, numbers: Generator, zipf: bool) -> list[str]:
    """Two to four words, any of which may match."""
    words = dictionary()
    # The most frequent ones, so that there is something to rank.
    chosen = words[:ASKED_WORDS] if zipf else [words[numbers.below(WORDS)] for _ in range(ASKED_WORDS)]
    return [" OR ".join(chosen[numbers.below(ASKED_WORDS)] for _ in range(numbers.between(2, 4))) for _ in range(count)]
