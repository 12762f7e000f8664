"""The table of suites: what `make bench` measures, and with how much of it."""

from collections.abc import Callable
from dataclasses import dataclass

from .breadth import BREADTH
from .figures import Verdict, breadth_verdicts, verdicts
from .session import Result
from .workloads import START, WORKLOADS, Workload


@dataclass(frozen=True)
class Suite:
    """Whole processes that run the workloads, with all engines."""

    name: str
    about: str
    workloads: tuple[Workload, ...]
    sizes: tuple[int, ...] = ()
    quick_sizes: tuple[int, ...] = ()
    """With `--quick`: enough to see that all works."""
    judge: Callable[[list[Result]], list[Verdict]] = verdicts


SUITES = (
    Suite("start", "`SELECT 1;`: time, memory, page faults", (START,)),
    Suite("shell", "scripts of a thousand rows and more", WORKLOADS, (1_000, 10_000, 100_000), (1_000,)),
    Suite("breadth", "classes of statements and tasks of the shell", BREADTH, (200_000,), (5_000,), breadth_verdicts),
)
