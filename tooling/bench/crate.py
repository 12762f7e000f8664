"""The suite `crate`: the crate sqlite-sandbox compared with rusqlite on the same SQLite, in one process.

`connection` is the program. It does each operation by one crate and then by the other.
"""

import tempfile
from pathlib import Path

from .engines import REFERENCE, ROOT
from .figures import Figure, Verdict
from .programs import Round, missing, part, printed
from .report import Part
from .spread import Spread

SUITE = "crate"
PROGRAM = ROOT / "target/bench-connection/release/bench-connection"
COMPONENT = ROOT / "target/release/database.cwasm"
ENGINES = {
    REFERENCE: {"version": "rusqlite", "sqlite": None, "via": "rusqlite, native"},
    SUITE: {"version": "sqlite-sandbox", "sqlite": None, "via": "crate sqlite-sandbox: each call crosses"},
}
ABOUT = {
    "insert": "a row, prepared, in one transaction",
    "read": "a row by its key: bind, step, columns, reset",
    "scan": "a row of four columns",
    "prepare": "prepare, step, finalize",
    "function": "a call of a function of the program, from SQL",
    "open": "open in memory, SELECT 1, close",
}
TIMED = "by the program, around all operations of one kind; a function: what a statement takes more with it"
MEMORY = "memory"
MEGABYTE = 1 << 20


def complaint() -> str:
    return missing(PROGRAM, "tooling/bench/build crate") or missing(COMPONENT, "make build")


def measure(repeats: int, _quick: bool) -> Part:
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as directory:
        rounds = [read(printed([PROGRAM, COMPONENT], Path(directory))) for _ in range(repeats)]
    found = part(SUITE, ABOUT, ENGINES, rounds, TIMED)
    found.verdicts = [
        Verdict(Figure(f"an idle connection, {name}", "MB"), Spread.of(each[name][MEMORY] / MEGABYTE for each in rounds))
        for name in ENGINES
    ]
    return found


def read(output: str) -> Round:
    """A line for each operation, and one for memory: the name, our figure, that of rusqlite."""
    lines = [line.split("\t") for line in output.splitlines()]
    return {engine: {name: float(numbers[place]) for name, *numbers in lines} for place, engine in ((1, REFERENCE), (0, SUITE))}
