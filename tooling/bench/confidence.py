"""How sure a median is: intervals by resampling, of a fixed seed so that a record can be checked."""

from collections.abc import Sequence
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
    numbers = Generator(SEED)
    medians = sorted(median(values[numbers.below(len(values))] for _ in values) for _ in range(RESAMPLES))
    return medians[RESAMPLES * 25 // 1000], medians[RESAMPLES * 975 // 1000 - 1]


def is_noisy(values: Sequence[float]) -> bool:
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return ordered[-1 - quarter] - ordered[quarter] > NOISY_SPREAD * median(ordered)
