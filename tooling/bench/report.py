"""The results as aligned text, Markdown and envelopes."""

import os
import time
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import TextIO

from . import envelope, schema
from .conditions import commit, mark
from .engines import REFERENCE, ROOT, SUBJECT, Engine, output_of, version
from .figures import Verdict
from .session import Result, Series
from .spread import Spread
from .whole_process import title, whole_processes

NOTHING = "–"
MEANING = "times are medians; other figures medians of neighbouring runs, with the range of their middle half"
COLOURS = {"pass, aim": "32", "pass": "32", "MISS": "31"}


@dataclass
class Part:
    """What one suite measured."""

    name: str
    results: list[Result]
    verdicts: list[Verdict]
    samples: list[dict] = field(default_factory=list)
    """Of a suite of loops: rows of its envelope."""
    workloads: dict[str, dict] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    """What our own engines could not do."""
    engines: dict[str, dict] = field(default_factory=dict)

    @cached_property
    def rows(self) -> list[dict]:
        """Of its envelope."""
        return self.samples + [row for result in self.results for row in result_rows(self.name, result)]


@dataclass
class Report:
    """All that a record of a benchmark holds."""

    engines: list[Engine]
    repeats: int
    objections: list[str]
    profile: str

    def __post_init__(self) -> None:
        self.date = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self.started = time.monotonic()
        self.commit = commit()
        self.host = envelope.host()
        self.versions = {each.name: version(each) for each in self.engines}
        self.parts: list[Part] = []

    def add(self, part: Part) -> None:
        self.parts.append(part)

    def save(self, part: Part, directory: Path) -> None:
        """The envelope of a suite. The run measures its suites in turns, so that its time is that of all until now."""
        about = whole_processes(part.name, part.results)
        for workload, more in part.workloads.items():
            about[workload] = about.get(workload, {}) | more
        found = {
            "schema_version": schema.VERSION, "suite": part.name, "profile": self.profile, "run_started_at": self.date,
            "run_duration_s": round(time.monotonic() - self.started, 1), "host": self.host,
            "commit": envelope.commit(self.commit, branch()), "objections": mark(self.objections),
            "engines": part.engines or {name: engine_about(name, text) for name, text in self.versions.items()},
            "workloads": about, "samples": part.rows, "figures": [verdict_record(each) for each in part.verdicts],
        }  # fmt: skip
        envelope.save(directory / f"{part.name}.json", found)

    def samples_table(self, part: Part) -> list[list[str]]:
        """A row for each workload, with the time of an operation and its ratio to the reference."""
        names = list(dict.fromkeys(row["engine"] for row in part.samples))
        found: dict[str, dict[str, dict]] = {}
        for row in part.samples:
            found.setdefault(row["workload"], {})[row["engine"]] = row
        head = [part.name, "rows", *(f"{name} µs" for name in names), *(f"{name}/{REFERENCE}" for name in names if name != REFERENCE)]
        return [head] + [
            [
                workload.partition("/")[2],
                f"{next(iter(rows.values()))['n']:,}",
                *(microseconds(rows.get(name)) for name in names),
                *(ratio(rows.get(name)) for name in names if name != REFERENCE),
            ]
            for workload, rows in found.items()
        ]

    def results_table(self, results: list[Result]) -> list[list[str]]:
        """Medians of all engines, then each of ours by each native one."""
        names = [each.name for each in self.engines]
        natives = [each.name for each in self.engines if each.native]
        pairs = [
            (each.name, by) for each in self.engines if not each.native for by in reversed(natives) if by == REFERENCE or not each.peer
        ]
        if not pairs and len(natives) == 2:
            pairs = [("sqlite3", REFERENCE)]
        head = ["workload", "rows", *(f"{name} ms" for name in names), *(f"{a}/{b}" for a, b in pairs)]
        return [head] + [
            [
                result.workload.name,
                result.amount(),
                # A peer may have no form of this workload.
                *(milliseconds(result.series.get(name, Series())) for name in names),
                *(spread(result.ratios(*pair)) for pair in pairs),
            ]
            for result in results
        ]

    def figures_table(self, part: Part) -> list[list[str]]:
        head = [f"figures of `{part.name}`", "unit", "measured", "must", "aim", "mark"]
        return [head] + [
            [
                each.figure.title,
                each.figure.unit,
                each.figure.text(each.spread),
                each.figure.text(each.figure.must),
                each.figure.text(each.figure.aim),
                each.mark(),
            ]
            for each in part.verdicts
        ]

    def notes(self) -> list[str]:
        """Where and with what it was measured, and what could not be."""
        engines = [f"{name}: {text}" for name, text in self.versions.items()]
        skipped = [
            f"n/a: {result.workload.name} {result.amount()}, {name}: {series.unavailable}"
            for part in self.parts
            for result in part.results
            for name, series in result.series.items()
            if series.unavailable
        ]
        machine = f"{self.host['cpu']}, {self.host['cpus']} cores, {self.host['os_kind']} {self.host['os_release']}"
        record = f"commit {self.commit}, {self.date}, {self.repeats} repeats"
        skipped += reasons([row for part in self.parts for row in part.samples if row["skipped"]])
        return [*mark(self.objections), machine, *engines, record, MEANING, *skipped]

    def write_text(self, out: TextIO) -> None:
        coloured = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        print(*self.notes(), sep="\n", file=out)
        for part in self.parts:
            if part.results:
                print("", *aligned(self.results_table(part.results), text_columns=2), sep="\n", file=out)
            if part.samples:
                print("", *aligned(self.samples_table(part), text_columns=1), sep="\n", file=out)
            if part.verdicts:
                lines = aligned(self.figures_table(part), text_columns=2)
                marks = ["", *(each.mark() for each in part.verdicts)]
                painted = [paint(line, mark) if coloured else line for line, mark in zip(lines, marks)]
                print("", *painted, sep="\n", file=out)

    def write_markdown(self, out: TextIO) -> None:
        print(*(f"- {note}" for note in self.notes()), sep="\n", file=out)
        for part in self.parts:
            if part.results:
                print("", *markdown(self.results_table(part.results), 2), sep="\n", file=out)
            if part.samples:
                print("", *markdown(self.samples_table(part), 1), sep="\n", file=out)
            if part.verdicts:
                print("", *markdown(self.figures_table(part), 2), sep="\n", file=out)


def reasons(rows: list[dict]) -> list[str]:
    """Why rows have no results: once for each engine and reason."""
    found: dict[tuple, list[str]] = {}
    for row in rows:
        found.setdefault((row["engine"], row["skipped"]), []).append(row["workload"])
    return [
        f"n/a: {engine}, {names[0] if len(names) == 1 else f'{len(names)} rows'}: {reason}" for (engine, reason), names in found.items()
    ]


def microseconds(row: dict | None) -> str:
    if row is None or row["skipped"]:
        return NOTHING if row is None else "> cap" if row["skipped"].startswith("> cap") else "n/a"
    return f"{row['median_ns'] / 1e3:,.2f}"


def ratio(row: dict | None) -> str:
    if row is None or not row["ratio_to_ref"]:
        return NOTHING
    value, low, high = row["ratio_to_ref"]
    return f"{value:.2f} ({low:.2f}–{high:.2f})"


def result_rows(suite: str, result: Result) -> list[dict]:
    """Rows of an envelope, of whole processes."""
    reference = result.series.get(REFERENCE, Series()).runs
    return [
        series_row(title(suite, result.workload), engine, result.rows or 0, series, reference) for engine, series in result.series.items()
    ]


def series_row(title: str, engine: str, n: int, series: Series, reference: list) -> dict:
    if not series.runs:
        return envelope.skipped(title, engine, n, series.unavailable)
    nanoseconds = [run.wall_ms * 1e6 for run in series.runs]
    more = {"program_bytes": series.program_bytes, "faults": median(run.faults for run in series.runs)} if series.program_bytes else {}
    if series.instructions:
        more["instructions"] = median(series.instructions)
    return envelope.sample(title, engine, n, nanoseconds, [run.wall_ms * 1e6 for run in reference],
                           check=series.runs[0].digest, peak_bytes=series.peak_bytes(), **more)  # fmt: skip


def engine_about(name: str, text: str) -> dict:
    words = text.split()
    sqlite = words[1] if len(words) > 1 else None
    return {"version": text, "sqlite": sqlite, "via": "the shell in the sandbox" if name in (SUBJECT, "wasm") else "the shell"}


def branch() -> str:
    return output_of(["git", "-C", str(ROOT), "branch", "--show-current"])


def verdict_record(each: Verdict) -> dict:
    return {**asdict(each.figure), **asdict(each.spread), "mark": each.mark()}


def milliseconds(series: Series) -> str:
    value = series.median_ms()
    if value is None:
        return "n/a"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def spread(values: list[float]) -> str:
    return Spread.of(values).text() if values else NOTHING


def aligned(table: list[list[str]], text_columns: int) -> list[str]:
    """Lines of a table, text to the left and figures to the right."""
    widths = [max(map(len, column)) for column in zip(*table)]
    return [
        "  ".join(
            cell.ljust(width) if index < text_columns else cell.rjust(width) for index, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in table
    ]


def markdown(table: list[list[str]], text_columns: int) -> list[str]:
    rule = ["---" if index < text_columns else "---:" for index in range(len(table[0]))]
    return ["| " + " | ".join(row) + " |" for row in (table[0], rule, *table[1:])]


def paint(line: str, mark: str) -> str:
    if mark not in COLOURS:
        return line
    return f"{line[: -len(mark)]}\x1b[{COLOURS[mark]}m{mark}\x1b[0m"
