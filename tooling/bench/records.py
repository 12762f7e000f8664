"""What is done with records: compare, report, check."""

import argparse
import sys
from pathlib import Path

from . import chapter, compare, markdown, page
from .envelope import load_record

COMMANDS = ("compare", "report", "check")


def main(words: list[str]) -> int:
    options = parser().parse_args(words)
    return options.run(options)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="tooling/bench/run")
    commands = made.add_subparsers(required=True)
    found = commands.add_parser("compare", help="two records: directories, or files of one suite")
    found.add_argument("a", type=Path)
    found.add_argument("b", type=Path)
    found.add_argument("--fail", action="store_true", help="exit with 1 if something has become slower")
    found.set_defaults(run=run_compare)
    found = commands.add_parser("report", help="a page in HTML, and a table in Markdown on stdout")
    found.add_argument("records", type=Path, nargs="+")
    found.add_argument("--html", type=Path, help="where the page is written")
    found.add_argument("--plots", type=Path, help="the file of Plotly that is embedded; without it, tables only")
    found.add_argument("--readme", type=Path, help="put the chapter on speed of the first record into this file, between its marks")
    found.add_argument("--tables", type=Path, help="put its tables of what we lose into this file, between its marks")
    found.set_defaults(run=run_report)
    found = commands.add_parser("check", help="whether files are envelopes")
    found.add_argument("records", type=Path, nargs="+")
    found.set_defaults(run=run_check)
    return made


def run_compare(options: argparse.Namespace) -> int:
    before, after = load_record(options.a), load_record(options.b)
    found = compare.compare(before, after)
    print(*compare.markdown(found), sep="\n")
    if not found.lines and not found.figures:
        print("error: the records have neither a row nor a figure in common", file=sys.stderr)
        return 2
    return 1 if options.fail and found.regressions() else 0


def run_report(options: argparse.Namespace) -> int:
    envelopes = [each for record in options.records for each in load_record(record)]
    if options.html:
        options.html.parent.mkdir(parents=True, exist_ok=True)
        options.html.write_text(page.html(envelopes, options.plots), encoding="utf-8")
    chapters = [(file, text) for file, text in ((options.readme, chapter.summary), (options.tables, chapter.tables)) if file]
    for file, text in chapters:
        chapter.refuse_marked(envelopes)
        chapter.write_into(file, text(envelopes, options.records[0]))
    if not chapters:
        print(*markdown.markdown(envelopes), sep="\n")
    return 0


def run_check(options: argparse.Namespace) -> int:
    for record in options.records:
        for each in load_record(record):
            print(f"{record}: {each['suite']}, {len(each['samples'])} rows, envelope {each['schema_version']}")
    return 0
