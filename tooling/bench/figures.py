"""What is measured, with its limits."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .catalogue.loop import FULL, SMALL
from .engines import REFERENCE, SUBJECT
from .rows import WASM_PEERS, against, grouped, run_ratios, title
from .session import Result
from .spread import Spread, geometric_means

MEGABYTE = 1e6
MILLISECOND = 1e6

DIGITS = {"MB": 1, "KB": 1, "faults": 0, "million": 2, "ns": 0, "µs": 3, "ms": 3, "s": 2, "times": 2, "recall": 3, "instructions": 0}


@dataclass(frozen=True)
class Figure:
    title: str
    unit: str = "times"
    must: float | None = None
    aim: float | None = None
    larger_is_better: bool = False

    def text(self, value: Spread | float | None) -> str:
        if value is None:
            return ""
        digits = DIGITS[self.unit]
        return value.text(digits) if isinstance(value, Spread) else f"{value:.{digits}f}"


@dataclass(frozen=True)
class Verdict:
    """A figure with what was measured for it."""

    figure: Figure
    spread: Spread
    elsewhere: str = ""
    """The profiles that its limits are for, if this is not one of them."""

    def reaches(self, limit: float) -> bool:
        return self.spread.value >= limit if self.figure.larger_is_better else self.spread.value <= limit

    def is_judged(self) -> bool:
        return self.figure.must is not None and not self.elsewhere

    def mark(self) -> str:
        if self.figure.must is None or self.elsewhere:
            return self.elsewhere
        if not self.reaches(self.figure.must):
            return "MISS"
        return "pass, aim" if self.figure.aim is not None and self.reaches(self.figure.aim) else "pass"

    def missed(self) -> bool:
        return self.mark() == "MISS"


def combined(rounds: Iterable[list[tuple[Figure, float]]]) -> list[Verdict]:
    """Of figures that were measured several times."""
    return [Verdict(seen[0][0], Spread.of(value for _, value in seen)) for seen in zip(*rounds, strict=True)]


@dataclass(frozen=True)
class Limit:
    """What `cwasm` must show for a workload: a ratio to `ref`, the megabytes of its peak above that of `ref`,
    or the page faults of the process."""

    workload: str
    rows: int | None
    must: float
    aim: float
    unit: str = "times"

    def figure(self) -> Figure:
        size = "" if self.rows is None else f" {self.rows:,}"
        what = {"times": "", "MB": ", peak memory above ref", "faults": ", page faults"}[self.unit]
        return Figure(f"{self.workload}{size}{what}", self.unit, self.must, self.aim)

    def values(self, result: Result) -> list[float]:
        if self.unit == "times":
            return result.ratios(SUBJECT, REFERENCE)
        ours, theirs = (result.series[name].runs if name in result.series else [] for name in (SUBJECT, REFERENCE))
        if self.unit == "faults":
            return [run.faults for run in ours]
        return [(run.peak_bytes - other.peak_bytes) / MEGABYTE for run, other in zip(ours, theirs)]


ROWS = ("insert", "read", "agg", "join")

LIMITS = (
    Limit("startup", None, must=2.0, aim=1.6),
    Limit("startup", None, must=300, aim=220, unit="faults"),
    Limit("startup", None, must=12, aim=8, unit="MB"),
    *(Limit(name, 100_000, must=1.45, aim=1.3) for name in ROWS),
    *(Limit(name, 10_000, must=1.9, aim=1.3) for name in ROWS),
    *(Limit(name, 1_000, must=2.4, aim=1.5) for name in ROWS),
    *(Limit(name, None, must=1.15, aim=1.05) for name in ("smalltx-4k", "smalltx-16k")),
    Limit("insert-wal", 100_000, must=1.6, aim=1.25),
    Limit("wal-readers-1", 100_000, must=1.4, aim=1.25),
    # Throughput of 0.6 and 0.8 of the native one.
    Limit("wal-readers-4", 100_000, must=1.67, aim=1.25),
    Limit("scan-read", None, must=1.5, aim=1.25),
    Limit("scan-mmap", None, must=1.3, aim=1.15),
    Limit("insert", 100_000, must=40, aim=20, unit="MB"),
)


def verdicts(results: list[Result]) -> list[Verdict]:
    """One for each limit that these results can speak about."""
    measured = {(result.workload.name, result.rows): result for result in results}
    known = ((each, measured[each.workload, each.rows]) for each in LIMITS if (each.workload, each.rows) in measured)
    return [Verdict(limit.figure(), Spread.of(values)) for limit, result in known if (values := limit.values(result))]


def breadth_verdicts(results: list[Result]) -> list[Verdict]:
    """The mean of all classes, and the worst of them."""
    series = {result.workload.name: result.ratios(SUBJECT, REFERENCE) for result in results}
    if not series or not all(series.values()):
        return []
    spreads = {name: Spread.of(ratios) for name, ratios in series.items()}
    worst = max(spreads, key=lambda name: spreads[name].value)
    mean = Figure("geometric mean of all classes", must=1.45, aim=1.3)
    return [
        Verdict(mean, Spread.of(geometric_means(list(series.values())))),
        Verdict(Figure(f"the worst class: {worst}", must=2.0, aim=1.7), spreads[worst]),
    ]


MEASURES = {
    "times": run_ratios,
    "ms": lambda row, _: [run / MILLISECOND for run in row["raw"]],
    "recall": lambda row, _: [row["recall"]],
}
"""What a row, next to that of the reference, has in each unit."""


@dataclass(frozen=True)
class RowLimit:
    """What each row of some workloads must show: a ratio to `ref`, milliseconds, or a recall."""

    workloads: str
    """How their ids begin, as a regular expression."""
    must: float
    aim: float | None = None
    unit: str = "times"
    engine: str = SUBJECT
    profiles: tuple[str, ...] = (FULL,)
    """Where it is judged: a limit for the size of the reference only there."""

    def verdict(self, rows: dict[str, dict], profile: str) -> Verdict | None:
        row = rows.get(self.engine)
        if row is None or row["skipped"] or not (values := MEASURES[self.unit](row, rows.get(REFERENCE, {"raw": []}))):
            return None
        name = title(row) + ("" if self.engine == SUBJECT else f", {self.engine}")
        figure = Figure(name, self.unit, self.must, self.aim, larger_is_better=self.unit == "recall")
        return Verdict(figure, Spread.of(values), elsewhere(self.profiles, profile))


def elsewhere(profiles: tuple[str, ...], profile: str) -> str:
    return "" if profile in profiles else f"judged at {', '.join(profiles)}"


ANY_SIZE = (SMALL, FULL)

ROW_LIMITS = (
    *(RowLimit(workloads, must=1.6, aim=1.3) for workloads in (r"sqlrite/W[1-9]b?\.", r"turdb/T[24]\.", "sochdb/OL")),
    RowLimit("sqlrite/W1[12]", must=1.6, aim=1.3, profiles=ANY_SIZE),
    RowLimit(r"sqlrite/W10\.v\d+/brute-force", must=5, unit="ms"),
    RowLimit(r"sqlrite/W10\.v\d+/hnsw", must=0.5, unit="ms"),
    RowLimit(r"sqlrite/W10\.v\d+/hnsw", must=0.95, unit="recall"),
    # The best of pgsqlite's document.
    RowLimit(r"pgsqlite/PG1\.v\d+/insert", must=0.060, unit="ms", engine="serve", profiles=ANY_SIZE),
    RowLimit(r"pgsqlite/PG1\.v\d+/cached", must=0.046, unit="ms", engine="serve", profiles=ANY_SIZE),
)
PEER_SUITE = "sqlink/"
PEER_MUST, PEER_AIM = 1.5, 2.5
"""The time of another SQLite in WebAssembly by ours."""


def row_verdicts(samples: list[dict], profile: str) -> Iterator[Verdict]:
    """Of the rows of an envelope."""
    for limit in ROW_LIMITS:
        for (workload, _), rows in grouped(samples).items():
            if re.match(limit.workloads, workload) and (verdict := limit.verdict(rows, profile)):
                yield verdict
    for each in against(row for row in samples if row["workload"].startswith(PEER_SUITE)):
        if each.name in WASM_PEERS:
            name = f"{each.name} by {each.base}, geometric mean of {each.rows} rows"
            figure = Figure(name, must=PEER_MUST, aim=PEER_AIM, larger_is_better=True)
            yield Verdict(figure, each.mean, elsewhere(ANY_SIZE, profile))
