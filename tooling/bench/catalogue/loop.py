"""The words of a workload that players do operation by operation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..generator import Generator
from ..tape import Operation, Work

SMOKE, SMALL, FULL = PROFILES = ("smoke", "small", "full")

SETTINGS = {
    "stock": ["PRAGMA journal_mode=DELETE", "PRAGMA synchronous=FULL"],
    "tuned": [
        # First: the others may have to wait too. Longer than any queue of writers.
        "PRAGMA busy_timeout=60000",
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=NORMAL",
        "PRAGMA temp_store=MEMORY",
        "PRAGMA cache_size=-65536",
    ],
    "mmap": [
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=NORMAL",
        "PRAGMA temp_store=MEMORY",
        "PRAGMA cache_size=-64000",
        "PRAGMA mmap_size=268435456",
    ],
    **{
        f"{name}-{journal.lower()}": [
            "PRAGMA page_size=16384",
            f"PRAGMA journal_mode={journal}",
            f"PRAGMA synchronous={synchronous}",
            "PRAGMA mmap_size=268435456",
            "PRAGMA cache_size=-64000",
            "PRAGMA temp_store=MEMORY",
            *(["PRAGMA wal_autocheckpoint=10000"] if journal == "WAL" else []),
        ]
        for name, synchronous in (("nosync", "OFF"), ("normal", "NORMAL"), ("full", "FULL"))
        for journal in ("WAL", "DELETE")
    },
}
"""Settings profiles. Figures are compared within one of them only."""

BLOCK = 100
"""Operations of less than 20 µs are timed together, since reading the clock crosses the sandbox."""

SQLITE = "sqlite"
"""The dialect of all engines that are SQLite."""

WITH_PRAGMAS = (SQLITE, "turso", "libsql")
"""Dialects of engines that know SQLite's settings, or some of them."""


@dataclass(frozen=True)
class Size:
    rows: int
    operations: int


NOTHING = Size(0, 0)
"""Not in this profile."""


@dataclass(frozen=True)
class Loop:
    """One workload of a suite."""

    id: str
    about: str
    make: Callable[[Size, Generator, str], Work]
    """Size, generator and dialect."""
    smoke: Size
    small: Size
    full: Size
    settings: str = "tuned"
    seed: int = 42
    peers: tuple[str, ...] = ()
    absent: dict[str, str] = field(default_factory=dict)
    """Why a peer that might be expected here has no result."""
    extension: str = ""
    """The extension that the statements need."""
    syncs: bool = False
    """Requests to flush the disk are counted."""
    storage: bool = False
    """The database is measured after a checkpoint and after VACUUM."""
    writers: int = 1
    """How many processes run at a time; `make` is called for the tape of each."""
    exact: str = ""
    """The id of the workload whose answers the recall of this one refers to."""
    least_recall: float = 0.95
    """The smallest share of the exact answers with which ours has a result; the row shows the share itself."""
    dearer: bool = False
    """The reference has a tenth of the samples for it."""

    def size(self, profile: str) -> Size:
        return getattr(self, profile)


def transaction(operations: Iterable[tuple], place: int = 0, rows: int = 0) -> Iterable[Operation]:
    """Rows by one statement, in one transaction, or in several with this many rows."""
    part: Operation = []
    for values in operations:
        part.append((place, values))
        if len(part) == rows:
            yield [("BEGIN", ()), *part, ("COMMIT", ())]
            part = []
    if part:
        yield [("BEGIN", ()), *part, ("COMMIT", ())]


def single(calls: Iterable[tuple], place: int | str = 0) -> Iterable[Operation]:
    """An operation for each of these values."""
    return ([(place, values)] for values in calls)


def loaded(rows: Iterable[tuple], place: int = 0) -> Iterable[Operation]:
    """Rows of the set-up, in transactions that no memory needs to hold whole."""
    return transaction(rows, place, 10_000)
