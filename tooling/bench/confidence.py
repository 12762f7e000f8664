"""How sure a median or a difference is; the resampling has a fixed seed, so that a record can be checked."""

from collections.abc import Sequence
from functools import cache
from math import comb
from statistics import median

from .generator import Generator

RESAMPLES = 1_000
SEED = 95

NOISY_SPREAD = 0.25
"""A series is called noisy when the middle half of it spans more than this share of its median."""


def interval(values: Sequence[float]) -> tuple[float, float]:
    """95 of 100 medians of samples of the values are in this range."""
    if len(values) < 2:
        return values[0], values[0]
    medians = sorted(middle(sorted(map(values.__getitem__, places))) for places in resamples(len(values)))
    return medians[RESAMPLES * 25 // 1000], medians[RESAMPLES * 975 // 1000 - 1]


@cache
def resamples(count: int) -> list[list[int]]:
    """Which of `count` values each sample has: the same for all series of that length; a record has thousands."""
    numbers = Generator(SEED)
    return [[numbers.below(count) for _ in range(count)] for _ in range(RESAMPLES)]


def middle(ordered: list[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def is_noisy(values: Sequence[float]) -> bool:
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return ordered[-1 - quarter] - ordered[quarter] > NOISY_SPREAD * median(ordered)


def chance(lower: Sequence[float], upper: Sequence[float]) -> float:
    """How likely `upper` is above `lower` in at least as many pairs if both are from one distribution, whatever it is.

    The rank test of Mann, Whitney and Wilcoxon, by counting all orders of the values; an equal pair counts half.
    """
    above = sum((high > low) + (high == low) / 2 for high in upper for low in lower)
    return sum(orders(len(lower), len(upper))[int(above) :]) / comb(len(lower) + len(upper), len(lower))


@cache
def orders(one: int, other: int) -> list[int]:
    """In how many orders of two kinds of values there are 0, 1, 2, … pairs with the other kind above.

    The coefficients of the product of (1 - x^(other + k)) / (1 - x^k), k from 1 to `one`.
    """
    counts = [1] + [0] * (one * other)
    for factor in range(1, one + 1):
        for pairs in range(len(counts) - 1, other + factor - 1, -1):
            counts[pairs] -= counts[pairs - other - factor]
        for pairs in range(factor, len(counts)):
            counts[pairs] += counts[pairs - factor]
    return counts
