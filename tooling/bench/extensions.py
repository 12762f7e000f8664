"""Extensions: what a call, a row, a request for SQL and a load cost."""

import argparse
import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from . import embedded
from .command import positive
from .conditions import commit, mark, objections
from .engines import ENGINES, REFERENCE, ROOT, complaint_about_missing, engine

FAILED = 1
USAGE = 2

GUESTS = "target/release/guests"
EXTENSIONS = "dist/extensions"

BLOCK_BYTES = 136
"""What SHA3-256 takes at once (FIPS 202, its rate)."""
MORE_BLOCKS = 8

SCANS = 10
"""Scans of one statement: the timer counts milliseconds, and a scan has few."""
SERIES = f"SELECT sum(value) FROM (VALUES {', '.join(['(1)'] * SCANS)}) CROSS JOIN generate_series(1, {{rows}});"

TURNS = 4
"""For each repeat."""

FIRST_ROW = "SELECT count(*) FROM generate_series(1, 1);"

SETUP = """
CREATE TABLE t(name TEXT, long TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {rows})
INSERT INTO t SELECT printf('customer %020d', i), printf('%0{long}d', i) FROM n;
"""

# Each is timed; the names are those that the figures below use.
BEFORE_LOADING = {
    "length": "SELECT sum(length(name)) FROM t;",
    "random": "SELECT count(random()) FROM t;",
    "comparison": "SELECT sum(name < 'd') FROM t;",
    "builtin-window": "SELECT max(w) FROM (SELECT count(*) OVER (ORDER BY rowid) AS w FROM t);",
    "builtin-scalar": "SELECT sum(length(sha3(name, 256))) FROM t;",
    "builtin-table": SERIES,
    "builtin-aggregate": "SELECT median(rowid) FROM t;",
    "builtin-sql-nothing": "SELECT count(sha3_query('', 256)) FROM t;",
    "builtin-sql": "SELECT count(sha3_query('SELECT 1', 256)) FROM t;",
}
AFTER_LOADING = {
    "ext-scalar": "SELECT sum(length(sha3_256(name))) FROM t;",
    "ext-scalar-long": "SELECT sum(length(sha3_256(long))) FROM t;",
    "ext-table": SERIES,
    "ext-aggregate": "SELECT median(rowid) FROM t;",
    # A frame that grows with each row: none can be collected.
    "ext-window": "SELECT max(w) FROM (SELECT conf_count() OVER (ORDER BY rowid) AS w FROM t);",
    "echo": "SELECT sum(length(conf_echo(name))) FROM t;",
    "crossing-scalar": "SELECT count(conf_volatile()) FROM t;",
    "crossing-comparison": "SELECT sum(name < 'd' COLLATE conf_bytes) FROM t;",
    "ext-sql-nothing": "SELECT count(sha3_query('', 256)) FROM t;",
    "ext-sql": "SELECT count(sha3_query('SELECT 1', 256)) FROM t;",
}
# In a program that has the extensions inside.
EMBEDDED = {
    "length": BEFORE_LOADING["length"],
    "embedded-scalar": AFTER_LOADING["ext-scalar"],
    "embedded-scalar-long": AFTER_LOADING["ext-scalar-long"],
}
LOADED = ("sha3", "sha3query", "series", "stats", "conformance")

BY_ROW = "series_by_row"
"""The extension series, built to give one row at a time; it replaces the other."""
AFTER_BY_ROW = {"ext-table-by-row": SERIES}

NATIVE = {
    "shathree": {"native-scalar": "SELECT sum(length(sha3(name, 256))) FROM t;"},
    "series": {"native-table": SERIES},
    "percentile": {"native-aggregate": "SELECT median(rowid) FROM t;"},
}
"""C extensions, from `tooling/native-reference`, and what the native shell does with each."""

REQUESTS_OF_A_STATEMENT = 3
"""`sha3_query` of one statement requests to prepare, to step, and to close it."""

TIMER = re.compile(r"^Run Time: real ([0-9.]+)")


@dataclass(frozen=True)
class Figure:
    title: str
    value: float
    unit: str
    must: float | None = None
    aim: float | None = None
    larger_is_better: bool = False

    def mark(self) -> str:
        if self.must is None:
            return ""
        reached = [self.value >= limit if self.larger_is_better else self.value <= limit for limit in (self.aim, self.must)]
        return "pass, aim" if reached[0] else "pass" if reached[1] else "MISS"


def main() -> int:
    options = parser().parse_args()
    ours = next(each for each in ENGINES if each.name == "cwasm")
    complaint = complaint_about_missing([ours, engine(REFERENCE)])
    if not (ROOT / GUESTS / "conformance.wasm").is_file():
        complaint = complaint or f"missing `{GUESTS}/conformance.wasm`: run `make guests`"
    if complaint:
        print(f"error: {complaint}", file=sys.stderr)
        return USAGE
    marks = mark(objections())
    command = [*ours.argv(), "--extension-dir", str(ROOT / GUESTS), "--extension-dir", str(ROOT / EXTENSIONS)]
    times = repeated(lambda: timed(command, script(options.rows), names()), options.repeats)
    native = repeated(lambda: timed(engine(REFERENCE).argv(), native_script(options.rows), native_names()), options.repeats)
    found = figures(times | native, options.rows, load_ms(command, options.repeats))
    found += embedded_figures(command, options)
    publish(found, marks, options)
    return FAILED if options.check and any(each.mark() == "MISS" for each in found) else 0


def figures(seconds: dict[str, float], rows: int, load: float) -> list[Figure]:
    def row_us(name: str) -> float:
        return seconds[name] / rows * 1e6

    hash_us = (row_us("ext-scalar-long") - row_us("ext-scalar")) / MORE_BLOCKS
    crossing = row_us("ext-scalar") - row_us("length") - hash_us
    statement = row_us("ext-sql") - row_us("ext-sql-nothing")
    own = row_us("builtin-sql") - row_us("builtin-sql-nothing")
    request = (statement - own) / REQUESTS_OF_A_STATEMENT
    return [
        Figure("a scalar call, without the hash's own time", crossing, "µs", must=0.40, aim=0.25),
        Figure("a scalar call that gives back its text", row_us("echo") - row_us("length"), "µs"),
        Figure("the hash's own time (one block)", hash_us, "µs"),
        Figure("the shell's sha3() in all", row_us("builtin-scalar") - row_us("length"), "µs"),
        Figure("sha3() of a native C extension, in all", row_us("native-scalar") - row_us("native-length"), "µs"),
        Figure("sha3_256() in all, to that", (row_us("ext-scalar") - row_us("length")) /
               (row_us("native-scalar") - row_us("native-length")), "times"),
        Figure("series in batches, to one row at a time", seconds["ext-table-by-row"] / seconds["ext-table"], "times",
               must=7, aim=12, larger_is_better=True),  # fmt: skip
        Figure("series, to a native C extension", seconds["ext-table"] / seconds["native-table"], "times"),
        Figure("a row of series, over the shell's own", (row_us("ext-table") - row_us("builtin-table")) / SCANS, "µs", must=0.05, aim=0.03),
        Figure("a row of median(), over the shell's own", row_us("ext-aggregate") - row_us("builtin-aggregate"), "µs"),
        Figure("median(), to a native C extension", seconds["ext-aggregate"] / seconds["native-aggregate"], "times"),
        Figure("a row of a window, which is not collected", row_us("ext-window") - row_us("builtin-window"), "µs"),
        Figure("crossing: a scalar call without arguments", 1e3 * (row_us("crossing-scalar") - row_us("random")), "ns"),
        Figure("crossing: a comparison", 1e3 * (row_us("crossing-comparison") - row_us("comparison")), "ns"),
        Figure("crossing: a row fetched alone", 1e3 / SCANS * (row_us("ext-table-by-row") - row_us("ext-table")), "ns"),
        Figure("crossing: a step, and the value so far", 1e3 * (row_us("ext-window") - row_us("builtin-window")) / 2, "ns"),
        Figure("crossing: a question for SQL, and its answer", 1e3 * request / 2, "ns"),
        Figure("two questions for SQL, without SQLite's time", 2 * request, "µs", must=3, aim=2),
        Figure("to load a cached extension", load, "ms", must=3, aim=1),
    ]  # fmt: skip


def embedded_figures(plain: list[str], options: argparse.Namespace) -> list[Figure]:
    with embedded.Programs() as programs:
        command = programs.compiled(embedded.MEASURED)
        run = lambda: timed(command, embedded_script(options.rows), list(EMBEDDED))  # noqa: E731
        seconds = repeated(run, options.repeats)
        forms = (plain, [*plain, "--load", "series"], programs.compiled(("series",)))
        own, loaded, inside = series_s(forms, options)
        compose = embedded.compose_s(programs, options.repeats)
        start = embedded.start_ratio(programs, options.repeats)
    row_us = {name: value / options.rows * 1e6 for name, value in seconds.items()}
    hash_us = (row_us["embedded-scalar-long"] - row_us["embedded-scalar"]) / MORE_BLOCKS
    crossing = row_us["embedded-scalar"] - row_us["length"] - hash_us
    return [
        Figure("an embedded scalar call, without the hash's own time", crossing, "µs", must=0.15, aim=0.08),
        Figure("series at run time by embedded", loaded / inside, "times", must=1.5, aim=3, larger_is_better=True),
        Figure("the same, over the shell's own series", (loaded - own) / (inside - own), "times"),
        Figure("to compose one extension", compose, "s", must=1, aim=0.2),
        Figure("start with eleven embedded by the plain one", start, "times", must=1.5, aim=1.2),
    ]  # fmt: skip


def series_s(commands: tuple[list[str], ...], options: argparse.Namespace) -> list[float]:
    """Seconds that a scan takes with each command: in turns, so that what slows
    the machine slows all."""
    script = f"{FIRST_ROW}\n.timer on\n{SERIES.format(rows=options.rows)}\n"
    runs = [[timed(command, script, ["scan"])["scan"] for command in commands] for _ in range(TURNS * options.repeats)]
    return [median(times) / SCANS for times in zip(*runs)]


def names() -> list[str]:
    return [*BEFORE_LOADING, *AFTER_LOADING, *AFTER_BY_ROW]


def native_names() -> list[str]:
    return ["native-length", *(name for statements in NATIVE.values() for name in statements)]


def lines(statements: dict[str, str], rows: int) -> str:
    return "\n".join(statements.values()).format(rows=rows)


def script(rows: int) -> str:
    loads = "\n".join(f".load {name}" for name in LOADED)
    # A first call, so that no start of an instance is timed.
    first = f"SELECT length(sha3_256('')), length(sha3_query('')), median(1), conf_volatile();\n{FIRST_ROW}"
    return "\n".join((
        setup(rows), ".timer on", lines(BEFORE_LOADING, rows), ".timer off",
        loads, first, ".timer on", lines(AFTER_LOADING, rows), ".timer off",
        f".load {BY_ROW}", FIRST_ROW, ".timer on", lines(AFTER_BY_ROW, rows), "",
    ))  # fmt: skip


def embedded_script(rows: int) -> str:
    first = "SELECT length(sha3_256('')) FROM generate_series(1, 1);"
    statements = "\n".join(EMBEDDED.values()).format(rows=rows)
    return f"{setup(rows)}{first}\n.timer on\n{statements}\n"


def native_script(rows: int) -> str:
    parts = [setup(rows), ".timer on", BEFORE_LOADING["length"], ".timer off"]
    for name, statements in NATIVE.items():
        library = engine(REFERENCE).argv()[0]
        parts += [f".load {Path(library).parent / name}", ".timer on", lines(statements, rows), ".timer off"]
    return "\n".join([*parts, ""])


def setup(rows: int) -> str:
    return SETUP.format(rows=rows, long=27 + MORE_BLOCKS * BLOCK_BYTES)


def timed(command: list[str], text: str, names: list[str]) -> dict[str, float]:
    """The real time of each statement, in seconds."""
    done = subprocess.run([*command, ":memory:"], input=text, capture_output=True, text=True, check=False)
    found = [float(match[1]) for line in done.stdout.splitlines() if (match := TIMER.match(line))]
    if done.stderr or len(found) != len(names):
        sys.exit(f"error: the script fails: {done.stderr.strip() or f'{len(found)} of {len(names)} statements were timed'}")
    return dict(zip(names, found))


def repeated(once, repeats: int) -> dict[str, float]:
    """Medians over several processes."""
    runs = [once() for _ in range(repeats)]
    return {name: median(run[name] for run in runs) for name in runs[0]}


def load_ms(command: list[str], repeats: int) -> float:
    """By how much a process that loads an extension takes longer, in milliseconds."""
    plain, loading = [], []
    for _ in range(5 * repeats):
        for times, arguments in ((plain, []), (loading, ["--load", "sha3"])):
            begun = time.perf_counter()
            subprocess.run([*command, *arguments, ":memory:", "SELECT 1"], check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - begun) * 1e3)
    return median(loading) - median(plain)


def publish(found: list[Figure], marks: list[str], options: argparse.Namespace) -> None:
    print(*marks, f"commit {commit()}", sep="\n")
    for each in found:
        limits = f"must {each.must:g}, aim {each.aim:g}" if each.must is not None else ""
        print(f"{each.title:<54}{each.value:>9.3f} {each.unit:<6}{limits:<22}{each.mark()}".rstrip())
    if options.json:
        record = {each.title: {"value": each.value, "unit": each.unit, "must": each.must, "aim": each.aim} for each in found}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"objections": marks, "rows": options.rows, "figures": record}, file, indent=2, ensure_ascii=False)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="bench-extensions.py", description=__doc__.splitlines()[0])
    add = made.add_argument
    add("--rows", type=positive, default=100_000, metavar="N", help="rows (100000)")
    add("--repeats", type=positive, default=5, metavar="N", help="processes, of which medians are taken (5)")
    add("--json", metavar="FILE", help="also write the figures there")
    add("--check", action="store_true", help="exit with 1 if a limit is missed")
    return made
