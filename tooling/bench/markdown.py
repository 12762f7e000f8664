"""The tables of records in Markdown."""

from collections.abc import Callable

from .catalogue.quoted import quoted
from .engines import REFERENCE
from .envelope import same_host
from .rows import against, apsw_for_python, engines_of, grouped, run_ratios
from .spread import Spread

MEANING = (
    "A time is the median of an engine's runs. A run counts with the time of the whole process; in loops with the mean time of its"
    " operations, in pgsqlite and SL9 with the median time of its requests.",
    "A ratio is to `ref`, the same SQLite compiled natively, the median of those of neighbouring runs: below 1 is faster. `apsw 2.00` is"
    " the ratio to that SQLite called from Python, for engines that are called from there too.",
    "Percentiles are of single operations; where an operation takes less than 20 µs, of means of a hundred, as reading the clock crosses"
    " the sandbox.",
)
"""Of the numbers in a table."""
FIGURE_COLUMNS = ("measured", "must", "aim", "")


def markdown(envelopes: list[dict]) -> list[str]:
    lines = [f"- {line}" for line in dict.fromkeys(line for each in envelopes for line in each["objections"])]
    lines += [f"- {line}" for line in conditions(envelopes)]
    lines += [f"- {line}" for line in MEANING]
    for envelope in envelopes:
        lines += samples_table(envelope) + figures_table(envelope)
    return lines


def samples_table(envelope: dict) -> list[str]:
    """With what is said of its engines below."""
    if not envelope["samples"]:
        return []
    names, base_of = engines_of(envelope["samples"]), apsw_for_python(envelope)
    lines = table([f"{envelope['suite']}, {envelope['profile']}", "rows", *names], [
        [workload.partition("/")[2], f"{n:,}", *(cell_text(rows.get(name), ratio_texts(rows, name, base_of)) for name in names)]
        for (workload, n), rows in grouped(envelope["samples"]).items()
    ])  # fmt: skip
    return [*lines, *([""] if (more := against_lines(envelope)) else []), *(f"- {line}" for line in more)]


def figures_table(envelope: dict) -> list[str]:
    if not envelope["figures"]:
        return []
    head = [f"figures of {envelope['suite']}, {envelope['profile']}", *FIGURE_COLUMNS]
    return table(head, [[each["title"], *figure_cells(each)] for each in envelope["figures"]])


def figure_cells(figure: dict) -> list[str]:
    measured, must, aim = (number_text(figure[name]) for name in ("value", "must", "aim"))
    return [f"{measured} {figure['unit']}", must, aim, figure["mark"]]


def number_text(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Numbers, to the right, in all columns but the first."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return ["", *(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))]


def conditions(envelopes: list[dict]) -> list[str]:
    """Where, when and of what; each once."""
    lines = {}
    for each in envelopes:
        host, commit = each["host"], each["commit"]
        machine = f"{host['cpu']}, {host['cpus']} cores, {host['ram_mib']} MiB, {host['os_kind']} {host['os_release']}, {host['filesystem']}"
        dirty = " with changes" if commit["dirty"] else ""
        for line in (machine, f"commit {commit['sha']}{dirty}"):
            lines[line] = None
        for name, about in each["engines"].items():
            lines[f"{name}: {about['version'][:80]}; {about['via']}"] = None
    if any(not same_host(envelopes[0], each) for each in envelopes):
        lines["the envelopes are of different machines: compare ratios only"] = None
    return list(lines)


def cell_text(row: dict | None, ratios: list[str]) -> str:
    if row is None:
        return "–"
    if row["skipped"]:
        return "> cap" if row["skipped"].startswith("> cap") else "n/a"
    return time_text(row["median_ns"]) + (f" ({'; '.join(ratios)})" if ratios else "")


def ratio_texts(rows: dict[str, dict], name: str, base_of: Callable[[str], str]) -> list[str]:
    """Of one engine in a row: to the reference, and to its base, for peers that are called from Python."""
    row = rows.get(name)
    if row is None or name == REFERENCE:
        return []
    texts = [f"{row['ratio_to_ref'][0]:.2f}"] if row["ratio_to_ref"] else []
    base = rows.get(base_of(name))
    return texts + ([f"{base['engine']} {Spread.of(ratios).value:.2f}"] if base and (ratios := run_ratios(row, base)) else [])


def time_text(nanoseconds: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def against_lines(envelope: dict) -> list[str]:
    return [
        f"{each.name} by {each.base}: {each.mean.value:.2f}, the mean of {each.count} rows; faster in {', '.join(each.faster) or 'none'}"
        for each in (*against(envelope["samples"]), *against(envelope["samples"], apsw_for_python(envelope)))
    ] + [f"{engine}, {workload}: {time_text(took)}, quoted from its document: other machine" for workload, engine, took in quoted(envelope["suite"])]
