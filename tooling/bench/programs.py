"""Suites whose programs time themselves, in rounds: what a round says becomes rows of an envelope."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from .engines import REFERENCE, ROOT
from .envelope import sample, skipped
from .report import Part
from .session import Disagreement

Times = Mapping[str, float]
"""Nanoseconds of an operation, by its name."""
Round = Mapping[str, Times]
"""Those of each engine, one after the other: neighbouring runs."""


NOTHING = "took less than the clock can tell, or was not done"


def part(
    suite: str, about: Mapping[str, str], engines: Mapping[str, dict], rounds: Sequence[Round], timed: str, reason: str = NOTHING
) -> Part:
    """`about` has the names of all operations and what each does; `reason` is why some have no time."""
    workloads = {id_of(suite, name): {"about": text, "rows": 0, "way": "program", "timed": timed} for name, text in about.items()}
    return Part(suite, [], [], list(rows(suite, about, rounds, reason)), workloads, engines=dict(engines))


def rows(suite: str, about: Mapping[str, str], rounds: Sequence[Round], reason: str) -> Iterator[dict]:
    for name in about:
        for engine in rounds[0]:
            runs, reference = runs_of(rounds, engine, name), runs_of(rounds, REFERENCE, name)
            if len(runs) < len(rounds):
                yield skipped(id_of(suite, name), engine, 0, reason)
            else:
                yield sample(id_of(suite, name), engine, 0, runs, reference if len(reference) == len(rounds) else [])


def runs_of(rounds: Sequence[Round], engine: str, name: str) -> list[float]:
    found = (each.get(engine, {}).get(name, 0) for each in rounds)
    return [time for time in found if time > 0]


def id_of(suite: str, name: str) -> str:
    return f"{suite}/{name}.v1"


def alternating(engines: list[str], repeats: int, run: Callable[[str], Times]) -> list[Round]:
    """Rounds of all engines, every other one in the opposite order."""
    return [{name: run(name) for name in engines[:: -1 if number % 2 else 1]} for number in range(repeats)]


def printed(command: list, directory: Path, **settings: str) -> str:
    """What a program prints, with these variables; an error with its last line if it fails."""
    # Errors with a backtrace take their time.
    environment = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"} | settings
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise Disagreement(f"`{Path(command[0]).name}` fails: {last}")
    return done.stdout


def missing(path: Path, remedy: str) -> str:
    return "" if path.exists() else f"missing `{path.relative_to(ROOT)}`: run `{remedy}`"
