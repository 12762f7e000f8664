"""The suite `library`: libsqlite3.so.0 in the sandbox compared with the same SQLite built natively.

The program is `host/library/tests/bench.c`, which either library runs, on a new file in WAL mode each time; ours also with
checks in its code (`SQLITE_WASM_TRAPS=checked`). Then callgrind counts the instructions of one look-up: all, and those
outside the sandbox.
"""

import re
import shutil
import tempfile
from functools import partial
from pathlib import Path

from .engines import REFERENCE, ROOT
from .figures import Figure, Verdict
from .instructions import COUNTER
from .programs import Times, alternating, missing, part, printed
from .report import Part
from .spread import Spread

SUITE = "library"
OURS, CHECKED = "library", "library-checked"
LIBRARY = ROOT / "target/library"
PROGRAM = LIBRARY / "bench"
DIRECTORIES = {REFERENCE: ROOT / "target/native-reference", OURS: LIBRARY, CHECKED: LIBRARY}
SETTINGS = {CHECKED: {"SQLITE_WASM_TRAPS": "checked"}}
ENGINES = {
    REFERENCE: {"version": "libsqlite3.so.0", "sqlite": None, "via": "native, the same source"},
    OURS: {"version": "libsqlite3.so.0", "sqlite": None, "via": "in the sandbox, traps by signals"},
    CHECKED: {"version": "libsqlite3.so.0", "sqlite": None, "via": "in the sandbox, traps by checks"},
}
ABOUT = {
    "insert": "a row of four values, in one transaction",
    "update": "a row by its key, in one transaction",
    "look-up": "a row by its key",
    "scan-row": "a row of a scan",
    "prepare-step-finalize": "a statement of its own for each row",
    "collation-sort-row": "a row that is sorted by a collation of the program",
    "function-call": "a call of a function of the program",
    "open-select-close": "open in memory, SELECT 1, close",
    "open-select-close-file": "open a file, a row by its key, close",
}
TIMED = "by the program, around all operations of one kind; a function: what a statement takes more with it"
MICROSECOND = 1e3
IDLE = "idle-kilobytes"
LOOK_UPS = (2_000, 12_000)


def complaint() -> str:
    return missing(PROGRAM, "tooling/library bench-program") or missing(DIRECTORIES[REFERENCE] / "libsqlite3.so.0", "make native-reference")


def measure(repeats: int, quick: bool) -> Part:
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as name:
        directory = Path(name)
        rounds = alternating(list(ENGINES), repeats, partial(run, directory))
        found = part(SUITE, ABOUT, ENGINES, rounds, TIMED)
        for engine in ENGINES:
            figure = Figure(f"an idle connection, {engine}", "MB")
            found.verdicts.append(Verdict(figure, Spread.of(each[engine][IDLE] / (MICROSECOND * 1024) for each in rounds)))
        if not quick and shutil.which(COUNTER):
            found.verdicts += instructions(directory)
    return found


def run(directory: Path, engine: str, *arguments: str, tool: tuple[str, ...] = ()) -> Times:
    """Microseconds of an operation for each line, as nanoseconds."""
    file = directory / "bench.db"
    if not arguments:
        for old in directory.glob("bench.db*"):
            old.unlink()
    settings = {"LD_LIBRARY_PATH": str(DIRECTORIES[engine]), **SETTINGS.get(engine, {})}
    output = printed([*tool, str(PROGRAM), str(file), *arguments], directory, **settings)
    return {name: float(figure) * MICROSECOND for name, figure in map(str.split, output.splitlines())}


def instructions(directory: Path) -> list[Verdict]:
    found = []
    for engine in (REFERENCE, OURS):
        total, host = counted(directory, engine)
        found.append(Verdict(Figure(f"instructions of a look-up, {engine}", "instructions"), Spread.of([total])))
        found.append(Verdict(Figure(f"outside the sandbox of these, {engine}", "instructions"), Spread.of([host])))
    return found


def counted(directory: Path, engine: str) -> tuple[float, float]:
    """What one look-up executes: all, and without the code in no library, which is the component's."""
    run(directory, engine)
    profile = directory / "callgrind.out"
    tool = (COUNTER, "--quiet", "--tool=callgrind", f"--callgrind-out-file={profile}")
    counts = []
    # The first runs in valgrind may compile for its processor, and fill the cache.
    for count in (LOOK_UPS[0], LOOK_UPS[0], *LOOK_UPS):
        run(directory, engine, str(count), tool=tool)
        counts.append(by_object(profile.read_text()))
    few, many = counts[-2:]
    each = {name: (many[name] - few.get(name, 0)) / (LOOK_UPS[1] - LOOK_UPS[0]) for name in many}
    return sum(each.values()), sum(count for name, count in each.items() if not is_component(name))


def is_component(name: str) -> bool:
    return name == "???" or name.endswith((".cwasm", ".wasm")) or "/cache/" in name


def by_object(profile: str) -> dict[str, int]:
    """Callgrind's own costs of each function, by the file that its code is in."""
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    current, is_call = "", False
    for line in profile.splitlines():
        if found := re.match(r"ob=\((\d+)\)(?: (.*))?$", line):
            number, name = found.groups()
            current = names.setdefault(number, name)
        elif found := re.match(r"c?ob=\((\d+)\) (.*)$", line):
            names.setdefault(*found.groups())
        elif line.startswith("calls="):
            is_call = True
        elif found := re.match(r"(?:[+-]?\d+|\*) (\d+)$", line):
            if not is_call:
                counts[current] = counts.get(current, 0) + int(found[1])
            is_call = False
    return counts
