"""Two records, row by row: the workloads that are slower *relative to the reference of the same run*."""

import re
from dataclasses import dataclass, field

from .engines import REFERENCE
from .envelope import is_reference, rows_by_key, same_host

LIMIT = 0.10
NOISY_LIMIT = 0.20
"""A ratio may be worse by this share; also the intervals must be apart."""

REFERENCE_LIMIT = 0.20
"""Where the reference itself took longer or shorter by this share, the machine was not the same, and its other speed
need not change both engines alike."""

VERSION = re.compile(r"\.v\d+")


@dataclass
class Comparison:
    hosts_differ: bool = False
    lines: list[tuple] = field(default_factory=list)
    """Workload, rows, engine, ratio before, ratio after, change, verdict."""
    versions: list[str] = field(default_factory=list)
    only: dict[str, list[str]] = field(default_factory=lambda: {"A": [], "B": []})

    def regressions(self) -> list[tuple]:
        return [line for line in self.lines if line[-1] == "regression"]


def compare(before: list[dict], after: list[dict]) -> Comparison:
    found = Comparison(hosts_differ=not same_host(before[0], after[0]))
    old, new = rows_by_key(before), rows_by_key(after)
    for key in old:
        if key in new and not is_reference(old[key]):
            found.lines.append((*key, *judged(old[key], new[key], reference_change(key, old, new))))
    note_one_sided(found, old, new)
    return found


def reference_change(key: tuple, old: dict, new: dict) -> float:
    """The share by which the reference of a row took longer."""
    key = (*key[:2], REFERENCE)
    medians = [rows[key]["median_ns"] for rows in (old, new) if key in rows]
    return medians[1] / medians[0] - 1 if len(medians) == 2 and all(medians) else 0.0


def judged(before: dict, after: dict, reference: float) -> tuple:
    if not before["ratio_to_ref"] or not after["ratio_to_ref"]:
        reason = before["skipped"] or after["skipped"] or "no ratio to the reference"
        return None, None, None, f"not compared: {reason}"
    (old, old_low, old_high), (new, new_low, new_high) = before["ratio_to_ref"], after["ratio_to_ref"]
    limit = NOISY_LIMIT if before["noisy"] or after["noisy"] else LIMIT
    change = new / old - 1
    verdict = ""
    if change > limit and new_low > old_high:
        verdict = "regression"
    elif change < -limit and new_high < old_low:
        verdict = "faster"
    if verdict and abs(reference) > REFERENCE_LIMIT:
        verdict = f"not compared: the reference took {reference:+.0%}"
    return old, new, change, verdict


def note_one_sided(found: Comparison, old: dict, new: dict) -> None:
    """Rows of one record only; those whose version alone differs are said apart."""
    sides = {"A": [key for key in old if key not in new], "B": [key for key in new if key not in old]}
    shapes = {side: {without_version(key): key for key in keys} for side, keys in sides.items()}
    changed = shapes["A"].keys() & shapes["B"].keys()
    found.versions = sorted(f"{title(shapes['A'][shape])} → {title(shapes['B'][shape])}" for shape in changed)
    for side, keys in sides.items():
        found.only[side] = [title(key) for key in keys if without_version(key) not in changed]


def without_version(key: tuple) -> tuple:
    return (VERSION.sub("", key[0]), *key[1:])


def title(key: tuple) -> str:
    return f"{key[0]} ({key[1]:,}), {key[2]}"


def markdown(found: Comparison) -> list[str]:
    lines = []
    if found.hosts_differ:
        lines += ["**The records are from different machines: a difference need not be the program's.**", ""]
    lines += ["| workload | rows | engine | A, to ref | B, to ref | change | |", "| --- | ---: | --- | ---: | ---: | ---: | --- |"]
    for workload, n, engine, old, new, change, verdict in found.lines:
        numbers = ["", "", ""] if old is None else [f"{old:.2f}", f"{new:.2f}", f"{change:+.0%}"]
        lines.append(f"| {workload} | {n:,} | {engine} | {' | '.join(numbers)} | {verdict} |")
    for heading, each in (("Another version, so not compared", found.versions), ("Only in A", found.only["A"]), ("Only in B", found.only["B"])):
        if each:
            lines += ["", f"{heading}:", "", *(f"- {line}" for line in each)]
    return [*lines, "", f"{len(found.regressions())} regressions in {len(found.lines)} rows"]
