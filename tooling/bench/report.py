"""The results as aligned text, Markdown and JSON."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import TextIO

from .conditions import commit, mark
from .engines import REFERENCE, Engine, version
from .figures import Verdict
from .session import Result, Series
from .spread import Spread

NOTHING = "–"
MEANING = "times are medians; other figures medians of neighbouring runs, with the range of their middle half"
COLOURS = {"pass, aim": "32", "pass": "32", "MISS": "31"}


@dataclass
class Part:
    """What one suite measured."""

    name: str
    results: list[Result]
    verdicts: list[Verdict]


@dataclass
class Report:
    """All that a record of a benchmark holds."""

    engines: list[Engine]
    repeats: int
    objections: list[str]

    def __post_init__(self) -> None:
        self.date = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self.commit = commit()
        self.host = host()
        self.versions = {each.name: version(each) for each in self.engines}
        self.parts: list[Part] = []

    def results_table(self, results: list[Result]) -> list[list[str]]:
        """Medians of all engines, then each of ours by each native one."""
        names = [each.name for each in self.engines]
        natives = [each.name for each in self.engines if each.native]
        pairs = [(each.name, by) for each in self.engines if not each.native for by in reversed(natives)]
        if not pairs and len(natives) == 2:
            pairs = [("sqlite3", REFERENCE)]
        head = ["workload", "rows", *(f"{name} ms" for name in names), *(f"{a}/{b}" for a, b in pairs)]
        return [head] + [
            [
                result.workload.name,
                result.amount(),
                *(milliseconds(result.series[name]) for name in names),
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
        machine = f"{self.host['cpu']}, {self.host['cores']} cores, {self.host['kernel']}"
        record = f"commit {self.commit}, {self.date}, {self.repeats} repeats"
        return [*mark(self.objections), machine, *engines, record, MEANING, *skipped]

    def write_text(self, out: TextIO) -> None:
        coloured = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        print(*self.notes(), sep="\n", file=out)
        for part in self.parts:
            if part.results:
                print("", *aligned(self.results_table(part.results), text_columns=2), sep="\n", file=out)
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
            if part.verdicts:
                print("", *markdown(self.figures_table(part), 2), sep="\n", file=out)

    def write_json(self, out: TextIO) -> None:
        record = {
            "date": self.date,
            "commit": self.commit,
            "objections": mark(self.objections),
            "host": self.host,
            "engines": self.versions,
            "repeats": self.repeats,
            "suites": {
                part.name: {
                    "results": [result_record(result) for result in part.results],
                    "figures": [verdict_record(each) for each in part.verdicts],
                }
                for part in self.parts
            },
        }
        json.dump(record, out, indent=1, ensure_ascii=False)
        out.write("\n")


def result_record(result: Result) -> dict:
    return {
        "workload": result.workload.name,
        "rows": result.rows,
        "engines": {name: series_record(series) for name, series in result.series.items()},
    }


def series_record(series: Series) -> dict:
    if not series.runs:
        return {"unavailable": series.unavailable}
    return {
        "median_ms": round(series.median_ms(), 3),
        "peak_bytes": int(series.peak_bytes()),
        "wall_ms": [round(run.wall_ms, 3) for run in series.runs],
        "cpu_ms": [round(run.cpu_ms, 3) for run in series.runs],
        "peaks_bytes": [run.peak_bytes for run in series.runs],
        "faults": [run.faults for run in series.runs],
    }


def verdict_record(each: Verdict) -> dict:
    return {**asdict(each.figure), **asdict(each.spread), "mark": each.mark()}


def host() -> dict:
    """What the figures depend on; nothing that identifies the owner of the machine."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
    }


def cpu_model() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown CPU"


def milliseconds(series: Series) -> str:
    if not series.runs:
        return "n/a"
    value = series.median_ms()
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def spread(values: list[float]) -> str:
    return Spread.of(values).text() if values else NOTHING


def aligned(table: list[list[str]], text_columns: int) -> list[str]:
    """Lines of a table, text to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*table)]
    return [
        "  ".join(
            cell.ljust(width) if index < text_columns else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths))
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
