"""Two records, row by row: the workloads that are slower *relative to the reference of the same run*."""

import re
from dataclasses import dataclass, field

from .confidence import chance
from .engines import REFERENCE
from .envelope import Unusable, is_reference, rows_by_key, same_host
from .markdown import number_text
from .rows import run_ratios

LIMIT = 0.10
NOISY_LIMIT = 0.20
"""A ratio may be worse by this share. Also the intervals must be apart."""

MAX_CHANCE = 0.001
"""That the ratios of the runs are in such an order and nothing has changed. Intervals of 95 % alone are apart by chance
once in some 200 rows, and a record has hundreds. Three runs of a peer can never show so much, fifteen of ours do in
spite of several that are out of line."""

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
    other_work: list[str] = field(default_factory=list)
    """Rows of one id whose operations are not the same."""
    only: dict[str, list[str]] = field(default_factory=lambda: {"A": [], "B": []})
    figures: list[tuple] = field(default_factory=list)
    """Suite, figure, unit, value before, value after, verdict; of suites that have no rows."""

    def regressions(self) -> list[tuple]:
        return [line for line in self.lines if line[-1] == "regression"]


def compare(before: list[dict], after: list[dict]) -> Comparison:
    refuse_other_profiles(before, after)
    found = Comparison(hosts_differ=not same_host(before[0], after[0]))
    old, new = rows_by_key(before), rows_by_key(after)
    works = digests(before), digests(after)
    for key in old:
        if key not in new or is_reference(old[key]):
            continue
        if same_work(*(work.get(key) for work in works)):
            runs = [runs_to_reference(key, rows) for rows in (old, new)]
            found.lines.append((*key, *judged(old[key], new[key], runs, reference_change(key, old, new))))
        else:
            found.other_work.append(title(key))
    note_one_sided(found, old, new)
    compare_figures(found, figures_by_key(before), figures_by_key(after))
    return found


def refuse_other_profiles(before: list[dict], after: list[dict]) -> None:
    profiles = [{each["suite"]: each["profile"] for each in envelopes} for envelopes in (before, after)]
    for suite in profiles[0].keys() & profiles[1].keys():
        one, other = (each[suite] for each in profiles)
        if one != other:
            raise Unusable(f"suite `{suite}` is of profile `{one}` in A and `{other}` in B: compare records of one profile")


def digests(envelopes: list[dict]) -> dict[tuple, object]:
    """Those of what each row executed, where its envelope has them."""
    found = {}
    for each in envelopes:
        for row in each["samples"]:
            about = each["workloads"][row["workload"]]
            scripts = about.get("scripts_sha256", {}).get(str(row["n"]))
            found[row["workload"], row["n"], row["engine"]] = scripts or about.get("tapes_sha256")
    return found


def same_work(one: object, other: object) -> bool:
    """Old records do not know the digests of all that they executed."""
    return not one or not other or one == other


def reference_change(key: tuple, old: dict, new: dict) -> float:
    """How much longer the reference of a row took, as a share of its time before."""
    key = (*key[:2], REFERENCE)
    medians = [rows[key]["median_ns"] for rows in (old, new) if key in rows]
    return medians[1] / medians[0] - 1 if len(medians) == 2 and all(medians) else 0.0


def runs_to_reference(key: tuple, rows: dict) -> list[float]:
    return run_ratios(rows[key], rows.get((*key[:2], REFERENCE), {"raw": []}))


def judged(before: dict, after: dict, runs: list[list[float]], reference: float) -> tuple:
    if not before["ratio_to_ref"] or not after["ratio_to_ref"]:
        reason = before["skipped"] or after["skipped"] or "no ratio to the reference"
        return None, None, None, f"not compared: {reason}"
    (old, old_low, old_high), (new, new_low, new_high) = before["ratio_to_ref"], after["ratio_to_ref"]
    limit = NOISY_LIMIT if before["noisy"] or after["noisy"] else LIMIT
    change = new / old - 1
    verdict = ""
    if change > limit and new_low > old_high and chance(*runs) < MAX_CHANCE:
        verdict = "regression"
    elif change < -limit and new_high < old_low and chance(*reversed(runs)) < MAX_CHANCE:
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


def figures_by_key(envelopes: list[dict]) -> dict[tuple, dict]:
    """Those of suites that have nothing else; others have the rows that they are made of."""
    return {(each["suite"], figure["title"]): figure for each in envelopes if not each["samples"] for figure in each["figures"]}


def compare_figures(found: Comparison, old: dict, new: dict) -> None:
    for key, before in old.items():
        if after := new.get(key):
            found.figures.append((*key, before["unit"], before["value"], after["value"], judged_figure(before, after)))
    found.only["A"] += [": ".join(key) for key in old if key not in new]
    found.only["B"] += [": ".join(key) for key in new if key not in old]


def judged_figure(before: dict, after: dict) -> str:
    """By its value alone, as a figure has no runs."""
    change = after["value"] - before["value"]
    if abs(change) <= LIMIT * abs(before["value"]):
        return ""
    return "better" if (change > 0) == before["larger_is_better"] else "worse"


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
    lists = {
        "Another version, so not compared": found.versions,
        "Other work under the same id, so not compared": found.other_work,
        "Only in A": found.only["A"],
        "Only in B": found.only["B"],
        f"Figures that have changed by more than {LIMIT:.0%}, which is no regression by itself": [
            f"{suite}: {title}: {number_text(old)} → {number_text(new)} {unit}, {verdict}"
            for suite, title, unit, old, new, verdict in found.figures if verdict
        ],
    }  # fmt: skip
    for heading, each in lists.items():
        if each:
            lines += ["", f"{heading}:", "", *(f"- {line}" for line in each)]
    return [*lines, "", f"{len(found.regressions())} regressions in {len(found.lines)} rows"]
