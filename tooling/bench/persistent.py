"""SL9: a shell that keeps running and reads from a pipe; each reply is awaited before the next query.

Against it stand a process for each statement: SL8.v1/start for SELECT 1, SL9.v1/point-read-process for a row.
"""

import subprocess
import tempfile
import time
from statistics import median

from .catalogue.sqlink import NAMED_ROWS, named_row, named_rows
from .engines import REFERENCE, ROOT, Engine
from .envelope import sample
from .session import Disagreement
from .workplace import finish, pipes

SUITE = "sqlink"
ID = "SL9.v1"
QUESTIONS = {"smoke": 20, "small": 100, "full": 1_000}

FORMS = {
    "select-1": ("`SELECT 1;` to a shell that stays", lambda _: ("SELECT 1;", "1")),
    "point-read": ("a row by its id, from a shell that stays", lambda turn: named_row(turn * 7 % NAMED_ROWS)),
}


def measure(engines: list[Engine], profile: str, repeats: int) -> tuple[list[dict], dict]:
    """Rows of an envelope, and what was executed."""
    count, rows, about = QUESTIONS[profile], [], {}
    for name, (text, question) in FORMS.items():
        title = f"{SUITE}/{ID}/{name}"
        about[title] = {
            "about": text,
            "rows": count,
            "way": "shell, by a pipe",
            "table": f"t(id INTEGER PRIMARY KEY, name TEXT), {NAMED_ROWS} rows",
        }
        runs: dict[str, list[float]] = {each.name: [] for each in engines}
        for number in range(repeats):
            for each in engines[:: -1 if number % 2 else 1]:
                runs[each.name].append(asked(each, [question(turn) for turn in range(count)]))
        rows += [sample(title, name, count, times, runs.get(REFERENCE, [])) for name, times in runs.items()]
    return rows, about


def asked(engine: Engine, questions: list[tuple[str, str]]) -> float:
    """The median time of a query, in nanoseconds."""
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as directory:
        shell = subprocess.Popen(
            [*engine.argv(), f"{directory}/data.db"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=directory
        )
        try:
            ask(shell, " ".join([*named_rows(NAMED_ROWS), "SELECT 'ready';"]), "ready", engine)
            return median(ask(shell, *question, engine) for question in questions)
        finally:
            finish(shell)


def ask(shell: subprocess.Popen[str], question: str, answer: str, engine: Engine) -> float:
    questions, answers = pipes(shell)
    start = time.perf_counter_ns()
    print(question, file=questions, flush=True)
    line = answers.readline().rstrip("\n")
    took = time.perf_counter_ns() - start
    if line != answer:
        raise Disagreement(f"{SUITE}/{ID}: `{engine.name}` answers `{line}`, not `{answer}`")
    return took
