"""Figures with their spread.

The machines of this project switch between two speeds, a factor of two apart, for
seconds at a time. So what is compared runs one after the other, a ratio is taken of
each such pair, and the figure is the median of these ratios: never the ratio of two
medians or of two minima, which may come from different speeds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, geometric_mean, median, quantiles


@dataclass(frozen=True)
class Spread:
    """The median of some values, and the range of their middle half."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        seen = list(values)
        low, high = quantiles(seen, method="inclusive")[::2] if len(seen) > 1 else seen * 2
        return cls(median(seen), low, high)

    def text(self, digits: int = 2) -> str:
        return f"{self.value:.{digits}f} ({self.low:.{digits}f}–{self.high:.{digits}f})"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """One for each pair of neighbouring runs."""
    return [one / other for one, other in zip(ours, theirs, strict=True)]


def mean(spreads: Iterable[Spread]) -> Spread:
    """The geometric mean of the values, and of both ends of the ranges."""
    return Spread(*(geometric_mean(each) for each in zip(*((spread.value, spread.low, spread.high) for spread in spreads))))


def geometric_means(series: Sequence[Sequence[float]]) -> list[float]:
    """That of all first values, of all second ones, and so on."""
    return [exp(fmean(map(log, values))) for values in zip(*series, strict=True)]
