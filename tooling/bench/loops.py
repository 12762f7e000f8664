"""Suites of loops: make the tapes, check that all players answer the same, then time them in turn."""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from . import tape
from .catalogue.loop import FULL, SETTINGS, SMALL, SMOKE, SQLITE, WITH_PRAGMAS, Loop, Size
from .engines import REFERENCE, ROOT
from .envelope import sample, skipped
from .generator import Generator
from .players import CRATE, Player
from .spread import ratios
from .workplace import Workplace, first_line, flush, without_root

PEER_SECONDS = {SMOKE: 10, SMALL: 10, FULL: 20}
"""A process of a peer that takes longer is ended and shown as `> cap`."""
SETUP_FACTOR = 3
"""Its set-up may take this many times as long, as it runs once."""
PEER_ROW_SECONDS = {SMOKE: 5, SMALL: 5, FULL: 20}
"""A peer that has used as many for one row gets no further run; `samples` counts those that it had."""
PEER_SUITE_SECONDS = {SMOKE: 60, SMALL: 1000, FULL: 360}
"""What all peers together may use in one suite: all suites take 40 minutes as `small`, those of loops an hour as `full`."""

DEARER_REPEATS = 10
"""At most this many rounds of a workload that is `dearer`."""

LEAST_AGREEMENT = 0.8
"""Of peers, whose recall their rows show: enough that they did the same work."""

TOLD_SETTINGS = ("journal_mode", "synchronous")

PERCENTILES = ("p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns", "clock_ns")


class Failed(Exception):
    """A player could not play."""


@dataclass
class Played:
    """One workload at one size."""

    title: str
    loop: Loop
    size: Size
    work: tape.Work
    directory: Path
    """Of its tapes and of the databases that they are played on."""
    tapes: dict[str, tuple[Path, Path, Path]] = field(default_factory=dict)
    """Set-up, timed and gate, by dialect."""
    digest: str = ""
    able: dict[str, dict] = field(default_factory=dict)
    """Who gave the right answers, by name, with the runs so far."""
    rows: list[dict] = field(default_factory=list)
    """The samples."""

    def template(self, each: Player) -> Path:
        """The database that a player starts from."""
        template = self.directory / each.name
        template.mkdir(exist_ok=True)
        return template / "data.db"


class Table(Workplace):
    """Players, tapes and databases."""

    def __init__(self, suite: str, profile: str, players: list[Player], repeats: int, progress: Callable[[str], None]):
        self.suite, self.profile, self.players, self.repeats, self.progress = suite, profile, players, repeats, progress
        self.workloads: dict[str, dict] = {}
        self.exact: dict[str, list] = {}
        self.failures: list[str] = []
        self.peer_seconds = 0.0
        self.in_use: dict[tuple[str, str], dict] = {}
        """What the pragmas of a settings profile came to, by player and profile."""
        self.prepared: list[Played] = []

    def prepare(self, loops: Iterable[Loop]) -> None:
        """Check all workloads that the profile has with all players."""
        self.prepared = [self.checked(loop) for loop in loops if loop.size(self.profile).rows]

    def rounds(self, numbers: Iterable[int]) -> None:
        """Time some of the repeats.

        A round goes over all workloads, so that each meets all the speeds that the machine takes on meanwhile.
        """
        for number in numbers:
            for each in self.prepared:
                if number < self.repeats_of(each):
                    self.progress(f"{each.title}: run {number + 1} of {self.repeats_of(each)}")
                    self.time(each, number)

    def samples(self) -> list[dict]:
        """Of all runs."""
        for each in self.prepared:
            self.summarize(each)
        return [row for each in self.prepared for row in each.rows]

    def checked(self, loop: Loop) -> Played:
        title = f"{self.suite}/{loop.id}"
        self.progress(f"{title}: tapes")
        played = self.recorded(title, loop, loop.size(self.profile))
        for each in self.players:
            if each.peer and each.name not in loop.peers:
                if each.name in loop.absent:
                    played.rows.append(skipped(title, each.name, played.size.rows, loop.absent[each.name]))
                continue
            self.progress(f"{title}: check {each.name}")
            if reason := self.spent(each) or each.missing(loop.extension) or self.gate(played, each):
                played.rows.append(skipped(title, each.name, played.size.rows, reason))
                if not each.peer and each.has(loop.extension) and each.name != CRATE:
                    self.failures.append(f"{title}, {each.name}: {reason}")
        return played

    def spent(self, each: Player) -> str:
        most = PEER_SUITE_SECONDS[self.profile]
        return f"> cap: all peers together have {most} s in a suite" if each.peer and self.peer_seconds > most else ""

    def recorded(self, title: str, loop: Loop, size: Size) -> Played:
        work = loop.make(size, Generator(loop.seed), SQLITE)
        played = Played(title, loop, size, work, Path(tempfile.mkdtemp(dir=self.directory)))
        digests = self.write_tapes(played, SQLITE, work)
        self.workloads[title] = {
            "about": loop.about, "rows": size.rows, "operations": size.operations, "seed": loop.seed, "way": "loop",
            "settings": loop.settings, "pragmas": SETTINGS[loop.settings], "schema": work.schema, "loads": work.loads,
            "statements": [tape.statement_header(each) for each in work.statements], "gate": work.gate, "block": work.block,
            "warmup": work.warmup, "closing_is_timed": work.close, "processes": loop.writers, "meeting": work.meeting, "ends_with": work.ends_with, "tapes_sha256": digests,
        }  # fmt: skip
        return played

    def write_tapes(self, played: Played, dialect: str, work: tape.Work) -> list[str]:
        setup, timed, gate = (played.directory / f"{what}-{dialect}.tape" for what in ("setup", "timed", "gate"))
        settings = settings_of(played.loop, dialect)
        played.tapes[dialect] = setup, timed, gate
        tape.write_questions(gate, work.gate, settings)
        return [tape.write_setup(setup, work, settings), *tape.write_timed(timed, work, settings)]

    def gate(self, played: Played, each: Player) -> str:
        """Set up and check; the reason why this engine has no results, or nothing."""
        if each.dialect not in played.tapes:
            work = played.loop.make(played.size, Generator(played.loop.seed), each.dialect)
            self.write_tapes(played, each.dialect, work)
        setup, timed, _ = played.tapes[each.dialect]
        try:
            made, _ = self.play(played, each, "setup", setup, played.template(each))
            answers, _ = self.play(played, each, "check", timed, self.fresh(played, each))
        except Failed as problem:
            return str(problem)
        if reason := self.judged(played, each, answers):
            return reason
        played.able[each.name]["more"] = {"setup_ns": made["setup_ns"]}
        if in_use := self.settings_in_use(played, each):
            self.workloads[played.title].setdefault("settings_in_use", {})[each.name] = in_use
        return ""

    def settings_in_use(self, played: Played, each: Player) -> dict:
        """The settings as the engine itself reports them, as it may have refused some; nothing if it reports none."""
        key = each.name, played.loop.settings
        if key not in self.in_use:
            questions = played.directory / "settings.tape"
            tape.write_questions(questions, [f"PRAGMA {name}" for name in TOLD_SETTINGS], settings_of(played.loop, each.dialect))
            try:
                told = self.play(played, each, "check", questions, self.fresh(played, each))[0]["gate"]
            except Failed:
                told = []
            # A field is a letter of its type and the value.
            self.in_use[key] = {name: line[1:] for name, line in zip(TOLD_SETTINGS, told)} if len(told) == len(TOLD_SETTINGS) else {}
        return self.in_use[key]

    def judged(self, played: Played, each: Player, answers: dict) -> str:
        loop = played.loop
        recall = None
        if loop.exact or each.approximate:
            recall = recall_of(answers["ids"], self.exact.get(loop.exact or loop.id, []))
            least = loop.least_recall if loop.exact and not each.peer else LEAST_AGREEMENT
            if self.profile != SMOKE and (recall is None or recall < least):
                return "gate: nothing exact to compare with" if recall is None else f"gate: recall {recall:.3f} is below {least}"
        elif not played.able:
            played.digest = answers["digest"]
            self.exact[loop.id] = answers["ids"]
        elif answers["digest"] != played.digest:
            first = next(iter(played.able.values()))["answers"]
            return f"gate: another answer: {difference(first, answers)}"
        played.able[each.name] = {"player": each, "answers": answers, "recall": recall, "runs": [], "seconds": 0.0}
        return ""

    def repeats_of(self, played: Played) -> int:
        return min(self.repeats, DEARER_REPEATS) if played.loop.dearer else self.repeats

    def time(self, played: Played, number: int) -> None:
        """One round of a workload: each player in turn."""
        # To and fro, so that neighbours stay neighbours and each is as often first.
        for name in list(played.able)[:: -1 if number % 2 else 1]:
            each = played.able[name]
            player, begun = each["player"], time.monotonic()
            if player.peer and each["runs"] and (each["seconds"] > PEER_ROW_SECONDS[self.profile] or self.spent(player)):
                continue
            try:
                each["runs"].append(self.run(played, player, each["answers"]))
                if not number:
                    each["more"] |= self.examined(played, player)
            except Failed as problem:
                played.rows.append(skipped(played.title, name, played.size.rows, str(problem)))
                played.able.pop(name)
                if not player.peer:
                    self.failures.append(f"{played.title}, {name}: fails")
            each["seconds"] += time.monotonic() - begun

    def run(self, played: Played, each: Player, answers: dict) -> dict:
        database = self.fresh(played, each)
        found, peak = self.play(played, each, "time", played.tapes[each.dialect][1], database)
        if found["rows"] != answers["rows"]:
            raise Failed(f"gate: {found['rows']} rows, {answers['rows']} when it was checked")
        self.check_end(played, each, database)
        found |= {"ns": found["total_ns"] / max(found["operations"], 1), "peak": peak}
        return found

    def check_end(self, played: Played, each: Player, database: Path) -> None:
        """Whether all that several processes have written is there."""
        if not played.work.ends_with:
            return
        found, _ = self.play(played, each, "check", played.tapes[each.dialect][2], database)
        if found["gate"] != played.work.ends_with:
            raise Failed(f"gate: {found['gate']} after all have written, not {played.work.ends_with}")

    def examined(self, played: Played, player: Player) -> dict:
        """What a sample has in addition to times, of the database that a run has left and of one more run."""
        more: dict[str, int | None] = {}
        if played.loop.storage and not player.in_memory:
            left = size_of(self.work / "data.db")
            more |= {"raw_bytes": played.work.raw_bytes, "db_bytes": left, "vacuumed_bytes": self.vacuumed(player)}
        if played.loop.syncs and not player.peer:
            more["syncs"] = self.syncs(played, player)
        return more

    def summarize(self, played: Played) -> None:
        """The samples of all runs."""
        reference = reference_runs(played)
        exact = next((reference_runs(each) for each in self.prepared if each.loop.id == played.loop.exact), [])
        for each in played.able.values():
            played.rows.append(self.row(played, each, reference) | to_exact(each["runs"], exact))

    def row(self, played: Played, each: dict, reference: list[float]) -> dict:
        runs, player = each["runs"], each["player"]
        nanoseconds = [run["ns"] for run in runs]
        total = median(nanoseconds) * runs[0]["operations"]
        more = {name: median(run[name] for run in runs) for name in PERCENTILES if name in runs[0]}
        more |= {"check": each["answers"]["digest"], "peak_bytes": median(run["peak"] for run in runs),
                 "rows_per_s": rows_of(played.work, runs[0]) * 1e9 / total, **each["more"]}  # fmt: skip
        if each["recall"] is not None:
            more["recall"] = each["recall"]
        return sample(played.title, player.name, played.size.rows, nanoseconds, reference, **more)

    def vacuumed(self, player: Player) -> int | None:
        """The bytes of the last database after VACUUM, if SQLite can read it."""
        if player.dialect != SQLITE:
            return None
        with_copy = [str(ROOT / "target/native-reference/sqlite3"), str(self.work / "data.db"), "VACUUM;"]
        done = subprocess.run(with_copy, capture_output=True, check=False)
        return size_of(self.work / "data.db") if done.returncode == 0 else None

    def syncs(self, played: Played, player: Player) -> int | None:
        """How many requests to flush a file the kernel gets in a run that is not timed."""
        if not shutil.which("strace"):
            return None
        log = self.directory / "strace"
        database = self.fresh(played, player)
        command = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-e", "signal=none", "-o", str(log)]
        with played.tapes[player.dialect][1].open("rb") as stdin:
            argv = [*command, *player.argv(self.work, played.loop.extension), "time", str(database)]
            done = subprocess.run(argv, stdin=stdin, capture_output=True, check=False, cwd=self.work)
        return sum(1 for line in log.open() if "sync(" in line) if done.returncode == 0 else None

    def play(self, played: Played, each: Player, mode: str, tape: Path, database: Path) -> tuple[dict, int]:
        """One process, or all writers; the answer and the peak of its memory."""
        output, errors = self.directory / "out", self.directory / "err"
        cap = PEER_SECONDS[self.profile] * (SETUP_FACTOR if mode == "setup" else 1)
        limit = ["/usr/bin/timeout", "-s", "KILL", str(cap)] if each.peer else []
        argv = [*limit, *each.argv(database.parent, played.loop.extension), mode, str(database)]
        outputs = [output, *(Path(f"{output}.{place}") for place in range(1, played.loop.writers if mode == "time" else 1))]
        took = self.launch(tape, output, errors, argv, len(outputs))
        self.peer_seconds += took.wall_ns / 1e9 if each.peer else 0
        code = took.exit_code()
        if code in (-9, 137) and each.peer:
            raise Failed(f"> cap: {mode} takes more than {cap} s")
        if code:
            raise Failed(f"fails (exit code {code}): {last_line(errors)}")
        answers = [answer_in(each, mode) for each in outputs]
        return of_all(answers) if len(answers) > 1 else answers[0], took.peak_bytes

    def fresh(self, played: Played, each: Player) -> Path:
        """A copy of the player's template, which may be several files or a directory."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(played.template(each).parent, self.work)
        if self.profile != SMOKE:
            # Else the first commit would have to write the copy too.
            for path in self.work.rglob("*"):
                flush(path)
        return self.work / "data.db"


def answer_in(output: Path, mode: str) -> dict:
    try:
        return json.loads(output.read_text(encoding="utf-8"))
    except ValueError:
        raise Failed(f"{mode}: the answer is no JSON: {first_line(output)}") from None


def of_all(answers: list[dict]) -> dict:
    """Of processes that play at once: the time until all have done all; the percentiles are those of the slowest one."""
    slowest = max(answers, key=lambda each: each["total_ns"])
    ends = [each["began_ns"] + each["total_ns"] for each in answers]
    took = max(ends) - min(each["began_ns"] for each in answers)
    return slowest | {"total_ns": took, "operations": sum(each["operations"] for each in answers)}


def reference_runs(played: Played) -> list[float]:
    return [run["ns"] for run in played.able[REFERENCE]["runs"]] if REFERENCE in played.able else []


def to_exact(runs: list[dict], exact: list[float]) -> dict:
    """How long an approximate search takes by the exact one of the same round, where there is one."""
    if len(runs) > len(exact):
        return {}
    return {"ratio_to_exact": median(ratios([run["ns"] for run in runs], exact[: len(runs)]))}


def rows_of(work: tape.Work, run: dict) -> int:
    """Those that are written or read: one at least for each operation, which may write a row or find none."""
    return work.rows_written or max(run["rows"], run["operations"])


def settings_of(loop: Loop, dialect: str) -> list[str]:
    """The pragmas of its profile, for an engine that has them."""
    return SETTINGS[loop.settings] if dialect in WITH_PRAGMAS else []


def last_line(path: Path) -> str:
    """What a program says at its end; languages print where they were before it."""
    lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return without_root(lines[-1].strip())[:200] if lines else "no message"


def size_of(database: Path) -> int:
    """Of all files of a database."""
    return sum(path.stat().st_size for path in database.parent.rglob("*") if path.is_file())


def recall_of(found: list[list[int]], exact: list[list[int]]) -> float | None:
    pairs = [(set(some), set(best)) for some, best in zip(found, exact) if best]
    return sum(len(some & best) / len(best) for some, best in pairs) / len(pairs) if pairs else None


def difference(first: dict, other: dict) -> str:
    for name in ("rows", "gate", "shown"):
        if first[name] != other[name]:
            return f"{name}: {first[name]!s:.80} and {other[name]!s:.80}"
    return "in a row that is not shown"


def is_wanted(id: str, wanted: list[str]) -> bool:
    """By its whole id or the part before the version: `W2`."""
    return not wanted or any(id == each or id.split(".")[0] == each for each in wanted)
