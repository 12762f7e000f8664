"""The form of an envelope in a file: without what follows from the runs of a row, and one line for each row.

A record has thousands of rows, and the runs decide most of each: its median, its interval, its ratio to the reference.
"""

import json
from collections.abc import Sequence
from statistics import fmean, median, pstdev
from typing import Any

from .confidence import interval, is_noisy
from .engines import REFERENCE
from .schema import NUMBER, OPTIONAL, SAMPLE, fits
from .spread import ratios

DIGITS = 5
"""Of a measured value: a hundredth of what the spread of runs leaves certain."""


def digits(value):
    """The value as it is stored, without a fraction if that is zero."""
    if not isinstance(value, float):
        return value
    kept = float(f"{value:.{DIGITS}g}")
    return int(kept) if kept.is_integer() else kept


def derived(runs: Sequence[float], reference: Sequence[float]) -> dict:
    """What follows from the nanoseconds of an operation in each run, next to those of the reference.

    A peer may have had the first runs only."""
    low, high = interval(runs)
    found = ratios(runs, reference[: len(runs)]) if len(runs) <= len(reference) else []
    return {
        "unit": "operation", "samples": len(runs), "skipped": None, "noisy": is_noisy(runs), "check": None,
        "median_ns": median(runs), "ci95_lower_ns": low, "ci95_upper_ns": high, "mean_ns": fmean(runs),
        "std_dev_ns": pstdev(runs), "ops_per_s": 1e9 / median(runs),
        "ratio_to_ref": [median(found), *interval(found)] if found else None,
    }  # fmt: skip


def nothing() -> dict:
    """A row without results."""
    empty = {name: None for name, kind in SAMPLE.items() if kind is OPTIONAL}
    return {"unit": "operation", "samples": 0, "noisy": False, "check": None, "raw": [], "ratio_to_ref": None, **empty}


def text(found: dict) -> str:
    """An envelope as a file."""
    parts = (f"{compact(name)}:{broken(value)}" for name, value in {**found, "samples": shortened(found["samples"])}.items())
    return "{" + ",\n".join(parts) + "}\n"


def restored(found: Any) -> Any:
    """An envelope of a file, with all that was left out. What is not one is left to the schema."""
    if not isinstance(found, dict) or not isinstance(found.get("samples"), list):
        return found
    reference = runs_of_reference(found["samples"])
    return {**found, "samples": [{**implied(row, reference), **row} if isinstance(row, dict) else row for row in found["samples"]]}


def shortened(rows: list[dict]) -> list[dict]:
    reference = runs_of_reference(rows)
    found = []
    for row in rows:
        known = implied(row, reference)
        found.append({name: value for name, value in row.items() if name not in known or known[name] != value})
    return found


def implied(row: dict, reference: dict) -> dict:
    """What a row has where it says nothing else."""
    if row.get("skipped") is not None:
        return nothing()
    return derived(row["raw"], reference.get((row.get("workload"), row.get("n")), [])) if is_list_of_runs(row.get("raw")) else {}


def runs_of_reference(rows: list) -> dict:
    mine = (row for row in rows if isinstance(row, dict) and row.get("engine") == REFERENCE and is_list_of_runs(row.get("raw")))
    return {(row.get("workload"), row.get("n")): row["raw"] for row in mine}


def is_list_of_runs(found: object) -> bool:
    return isinstance(found, list) and bool(found) and all(fits(each, NUMBER) and each > 0 for each in found)


def broken(value: object) -> str:
    """JSON, with a line for each entry of a list or an object."""
    if isinstance(value, dict) and value:
        return "{\n" + ",\n".join(f"{compact(name)}:{compact(entry)}" for name, entry in value.items()) + "}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(compact, value)) + "]"
    return compact(value)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
