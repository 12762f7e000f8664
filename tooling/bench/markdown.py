"""The tables of records in Markdown."""

from collections.abc import Callable

from .catalogue.quoted import quoted
from .engines import REFERENCE
from .envelope import same_host
from .rows import against, apsw_for_python, engines_of, grouped, run_ratios, title
from .spread import Spread

MEANING = (
    "A time is the median of an engine's runs. A run counts with the time of the whole process; in loops and in pgsqlite with the mean"
    " time of its operations, in SL9 and in version 1 of pgsqlite's rows with their median.",
    "A ratio is to `ref`, the same SQLite compiled natively, the median of those of neighbouring runs: below 1 is faster. `apsw 2.00` is"
    " the ratio to that SQLite called from Python, for engines that are called from there too; `exact 0.10`, of a search that need"
    " not find the nearest, that to the exact search of `ref`.",
    "Percentiles are of single operations; where an operation takes less than 20 µs, of means of a hundred, as reading the clock crosses"
    " the sandbox.",
)
"""Of the figures in a table."""
Table = tuple[list[str], list[list[str]]]
"""Head and rows, whose first cell is their name; on the page too."""


def markdown(envelopes: list[dict]) -> list[str]:
    lines = [f"- {line}" for line in dict.fromkeys(line for each in envelopes for line in each["objections"])]
    lines += [f"- {line}" for line in conditions(envelopes)]
    lines += [f"- {line}" for line in MEANING]
    for envelope in envelopes:
        lines += samples_table(envelope)
        for each in (storage(envelope), figures(envelope)):
            lines += table(*each)
    return lines


def samples_table(envelope: dict) -> list[str]:
    """With what is said of its engines below."""
    if not envelope["samples"]:
        return []
    names, base_of = engines_of(envelope["samples"]), apsw_for_python(envelope)
    lines = table([suite_title(envelope), "rows", *names], [
        [workload.partition("/")[2], f"{n:,}", *(cell_text(rows.get(name), ratio_texts(rows, name, base_of)) for name in names)]
        for (workload, n), rows in grouped(envelope["samples"]).items()
    ])  # fmt: skip
    return [*lines, *([""] if (more := against_lines(envelope)) else []), *(f"- {line}" for line in more)]


def figures(envelope: dict) -> Table:
    found = []
    for each in envelope["figures"]:
        measured, must, aim = (number_text(each[name]) for name in ("value", "must", "aim"))
        found.append([each["title"], f"{measured} {each['unit']}", must, aim, each["mark"]])
    return [f"figures of {suite_title(envelope)}", "measured", "must", "aim", ""], found


def storage(envelope: dict) -> Table:
    """ST1: of the rows that make a database, by what the same values have as bare bytes; the set-up builds indexes."""
    head = [
        f"storage of {suite_title(envelope)}",
        "engine",
        "values",
        "at rest",
        "by values",
        "after VACUUM",
        "by values",
        "set-up",
        "rows a second",
    ]
    return head, [
        [
            title(row),
            row["engine"],
            size_text(row["raw_bytes"]),
            *by_values(row, "db_bytes"),
            *by_values(row, "vacuumed_bytes"),
            time_text(row["setup_ns"]) if row.get("setup_ns") else "",
            number_text(row["rows_per_s"]),
        ]
        for row in envelope["samples"]
        if row.get("db_bytes") and row.get("raw_bytes")
    ]


def by_values(row: dict, name: str) -> list[str]:
    size = row.get(name)
    return [size_text(size), f"{size / row['raw_bytes']:.2f}"] if size else ["", ""]


def size_text(size: float) -> str:
    return f"{size / 1e6:.2f} MB"


def suite_title(envelope: dict) -> str:
    return f"{envelope['suite']}, {envelope['profile']}"


def number_text(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(head: list[str], rows: list[list[str]], texts: int = 1) -> list[str]:
    """`texts` columns of text, then figures, aligned to the right; nothing if there are no rows."""
    if not rows:
        return []
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    return ["", *(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))]


def conditions(envelopes: list[dict]) -> list[str]:
    """Where, when and of what; each once."""
    lines: dict[str, None] = {}
    for each in envelopes:
        host, commit = each["host"], each["commit"]
        machine = (
            f"{host['cpu']}, {host['cpus']} cores, {host['ram_mib']} MiB, {host['os_kind']} {host['os_release']}, {host['filesystem']}"
        )
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
    """Of one engine in a row: to the reference or its exact search, and to its base, for peers that are called from Python."""
    row = rows.get(name)
    if row is None or name == REFERENCE:
        return []
    texts = [f"{row['ratio_to_ref'][0]:.2f}"] if row["ratio_to_ref"] else []
    texts += [f"exact {row['ratio_to_exact']:.2f}"] if row.get("ratio_to_exact") else []
    base = rows.get(base_of(name))
    return texts + ([f"{base['engine']} {Spread.of(ratios).value:.2f}"] if base and (ratios := run_ratios(row, base)) else [])


def time_text(nanoseconds: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def against_lines(envelope: dict) -> list[str]:
    return [
        f"{each.name} by {each.base}: {each.mean.value:.2f}, the mean of {each.rows} rows; faster in {', '.join(each.faster) or 'none'}"
        for each in (*against(envelope["samples"]), *against(envelope["samples"], apsw_for_python(envelope)))
    ] + [
        f"{engine}, {workload}: {time_text(took)}, quoted from its document: other machine"
        for workload, engine, took in quoted(envelope["suite"])
    ]
