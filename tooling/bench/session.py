"""Running workloads: prepare, check that all engines agree, then time them."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from statistics import median

from .engines import REFERENCE, Engine, engine
from .placements import Placements
from .spread import ratios
from .workloads import START, Script, Workload
from .workplace import Workplace, first_line, flush

CONTENT = """
SELECT 'page size ' || page_size FROM pragma_page_size;
SELECT 'journal mode ' || journal_mode FROM pragma_journal_mode;
SELECT 'integrity check: ' || integrity_check FROM pragma_integrity_check;
SELECT 'table ' || name FROM sqlite_schema;
"""
"""The queries in `ref` on the database that an engine has left behind, before its hash."""

HASH = ".sha3sum --schema\n"

FULL_TEXT = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5(%';"
REBUILD = "INSERT INTO {0}({0}, rank) VALUES ('hashsize', 2147483647); INSERT INTO {0}({0}) VALUES ('rebuild');\n"
"""FTS5 writes a segment when its structures in memory reach a size, which depends on the width of pointers. The
integrity check has compared each index with its rows before, so the form of the index need not be equal."""

PEER_REPEATS = 5
"""Timed runs of an engine that is not ours, most of which take a second to start."""


class Disagreement(Exception):
    """An engine failed, or answered other than the first one."""


@dataclass(frozen=True)
class Run:
    """What one process took, and its output."""

    wall_ms: float
    cpu_ms: float
    peak_bytes: int
    faults: int
    """Pages that the first process touched for the first time."""
    digest: str


@dataclass
class Series:
    """The timed runs of one engine, or the reason why there are none."""

    runs: list[Run] = field(default_factory=list)
    unavailable: str = ""
    program_bytes: int | None = None
    """Of what was started, where starting is what the workload measures."""
    instructions: list[int] = field(default_factory=list)
    """Of further runs, where they were counted."""

    def median_ms(self) -> float | None:
        return median(run.wall_ms for run in self.runs) if self.runs else None

    def peak_bytes(self) -> float | None:
        return median(run.peak_bytes for run in self.runs) if self.runs else None


@dataclass
class Result:
    """One workload at one size, by all engines."""

    workload: Workload
    rows: int | None
    """`None` if the amount of work is fixed."""
    series: dict[str, Series]
    scripts: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each that is run: `setup`, `script`, `writer`, `native`."""

    def amount(self) -> str:
        return self.workload.fixed_amount if self.rows is None else f"{self.rows:,}"

    def title(self) -> str:
        return f"{self.workload.name}, {self.amount()}"

    def ratios(self, name: str, against: str) -> list[float]:
        """The time of one engine by that of another, for each pair of neighbouring runs."""
        ours, theirs = (self.series.get(each, Series()).runs for each in (name, against))
        # A peer has the first runs only.
        return ratios([run.wall_ms for run in ours], [run.wall_ms for run in theirs[: len(ours)]]) if ours and theirs else []


@dataclass
class Checked:
    """A workload on which all engines agree, ready to be timed."""

    result: Result
    scripts: Path
    """The directory of its scripts."""
    template: Path | None
    digest: str = ""
    """Of the output."""


class Session(Workplace):
    """Engines that run scripts, and the databases prepared so far."""

    def __init__(self, engines: list[Engine], repeats: int, progress: Callable[[str], None]):
        self.engines = engines
        self.repeats = repeats
        self.progress = progress
        self.templates: dict[tuple[Script, int], Path] = {}
        self.setups: dict[tuple[Script, int], str] = {}
        """The SHA-256 of the script that made each template."""
        self.prepared: list[Checked] = []

    def __enter__(self) -> "Session":
        super().__enter__()
        self.placements = Placements(self.directory)
        return self

    def measure(self, work: Iterable[tuple[Workload, int | None]]) -> list[Result]:
        """Check each workload with all engines, then time them."""
        self.prepare(work)
        self.rounds(range(self.repeats))
        return self.results()

    def prepare(self, work: Iterable[tuple[Workload, int | None]]) -> None:
        """Check each workload with all engines."""
        self.prepared = [self.checked(workload, rows) for workload, rows in work]

    def rounds(self, numbers: Iterable[int]) -> None:
        """Time some of the repeats.

        A round goes over all workloads, so that each meets all the speeds that the machine takes on meanwhile.
        """
        for number in numbers:
            for each in self.prepared:
                self.progress(f"{each.result.title()}: run {number + 1} of {self.repeats}")
                self.time(each, number)

    def results(self) -> list[Result]:
        return [each.result for each in self.prepared]

    def checked(self, workload: Workload, rows: int | None) -> Checked:
        result = Result(workload, rows, {each.name: Series() for each in self.engines})
        self.progress(f"{result.title()}: prepare")
        scripts = Path(tempfile.mkdtemp(dir=self.directory))
        for name, script in (("script", workload.script), ("writer", workload.writer), ("native", workload.native_script)):
            if script:
                result.scripts[name] = write_script(script, rows or 0, scripts / f"{name}.sql")
        found = Checked(result, scripts, self.template(workload.setup, rows or 0))
        if workload.setup:
            result.scripts["setup"] = self.setups[workload.setup, rows or 0]
        self.progress(f"{result.title()}: check")
        found.digest = self.check(found)
        for each in self.able(found) if workload.script is START.script else ():
            result.series[each.name].program_bytes = self.placements.program_bytes(each, workload)
        return found

    def able(self, checked: Checked) -> list[Engine]:
        return [each for each in self.engines if not checked.result.series[each.name].unavailable]

    def time(self, checked: Checked, number: int) -> None:
        """One round of a workload: each engine in turn."""
        runs = checked.result.workload.runs_per_repeat
        for turn in range(number * runs, (number + 1) * runs):
            # To and fro: those that are listed next to each other always run so, each as often first.
            for each in self.able(checked)[:: -1 if turn % 2 else 1]:
                if each.peer and turn >= PEER_REPEATS * runs:
                    continue
                run = self.run(checked, each)
                if run.digest != checked.digest:
                    raise Disagreement(f"{checked.result.title()}: the output of `{each.name}` has changed since the check")
                checked.result.series[each.name].runs.append(run)

    def check(self, checked: Checked) -> str:
        """Run each engine once and compare output and database; the digest of the output."""
        first: tuple[str, str, str, list[str]] | None = None
        result, workload, wanted = checked.result, checked.result.workload, checked.result.workload.must_answer
        for each in sorted(self.engines, key=Engine.may_fail):
            if lack := self.placements.lack(each, workload):
                result.series[each.name].unavailable = lack
                continue
            try:
                digest = self.run(checked, each, tolerant=bool(wanted)).digest
            except Disagreement as problem:
                if not each.may_fail():
                    raise
                result.series[each.name].unavailable = str(problem)
                continue
            if wanted and (answer := first_line(self.work / "out")) != wanted:
                error = first_line(self.work / "err")
                result.series[each.name].unavailable = f"wants `{wanted}`, answers `{error or answer}`"
                continue
            # How far a writer came is nobody's business.
            content = [] if workload.writer or workload.keeps_database else self.content()
            seen = (each.name, digest, read_text(self.work / "out"), content)
            if first and seen[1:] != first[1:]:
                if not each.may_fail():
                    raise Disagreement(f"{result.title()}: {difference(first, seen)}")
                result.series[each.name].unavailable = f"gate: {difference(first, seen)}"
            first = first or seen
        return first[1] if first else ""

    def content(self) -> list[str]:
        """What the database of the last run holds, and the files next to it."""
        files = sorted(f"file {path.name}" for path in self.work.iterdir() if path.name not in ("out", "err"))
        rebuilt = "".join(REBUILD.format(name) for name in self.query(FULL_TEXT).stdout.split())
        done = self.query(CONTENT + rebuilt + HASH)
        *lines, tables = done.stdout.splitlines() or [""]
        return [*files, *lines, f"hash of all tables {tables}", *done.stderr.splitlines()]

    def query(self, script: str) -> subprocess.CompletedProcess:
        return subprocess.run([*engine(REFERENCE).argv(), "data.db"], input=script, capture_output=True, text=True,
                              cwd=self.work, check=False)  # fmt: skip

    def run(self, checked: Checked, each: Engine, tolerant: bool = False) -> Run:
        """Run an engine on a fresh database; `tolerant` leaves errors to the caller."""
        workload, scripts = checked.result.workload, checked.scripts
        database = self.fresh_database(checked.template, workload.keeps_database)
        output, errors = self.work / "out", self.work / "err"
        writer = scripts / "writer.sql" if workload.writer else ""
        script = scripts / ("native.sql" if workload.native_script and each.name == REFERENCE else "script.sql")
        command = [*self.placements.command(each, workload), str(database)]
        found = self.launch(script, output, errors, command, workload.readers, writer)
        if not tolerant and (found.status or errors.stat().st_size):
            title = checked.result.title()
            raise Disagreement(f"{title}: `{each.name}` fails (exit code {found.exit_code()}): {first_line(errors)}")
        return Run(found.wall_ns / 1e6, found.cpu_ns / 1e6, found.peak_bytes, found.faults, digest_of(output))

    def fresh_database(self, template: Path | None, keeps: bool) -> Path:
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        database = self.work / "data.db"
        if template and keeps:
            os.link(template, database)
        elif template:
            shutil.copyfile(template, database)
            # Else the engine's first commit would have to write the copy too.
            flush(database)
        flush(self.work)
        return database

    def template(self, setup: Script | None, rows: int) -> Path | None:
        if not setup:
            return None
        if (setup, rows) not in self.templates:
            script = self.directory / "setup.sql"
            template = self.directory / f"template-{len(self.templates)}.db"
            self.setups[setup, rows] = write_script(setup, rows, script)
            with script.open() as stdin:
                command = [*engine(REFERENCE).argv(), "-bail", str(template)]
                subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, check=True)
            self.templates[setup, rows] = template
        return self.templates[setup, rows]


def write_script(script: Script, rows: int, path: Path) -> str:
    """Write it; its SHA-256."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in script(rows))
    flush(path)
    return digest_of(path)


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def difference(first: tuple, second: tuple) -> str:
    """The first line in which two engines differ, in output or else in content."""
    (one, _, *parts), (other, _, *other_parts) = first, second
    texts = {"output": (parts[0].splitlines(), other_parts[0].splitlines()), "database": (parts[1], other_parts[1])}
    for what, lines in texts.items():
        for number, (a, b) in enumerate(zip_longest(*lines, fillvalue="(end)"), start=1):
            if a != b:
                return f"results differ in line {number} of the {what}: `{one}` has `{a}`, `{other}` has `{b}`"
    return f"the outputs of `{one}` and `{other}` differ in bytes that are no text"
