"""The command line of the benchmark."""

import argparse
import sys
import unittest
from collections.abc import Callable, Iterator

from . import extensions, vec
from .conditions import objections
from .engines import ENGINES, REFERENCE, complaint_about_missing, default_names, engine
from .report import Part, Report
from .session import Disagreement, Result, Session
from .suites import SUITES, Suite

FAILED = 1
USAGE = 2
INTERRUPTED = 130

# Those that time statements inside one process, of `ref` and `cwasm` only.
OTHERS = {"extensions": extensions, "vec": vec}
DEFAULT_SUITES = [*(suite.name for suite in SUITES), "extensions"]

REPEATS = 7
QUICK_REPEATS = 3

EPILOG = """suites:
{suites}
  extensions  calls, rows, SQL of extensions, loaded and embedded
  vec         vec0, compared with the native sqlite-vec

workloads:
{workloads}

Whole processes are timed, each on a fresh database, engines to and fro. Before
that each engine runs once, and all must agree in output and database. A ratio is
the median of the ratios of neighbouring runs; the range of its middle half is
next to it. Figures are for `bench-records` only from a clean tree on a quiet
machine; others are marked, and `make lint` refuses marked records.

exit codes: 0 done, 1 engines disagree or (with --check) a limit is missed,
2 wrong usage or an engine that is not built, 130 interrupted
"""


def main() -> int:
    options = parser().parse_args()
    if options.test:
        return 0 if unittest.main("bench.tests", argv=["bench.py"], exit=False).result.wasSuccessful() else FAILED
    engines = [each for each in ENGINES if each.name in options.engines]
    complaint = complaint_about_missing([*engines, engine(REFERENCE)])
    complaint = "; ".join(filter(None, (complaint, *(OTHERS[each].complaint() for each in OTHERS if each in options.suites))))
    if complaint:
        print(f"error: {complaint}", file=sys.stderr)
        return USAGE
    options.repeats = options.repeats or (QUICK_REPEATS if options.quick else REPEATS)
    report = Report(engines, options.repeats, objections())
    try:
        report.parts.extend(measured(options, engines))
    except Disagreement as problem:
        show_progress("")
        print(f"error: {problem}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        show_progress("")
        return INTERRUPTED
    show_progress("")
    return publish(report, options)


def publish(report: Report, options: argparse.Namespace) -> int:
    # With the JSON on stdout, the table must not be mixed into it.
    out = sys.stderr if options.json == "-" else sys.stdout
    report.write_markdown(out) if options.markdown else report.write_text(out)
    if options.json == "-":
        report.write_json(sys.stdout)
    elif options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            report.write_json(file)
    verdicts = [each for part in report.parts for each in part.verdicts]
    if options.check and not verdicts:
        print("error: none of the limits was measured", file=sys.stderr)
        return FAILED
    return FAILED if options.check and any(each.missed() for each in verdicts) else 0


def measured(options: argparse.Namespace, engines: list) -> Iterator[Part]:
    for suite in SUITES:
        if suite.name in options.suites:
            with Session(engines, options.repeats, show_progress) as session:
                results = list(results_of(suite, session, options))
            yield Part(suite.name, results, suite.judge(results))
    for name, other in OTHERS.items():
        if name in options.suites:
            show_progress(name)
            yield Part(name, [], other.measure(options.repeats, options.quick))


def results_of(suite: Suite, session: Session, options: argparse.Namespace) -> Iterator[Result]:
    sizes = options.sizes or (suite.quick_sizes if options.quick else suite.sizes)
    for workload in suite.workloads:
        if not options.workloads or workload.name in options.workloads:
            for rows in [None] if workload.fixed_amount else sizes:
                yield session.measure(workload, rows)


def show_progress(text: str) -> None:
    """Replace the last line of a terminal; otherwise nothing."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    every = [workload for suite in SUITES for workload in suite.workloads]
    made = argparse.ArgumentParser(
        prog="bench.py",
        description="Compare the speed of our shell with two native ones.",
        epilog=EPILOG.format(
            suites="\n".join(f"  {each.name:<12}{each.about}" for each in SUITES),
            workloads="\n".join(f"  {each.name:<18}{each.about}" for each in every),
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    suites, engines = [*(each.name for each in SUITES), *OTHERS], [each.name for each in ENGINES]
    add = made.add_argument
    add("--suites", type=some_of(suites), default=DEFAULT_SUITES, metavar="NAME,…", help="some of those below (all but vec)")
    add("--quick", action="store_true", help="little data and 3 repeats: to see that all works")
    add("--sizes", type=sizes, metavar="N,…", help="rows (what each suite has)")
    add("--workloads", type=some_of([each.name for each in every]), metavar="NAME,…", help="some of those below (all)")
    add("--engines", type=some_of(engines), default=default_names(), metavar="NAME,…",
        help=f"some of {', '.join(engines)} (all; with CWASM=1 in the environment all but wasm)")  # fmt: skip
    add("--repeats", type=positive, metavar="N", help=f"timed runs of each engine ({REPEATS})")
    add("--markdown", action="store_true", help="tables as Markdown")
    add("--json", metavar="FILE", help="also write a record with each run; - is stdout")
    add("--check", action="store_true", help="exit with 1 if a limit is missed")
    add("--test", action="store_true", help="check the benchmark itself")
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
