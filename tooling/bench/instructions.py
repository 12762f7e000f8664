"""Instructions of a start: callgrind counts them, so they are the same however fast the machine is at the moment.

Valgrind imitates a processor, and refuses system calls that it does not know. So our runner starts without the
second wall (Landlock and seccomp), whose work is the kernel's; its code loads because the compile helper uses no feature
of the processor that valgrind lacks.
"""

import re
import shutil
import subprocess
from pathlib import Path

from . import embedded
from .engines import REFERENCE, SUBJECT, engine
from .figures import Figure, Verdict
from .placements import Programs
from .session import Disagreement, Result
from .spread import Spread, ratios
from .workloads import START
from .workplace import environment, without_root

SUITE = "start"
COUNTED = (REFERENCE, SUBJECT)
COUNTER = "valgrind"
RUNS = 3
"""They differ by a thousandth, as addresses are random."""
FIRST_RUNS = 2
"""Not counted: the cache remembers no file that has just been written, and the second run copies the code into it."""
MILLION = 1e6

ABOUT = "counted in further runs by callgrind, of our runner with `--no-second-wall`"


def complaint() -> str:
    """What is missing that only this needs."""
    return "" if shutil.which(COUNTER) else f"missing `{COUNTER}`: run `tooling/setup {COUNTER}`"


def measure(result: Result, directory: Path) -> list[Verdict]:
    """Count the instructions of a start, plain and with eleven extensions; add each engine's count to its series."""
    commands = {each.name: each.argv() for each in map(engine, COUNTED) if result.series.get(each.name)}
    counted = {name: counts(command, directory) for name, command in commands.items()}
    for name, each in counted.items():
        result.series[name].instructions = each
    if SUBJECT not in counted:
        return []
    plain = counted[SUBJECT]
    eleven = counts(Programs(directory).compiled(embedded.STARTED), directory)
    found = [Verdict(Figure(f"{START.name}, instructions", "million"), Spread.of(each / MILLION for each in plain))]
    if REFERENCE in counted:
        found.append(Verdict(Figure(f"{START.name}, instructions to those of ref"), Spread.of(ratios(plain, counted[REFERENCE]))))
    return [*found, Verdict(Figure("instructions of a start with eleven embedded, to the plain one"), Spread.of(ratios(eleven, plain)))]


def counts(command: list[str], directory: Path) -> list[int]:
    if command[0] == engine(SUBJECT).argv()[0]:
        command = [command[0], "--no-second-wall", *command[1:]]
    return [count(command, directory) for _ in range(FIRST_RUNS + RUNS)][FIRST_RUNS:]


def count(command: list[str], directory: Path) -> int:
    log = directory / "callgrind.log"
    tool = [COUNTER, "--tool=callgrind", f"--callgrind-out-file={directory / 'callgrind.out'}", f"--log-file={log}"]
    done = subprocess.run([*tool, *command, ":memory:", *START.script(0)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, cwd=directory, env=environment(directory))  # fmt: skip
    return collected(done.stdout, without_root(done.stderr), log.read_text(encoding="utf-8", errors="replace"))


def collected(output: str, errors: str, log: str) -> int:
    """The sum at the end of callgrind's log, if the statement had its answer."""
    found = re.search(r"Collected : (\d+)$", log, re.MULTILINE)
    if output != "1\n" or not found:
        last = (errors.strip() or log.strip() or "no message").splitlines()[-1]
        raise Disagreement(f"{START.name}: counting instructions fails: {last}")
    return int(found[1])
