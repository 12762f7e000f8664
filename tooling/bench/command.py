"""The command line of the benchmark."""

import argparse
import sys
from collections.abc import Callable, Iterator

from .conditions import objections
from .engines import ENGINES, REFERENCE, complaint_about_missing, default_names, engine
from .figures import verdicts
from .report import Report
from .session import Disagreement, Session
from .workloads import WORKLOADS, Workload

FAILED = 1
USAGE = 2
INTERRUPTED = 130

EPILOG = """workloads:
{workloads}

Whole processes are timed, each on a fresh database, engines in turn. Before
that each engine runs once, and all must agree in output and database.
Figures are for `bench-records` only from a clean tree on a quiet machine;
others are marked, and `make lint` refuses marked records.

exit codes: 0 done, 1 engines disagree or (with --check) a limit is missed,
2 wrong usage or an engine that is not built, 130 interrupted
"""


def main() -> int:
    options = parser().parse_args()
    engines = [each for each in ENGINES if each.name in options.engines]
    complaint = complaint_about_missing([*engines, engine(REFERENCE)])
    if complaint:
        print(f"error: {complaint}", file=sys.stderr)
        return USAGE
    found = objections()
    try:
        with Session(engines, options.repeats, show_progress) as session:
            results = [session.measure(*each) for each in plan(options.workloads, options.sizes)]
    except Disagreement as problem:
        show_progress("")
        print(f"error: {problem}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        show_progress("")
        return INTERRUPTED
    show_progress("")
    return publish(Report(engines, options.repeats, results, verdicts(results), found), options)


def publish(report: Report, options: argparse.Namespace) -> int:
    # With the JSON on stdout, the table must not be mixed into it.
    out = sys.stderr if options.json == "-" else sys.stdout
    report.write_markdown(out) if options.markdown else report.write_text(out)
    if options.json == "-":
        report.write_json(sys.stdout)
    elif options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            report.write_json(file)
    if options.check and not report.verdicts:
        print("error: none of the limits was measured", file=sys.stderr)
        return FAILED
    return FAILED if options.check and any(each.missed() for each in report.verdicts) else 0


def plan(workloads: list[str], sizes: list[int]) -> Iterator[tuple[Workload, int | None]]:
    for workload in WORKLOADS:
        if workload.name not in workloads:
            continue
        for rows in [None] if workload.fixed_amount else sizes:
            yield workload, rows


def show_progress(text: str) -> None:
    """Replace the last line of a terminal; otherwise nothing."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    table = "\n".join(f"  {each.name:<16}{each.about}" for each in WORKLOADS)
    made = argparse.ArgumentParser(
        prog="bench.py",
        description="Compare the speed of our shell with two native ones.",
        epilog=EPILOG.format(workloads=table),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    workloads, engines = [each.name for each in WORKLOADS], [each.name for each in ENGINES]
    add = made.add_argument
    add("--sizes", type=sizes, default=[1_000, 10_000, 100_000], metavar="N,…", help="rows (1000,10000,100000)")
    add("--workloads", type=some_of(workloads), default=workloads, metavar="NAME,…", help="some of those below (all)")
    add("--engines", type=some_of(engines), default=default_names(), metavar="NAME,…",
        help=f"some of {', '.join(engines)} (all; with CWASM=1 in the environment all but wasm)")  # fmt: skip
    add("--repeats", type=positive, default=7, metavar="N", help="timed runs of each engine (7)")
    add("--markdown", action="store_true", help="tables as Markdown")
    add("--json", metavar="FILE", help="also write a record with each run; - is stdout")
    add("--check", action="store_true", help="exit with 1 if a limit is missed")
    return made


def sizes(text: str) -> list[int]:
    return sorted({positive(word) for word in text.split(",")})


def positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"`{text}` is no whole number above 0")
    return int(text)


def some_of(known: list[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        words = text.split(",")
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"`{word}` is none of {', '.join(known)}")
        return words

    return parse
