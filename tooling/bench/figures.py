"""The figures that our `.cwasm` must show against `ref`."""

from dataclasses import dataclass

from .engines import REFERENCE
from .session import Result

SUBJECT = "cwasm"
MEGABYTE = 1e6


@dataclass(frozen=True)
class Figure:
    """A limit: a ratio of medians, or megabytes of peak memory above `ref`."""

    workload: str
    rows: int | None
    must: float
    aim: float
    unit: str = "ratio"

    def title(self) -> str:
        size = "" if self.rows is None else f" {self.rows:,}"
        return f"{self.workload}{size}" + (", peak memory" if self.unit == "MB" else "")


ROWS = ("insert", "read", "agg", "join")

FIGURES = (
    Figure("startup", None, must=2.6, aim=2.0),
    *(Figure(name, 100_000, must=1.6, aim=1.25) for name in ROWS),
    *(Figure(name, 10_000, must=1.9, aim=1.3) for name in ROWS),
    *(Figure(name, 1_000, must=2.4, aim=1.5) for name in ROWS),
    *(Figure(name, None, must=1.15, aim=1.05) for name in ("smalltx-4k", "smalltx-16k")),
    Figure("insert-wal", 100_000, must=1.6, aim=1.25),
    # Throughput of 0.6 and 0.8 of the native one.
    Figure("wal-readers-4", 100_000, must=1.67, aim=1.25),
    Figure("scan-mmap", None, must=1.5, aim=1.2),
    Figure("insert", 100_000, must=40, aim=20, unit="MB"),
)


@dataclass(frozen=True)
class Verdict:
    """A figure with the value that was measured for it."""

    figure: Figure
    value: float

    def mark(self) -> str:
        if self.value <= self.figure.aim:
            return "pass, aim"
        return "pass" if self.value <= self.figure.must else "MISS"

    def missed(self) -> bool:
        return self.value > self.figure.must


def ratio(result: Result, name: str, against: str) -> float | None:
    """Median time of one engine by that of another, if both have one."""
    one, other = (result.series.get(each) for each in (name, against))
    if not (one and other and one.runs and other.runs):
        return None
    return one.median_ms() / other.median_ms()


def extra_memory(result: Result, name: str, against: str) -> float | None:
    """Megabytes that the peak of one engine is above that of another."""
    one, other = (result.series.get(each) for each in (name, against))
    if not (one and other and one.runs and other.runs):
        return None
    return (one.peak_bytes() - other.peak_bytes()) / MEGABYTE


def verdicts(results: list[Result]) -> list[Verdict]:
    """One for each figure that these results can speak about."""
    measured = {(result.workload.name, result.rows): result for result in results}
    found = []
    for figure in FIGURES:
        result = measured.get((figure.workload, figure.rows))
        value_of = extra_memory if figure.unit == "MB" else ratio
        value = value_of(result, SUBJECT, REFERENCE) if result else None
        if value is not None:
            found.append(Verdict(figure, value))
    return found
