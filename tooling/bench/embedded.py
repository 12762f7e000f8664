"""Extensions in the CLI: what a call, a row, composing and a start cost."""

import subprocess
import time
from statistics import median

from .engines import ROOT, RUNNER
from .figures import Figure
from .placements import Programs

PLAIN = ROOT / "target/release/cli.cwasm"

MEASURED = ("sha3", "series")
"""Those whose calls are timed."""

STARTED = ("crypto", "define", "fuzzy", "ipaddr", "regexp", "series", "sha3", "stats", "text", "uuid", "vec0")
"""All that are shipped but `csv`, which needs a directory, and `sha3query`."""

STARTS = 20
"""Starts of each program for one repeat."""


def figures(programs: Programs) -> list[tuple[Figure, float]]:
    """What composing takes, and a start with eleven extensions by a plain one."""
    begun = time.perf_counter()
    programs.compose(MEASURED[1:])
    compose = time.perf_counter() - begun
    composed, plain = ([*command, ":memory:", "SELECT 1"] for command in (programs.compiled(STARTED), [str(ROOT / RUNNER), str(PLAIN)]))
    start = median(seconds_of(composed) / seconds_of(plain) for _ in range(STARTS))
    return [
        (Figure("to compose one extension", "s", must=1, aim=0.2), compose),
        (Figure("a start with eleven embedded by the plain one", must=1.15, aim=1.05), start),
    ]


def seconds_of(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun
