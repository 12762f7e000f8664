"""What exactly the workloads of whole processes executed, for the envelope of their suite."""

from itertools import islice

from .session import Result
from .workloads import Script, Workload

SHOWN_LINES = 40
SHOWN_CHARACTERS = 2_000
"""Of each script an envelope has the beginning, which says what it does, and the digest of all."""


def title(suite: str, workload: Workload) -> str:
    """The id of its rows."""
    return f"{suite}/{workload.name if '.v' in workload.name else f'{workload.name}.v1'}"


def whole_processes(suite: str, results: list[Result]) -> dict[str, dict]:
    found: dict[str, dict] = {}
    for result in results:
        about = found.setdefault(title(suite, result.workload), about_workload(suite, result))
        about["scripts_sha256"][str(result.rows or 0)] = result.scripts
    return found


def about_workload(suite: str, result: Result) -> dict:
    """Of one size, where the scripts are shown."""
    workload, rows = result.workload, result.rows or 0
    scripts = {"setup": workload.setup, "script": workload.script, "writer": workload.writer, "native": workload.native_script}
    loads = {"extension": workload.extension, "native_library": workload.native}
    return {
        "about": workload.about, "rows": rows, "amount": result.amount(), "way": "shell",
        "timed": "from exec to the end of the last process, the script on its standard input; the set-up is not",
        "run": f"tooling/bench/run --suites {suite} --workloads {workload.name}", "processes": workload.readers,
        "runs_per_repeat": workload.runs_per_repeat, "embedded": workload.embedded, "compiles_at_start": workload.compiles,
        **{name: value for name, value in loads.items() if value},
        **{name: beginning(script, rows) for name, script in scripts.items() if script}, "scripts_sha256": {},
    }  # fmt: skip


def beginning(script: Script, rows: int) -> str:
    text = "\n".join(islice(script(rows), SHOWN_LINES + 1))
    lines = text[: SHOWN_CHARACTERS + 1].splitlines()[: SHOWN_LINES + 1]
    whole = len(lines) <= SHOWN_LINES and len(text) <= SHOWN_CHARACTERS
    return text if whole else "\n".join([*lines[:SHOWN_LINES], "…"])[: SHOWN_CHARACTERS + 2]
