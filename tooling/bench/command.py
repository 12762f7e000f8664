"""The command line of the benchmark."""

import argparse
import sys
import unittest
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from . import breakdown, crate, extensions, instructions, javascript, library, loops, persistent, players, records, serve, vec, wire
from .catalogue.loop import FULL, PROFILES, SMALL, SMOKE
from .conditions import objections
from .engines import ENGINES, REFERENCE, complaint_about_missing, default_names, engine
from .envelope import Unusable
from .figures import row_verdicts
from .report import Part, Report
from .session import Disagreement, Session
from .suites import LOOP_SUITE_ABOUT, LOOP_SUITES, OTHER_ABOUT, SUITES, Suite
from .whole_process import title
from .workloads import Workload

ALL = ["all"]

FAILED = 1
USAGE = 2
INTERRUPTED = 130

# Those with a way of their own to measure: their engines are not chosen.
OTHERS = {"extensions": extensions, "javascript": javascript, "vec": vec}
# Those whose programs time themselves.
PROGRAMS = {each.SUITE: each for each in (crate, library, serve)}
DEFAULT_SUITES = [*(suite.name for suite in SUITES), "extensions"]

REPEATS = {SMOKE: 2, SMALL: 7, FULL: 15}

EPILOG = """suites:
{suites}

workloads of whole processes:
{workloads}

Before anything is timed each engine runs once, and all must give the same answers; what cannot is
shown without numbers. Engines run to and fro, each on a fresh database. A ratio is the median of
the ratios of neighbouring runs. Figures are for `bench-records` only from a clean tree on a quiet
machine; others are marked, and `make lint` refuses marked records.

other commands:
  tooling/bench/run compare A B [--fail]             two records, relative to their own references
  tooling/bench/run report RECORD… [--html FILE]     a page, and a table in Markdown
  tooling/bench/run check RECORD…                    whether files are envelopes of this version

exit codes: 0 done, 1 engines disagree or (with --check) a limit is missed,
2 wrong usage or an engine that is not built, 130 interrupted
"""


def main() -> int:
    if len(sys.argv) > 1 and sys.argv[1] in records.COMMANDS:
        try:
            return records.main(sys.argv[1:])
        except (Unusable, OSError) as problem:
            print(f"error: {problem}", file=sys.stderr)
            return USAGE
    options = parser().parse_args()
    if options.test:
        return 0 if unittest.main("bench.tests", argv=["run"], exit=False).result.wasSuccessful() else FAILED
    if options.players == ALL:
        options.players, options.engines = players.default_names(peers=True), default_names(peers=True)
    engines = [each for each in ENGINES if each.name in options.engines] if set(options.suites) & WHOLE_PROCESS else []
    complaint = complaint_about_missing([*engines, engine(REFERENCE)])
    complaint = "; ".join(
        filter(None, (complaint, *(each.complaint() for name, each in {**OTHERS, **PROGRAMS}.items() if name in options.suites)))
    )
    if counts_instructions(options):
        complaint = "; ".join(filter(None, (complaint, instructions.complaint())))
    if complaint:
        print(f"error: {complaint}", file=sys.stderr)
        return USAGE
    report = Report(engines, options.repeats or REPEATS[options.profile], objections(), options.profile)
    try:
        for part in measured(options, engines, report.repeats):
            part.verdicts += row_verdicts(part.rows, options.profile)
            report.add(part)
            if options.record:
                report.save(part, Path(options.record))
    except Disagreement as problem:
        show_progress("")
        print(f"error: {problem}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        show_progress("")
        return INTERRUPTED
    show_progress("")
    return publish(report, options)


WHOLE_PROCESS = {suite.name for suite in SUITES}


def publish(report: Report, options: argparse.Namespace) -> int:
    report.write_markdown(sys.stdout) if options.markdown else report.write_text(sys.stdout)
    failures = [each for part in report.parts for each in part.failures]
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    verdicts = [each for part in report.parts for each in part.verdicts if each.is_judged()]
    if options.check and not verdicts:
        print("error: none of the limits was measured", file=sys.stderr)
        return FAILED
    missed = options.check and any(each.missed() for each in verdicts)
    return FAILED if failures or missed else 0


def measured(options: argparse.Namespace, engines: list, repeats: int) -> Iterator[Part]:
    playing = [each for each in players.PLAYERS if each.name in options.players]
    with ExitStack() as open_ones:
        suites = [suite for suite in SUITES if suite.name in options.suites]
        sessions = [open_ones.enter_context(session_of(suite, engines, repeats)) for suite in suites]
        names = [name for name in LOOP_SUITES if name in options.suites]
        tables = [open_ones.enter_context(loops.Table(name, options.profile, playing, repeats, show_progress)) for name in names]
        for suite, session in zip(suites, sessions):
            session.prepare(work_of(suite, options))
        for name, table in zip(names, tables):
            table.prepare(each for each in LOOP_SUITES[name] if loops.is_wanted(each.id, options.workloads))
        everything: list[Session | loops.Table] = [*sessions, *tables]
        for numbers in passes(repeats):
            for each in everything:
                each.rounds(numbers)
        for suite, session in zip(suites, sessions):
            yield part_of_suite(suite, session, options)
        for name, table in zip(names, tables):
            yield part_of_loops(name, table, options)
    for name, other in OTHERS.items():
        if name in options.suites:
            show_progress(name)
            yield Part(name, [], other.measure(repeats, options.profile != FULL))
    for name, program in PROGRAMS.items():
        if name in options.suites:
            show_progress(name)
            yield program.measure(repeats, options.profile != FULL)
    if wire.SUITE in options.suites:
        yield Part(wire.SUITE, [], [], *wire.measure(options.profile, repeats, show_progress))


def passes(repeats: int) -> list[range]:
    """The repeats of all suites in two passes: a machine changes its speed between minutes, and a suite takes one or
    two, so that in one pass its intervals would hold for that time only."""
    half = -(-repeats // 2)
    return [range(half), range(half, repeats)]


def session_of(suite: Suite, engines: list, repeats: int) -> Session:
    # Peers have the scripts of the reference only.
    return Session([each for each in engines if suite.name == "sqlink" or not each.peer], repeats, show_progress)


def part_of_suite(suite: Suite, session: Session, options: argparse.Namespace) -> Part:
    results = session.results()
    part = Part(suite.name, results, suite.judge(results))
    if counts_instructions(options, suite.name) and results:
        show_progress("instructions")
        part.verdicts += instructions.measure(results[0], session.directory)
        part.workloads = {title(suite.name, results[0].workload): {"instructions": instructions.ABOUT}}
    if suite.name == persistent.SUITE and loops.is_wanted(persistent.ID, options.workloads):
        ours = [each for each in session.engines if not each.peer]
        part.samples, part.workloads = persistent.measure(ours, options.profile, session.repeats)
    return part


def part_of_loops(name: str, table: loops.Table, options: argparse.Namespace) -> Part:
    rows, about = table.samples(), table.workloads
    if name == breakdown.SUITE and loops.is_wanted(breakdown.ID, options.workloads):
        more, about_more = breakdown.measure(options.profile, table.players, show_progress)
        rows, about = rows + more, about | about_more
    return Part(name, [], [], rows, about, table.failures, {each.name: each.version() for each in used(table.players, rows)})


def counts_instructions(options: argparse.Namespace, suite: str = instructions.SUITE) -> bool:
    return suite == instructions.SUITE and suite in options.suites and options.profile != SMOKE


def used(playing: list, rows: list[dict]) -> list:
    names = {row["engine"] for row in rows}
    return [each for each in playing if each.name in names]


def work_of(suite: Suite, options: argparse.Namespace) -> Iterator[tuple[Workload, int | None]]:
    """The workloads of a suite that are wanted, at each size."""
    for workload in suite.workloads:
        heavy = workload.heavy and options.profile == SMOKE
        if not heavy and loops.is_wanted(workload.name, options.workloads):
            for rows in [None] if workload.fixed_amount else options.sizes or suite.sizes[options.profile]:
                yield workload, rows


def show_progress(text: str) -> None:
    """Replace the last line of a terminal; otherwise nothing."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    every = [workload for suite in SUITES for workload in suite.workloads]
    about = [*((each.name, each.about) for each in SUITES), *LOOP_SUITE_ABOUT.items(), *OTHER_ABOUT.items()]
    made = argparse.ArgumentParser(
        prog="tooling/bench/run",
        description="Compare the speed of our shell and of our engine with native SQLite and with others.",
        epilog=EPILOG.format(
            suites="\n".join(f"  {name:<12}{text}" for name, text in about),
            workloads="\n".join(f"  {each.name:<18}{each.about}" for each in every),
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    suites, engines = [name for name, _ in about], [each.name for each in ENGINES]
    names = [each.name for each in players.PLAYERS]
    add = made.add_argument
    add("--suites", type=suites_of(suites), default=DEFAULT_SUITES, metavar="NAME,…", help="some of those below, or `all`")
    add("--profile", choices=PROFILES, default=FULL, help="smoke: sees that all works; small; full: the references' sizes")
    add("--sizes", type=sizes, metavar="N,…", help="rows of whole processes (what each suite has)")
    add("--workloads", type=lambda text: text.split(","), default=[], metavar="NAME,…", help="some workloads, such as `read` or `W2`")
    add("--engines", type=some_of(engines), default=default_names(), metavar="NAME,…",
        help=f"of whole processes: some of {', '.join(engines)} (all; with CWASM=1 in the environment all but wasm)")  # fmt: skip
    add("--players", type=some_of(names), default=players.default_names(peers=False), metavar="NAME,…",
        help=f"of loops: some of {', '.join(names)} (those of this project)")  # fmt: skip
    add("--peers", dest="players", action="store_const", const=ALL, help="all players and engines")
    add("--repeats", type=positive, metavar="N", help="timed runs of each engine (2, 7, 15)")
    add("--markdown", action="store_true", help="tables as Markdown")
    add("--record", metavar="DIR", help="also write an envelope of each suite into this directory")
    add("--check", action="store_true", help="exit with 1 if a limit is missed")
    add("--test", action="store_true", help="check the benchmark itself")
    return made


def suites_of(known: list[str]) -> Callable[[str], list[str]]:
    return lambda text: known if text == "all" else some_of(known)(text)


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
