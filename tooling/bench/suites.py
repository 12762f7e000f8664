"""The table of suites: what `make bench` measures, and with how much of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .breadth import BREADTH
from .catalogue import sochdb, sqlink, sqlrite, turdb, vector
from .catalogue.loop import FULL, SMALL, SMOKE, Loop
from .figures import Verdict, breadth_verdicts, verdicts
from .session import Result
from .workloads import START, WORKLOADS, Workload


@dataclass(frozen=True)
class Suite:
    """Whole processes that run the workloads, with all engines."""

    name: str
    about: str
    workloads: tuple[Workload, ...]
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Rows in each profile."""
    judge: Callable[[list[Result]], list[Verdict]] = verdicts


def profiles(smoke: int, *full: int) -> dict[str, tuple[int, ...]]:
    """Small is without the largest, if there are several."""
    return {SMOKE: (smoke,), SMALL: full[:-1] or full, FULL: full}


SUITES = (
    Suite("start", "`SELECT 1;`: time, memory, page faults, instructions", (START,)),
    Suite("shell", "scripts of a thousand rows and more", WORKLOADS, profiles(1_000, 1_000, 10_000, 100_000)),
    Suite("breadth", "classes of statements and tasks of the shell", BREADTH, profiles(1_000, 50_000, 200_000), breadth_verdicts),
    Suite("sqlink", "the scripts of reference 001, building included", sqlink.WORKLOADS, profiles(200, 1_000, 10_000, 100_000)),
)

LOOP_SUITES: dict[str, tuple[Loop, ...]] = {
    "sqlrite": sqlrite.LOOPS,
    "turdb": turdb.LOOPS,
    "sochdb": sochdb.LOOPS,
    "vector": vector.LOOPS,
}
"""Operation by operation, in one process."""

LOOP_SUITE_ABOUT = {
    "sqlrite": "W1 to W13: reads, writes, sums, joins, vectors, full text",
    "turdb": "T1 to T6: insertion, by journal and by how often the disk is flushed",
    "sochdb": "keys and values, analytics, vectors, storage",
    "vector": "insertion into vec0 and search, at four sizes",
    "pgsqlite": "clients of Postgres against `serve`",
}

OTHER_ABOUT = {
    "extensions": "calls, rows, SQL of extensions, loaded and embedded",
    "crate": "the crate sqlite-sandbox, compared with rusqlite",
    "library": "libsqlite3.so.0, compared with the native one",
    "serve": "transactions of `serve` and of PostgreSQL; pipelines, and clients beside hostile ones",
    "javascript": "the npm package, compared with others for Node",
    "vec": "vec0, compared with the native sqlite-vec, and the index `ann`",
}
