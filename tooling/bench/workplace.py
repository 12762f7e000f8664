"""Where something is measured: a directory that goes away, and the launcher that starts programs in it.

The directory is below `target/`, on the disk of the repository: a `/tmp` in memory would make commits
look free.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, NamedTuple, Self

from .engines import ROOT

PARENT = ROOT / "target" / "bench-tmp"


class Launched(NamedTuple):
    """What the processes of one launch took."""

    wall_ns: int
    cpu_ns: int
    peak_bytes: int
    faults: int
    status: int

    def exit_code(self) -> int:
        return os.waitstatus_to_exitcode(self.status)


class Workplace:
    """A context, which `Session` and `Table` are."""

    def __enter__(self) -> Self:
        PARENT.mkdir(parents=True, exist_ok=True)
        self.directory = Path(tempfile.mkdtemp(dir=PARENT))
        self.work = self.directory / "work"
        """The database of a run, alone."""
        self.launcher = start_launcher(self.directory)
        return self

    def __exit__(self, *_: object) -> None:
        finish(self.launcher)
        shutil.rmtree(self.directory, ignore_errors=True)

    def launch(self, script: Path, output: Path, errors: Path, command: list[str], count: int = 1, writer: Path | str = "") -> Launched:
        """Run a command whose last word is the database; `launcher.py` explains the rest."""
        requests, answers = pipes(self.launcher)
        print(script, output, errors, count, writer, *command, sep="\t", file=requests, flush=True)
        return Launched(*map(int, answers.readline().split()))


def pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    """Its standard input and output, for which it was started with pipes."""
    if process.stdin is None or process.stdout is None:
        raise ValueError(f"{process.args!r} was started without pipes")
    return process.stdin, process.stdout


def finish(process: subprocess.Popen[str]) -> None:
    """Wait for the end of a process that ends with its input."""
    requests, answers = pipes(process)
    requests.close()
    process.wait()
    answers.close()


def start_launcher(directory: Path) -> subprocess.Popen[str]:
    """The launcher, in an environment where no start-up file of the user counts."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py"))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=directory, env=environment(directory),
    )  # fmt: skip


def environment(directory: Path) -> dict[str, str]:
    """Without start-up files of the user."""
    home = directory / "home"
    home.mkdir(exist_ok=True)
    # The runner's compiled `.wasm` stays in the user's cache, as in real life.
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": cache}


def flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return without_root(file.readline().strip())


def without_root(text: str) -> str:
    """Paths from this tree on, and plain names of the files of one run: a record names no directory of
    its machine."""
    own = text.replace(f"{ROOT}/", "")
    return re.sub(rf"{PARENT.relative_to(ROOT)}/(?:[\w.-]+/)*", "", own)
