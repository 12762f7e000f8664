"""T6: where the time of a prepared insertion goes, by samples of `perf`, which knows the functions in compiled components.

The parts are those of SQLite that reference 002 names, the player that calls it, the kernel, and of ours the host. A
sample counts if it was taken while the player timed, so that its reading of the tape is not in them: both tell the time by
the clock of the machine.
"""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable

from .catalogue import turdb
from .catalogue.loop import FULL, SMALL, SMOKE, SQLITE, Size
from .engines import REFERENCE, SUBJECT
from .envelope import sample, skipped
from .loops import Failed, Played, Table
from .players import Player

SUITE, ID = "turdb", "T6.v2"
OF = "T2.v1/nosync-delete"
FREQUENCY = "4999"
ROWS = {SMOKE: 2_000, SMALL: 200_000, FULL: 200_000}
"""Enough for a thousand samples."""
PLAYER = ("bench_loop", "rusqlite")
"""In the names of functions that are not SQLite's."""

# The first prefix that fits; what is left is the rest of SQLite.
PARTS = {
    "record": ("sqlite3VdbeSerial", "sqlite3VdbeRecord", "vdbeRecord"),
    "btree": (
        "sqlite3Btree",
        "balance",
        "btree",
        "insertCell",
        "fillInCell",
        "moveTo",
        "allocateBtree",
        "cellSize",
        "getCellInfo",
        "dropCell",
    ),
    "pager": ("sqlite3Pager", "pager", "pcache", "sqlite3Pcache", "wal", "sqlite3Wal", "unix", "subjournal", "readDbPage", "getPage"),
    "bind": ("sqlite3_bind", "vdbeUnbind", "bindText", "sqlite3VdbeMem", "vdbeMem"),
    "step": ("sqlite3VdbeExec", "sqlite3_step", "sqlite3Step", "sqlite3VdbeHalt", "sqlite3_reset", "sqlite3VdbeReset"),
    "memory": (
        "malloc",
        "free",
        "_int_",
        "dl",
        "cfree",
        "sqlite3Malloc",
        "sqlite3DbMalloc",
        "memcpy",
        "memmove",
        "memset",
        "__mem",
        "sqlite3_free",
        "sqlite3Db",
    ),
}


def measure(profile: str, players: list[Player], progress: Callable[[str], None]) -> tuple[list[dict], dict]:
    """Rows of an envelope, and what was executed: nanoseconds of each part of an insertion."""
    loop = next(each for each in turdb.LOOPS if each.id == OF)
    size, rows = Size(ROWS[profile], 1), []
    progress(f"{SUITE}/{ID}")
    with Table(SUITE, profile, players, 1, progress) as table:
        played = table.recorded(OF, loop, size)
        for each in players:
            if each.name in (REFERENCE, SUBJECT):
                rows += parts(table, played, each)
    about = {"about": f"{OF} by samples of perf; it compares no engines", "rows": size.rows, "way": "perf"}
    return rows, {row["workload"]: about for row in rows}


def parts(table: Table, played: Played, player: Player) -> list[dict]:
    title, rows = f"{SUITE}/{ID}", played.size.rows
    try:
        shares, total = sampled(table, played, player)
    except (Failed, OSError, subprocess.SubprocessError) as problem:
        return [skipped(f"{title}/total", player.name, rows, f"perf: {problem}")]
    return [sample(f"{title}/{part}", player.name, rows, [share * total / rows], []) for part, share in {"total": 1.0, **shares}.items()]


def sampled(table: Table, played: Played, player: Player) -> tuple[dict[str, float], float]:
    """The share of each part, and the nanoseconds of all insertions."""
    if not shutil.which("perf"):
        raise Failed("it is not installed")
    if reason := player.missing("") or table.gate(played, player):
        raise Failed(reason)
    data, database = table.directory / "perf", table.fresh(played, player)
    options = ["-q", "-e", "cpu-clock", "-F", FREQUENCY, "-k", "CLOCK_REALTIME", "-o", str(data)]
    command = ["perf", "record", *options, "--", *player.argv(database.parent, "")]
    with played.tapes[SQLITE][1].open("rb") as stdin:
        done = subprocess.run(
            [*command, "time", str(database)], stdin=stdin, capture_output=True, text=True, check=False, cwd=database.parent
        )
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["no message"])[-1][:100])
    answer, report = json.loads(done.stdout), ["perf", "script", "-i", str(data), "--ns", "-F", "time,ip,sym,dso"]
    lines = subprocess.run(report, capture_output=True, text=True, check=True).stdout.splitlines()
    counted = timed_parts(lines, answer)
    if not counted:
        raise Failed("no sample")
    return {part: count / counted.total() for part, count in sorted(counted.items())}, answer["total_ns"]


def timed_parts(lines: Iterable[str], answer: dict) -> Counter[str]:
    """How many samples each part has, of lines of `perf script`: seconds, then what `part_of` takes."""
    found: Counter[str] = Counter()
    for line in lines:
        moment, _, place = line.strip().partition(": ")
        if 0 <= int(moment.replace(".", "")) - answer["began_ns"] <= answer["total_ns"]:
            found[part_of(place)] += 1
    return found


def part_of(place: str) -> str:
    """Of an address, a symbol, and a file in brackets."""
    symbol, _, file = place.strip().partition(" ")[2].rpartition(" (")
    if "kernel" in file or "vdso" in file:
        return "kernel"
    if file.endswith("/sqlite-wasm-run)"):
        return "host"
    # In the sandbox: wasm[0]::function[834]::sqlite3VdbeExec
    name = symbol.rpartition("]::")[2]
    if any(word in name for word in PLAYER):
        return "player"
    return next((part for part, prefixes in PARTS.items() if name.startswith(prefixes)), "rest")
