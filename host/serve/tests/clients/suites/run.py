"""Own test suites of frameworks and drivers, here and on PostgreSQL: what passes there passes here, or is excluded with a reason.

Usage: run.py SUITE OURS THEIRS DIRECTORY    each server as HOST,PORT,USER,DATABASE
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# A module of tests that takes longer hangs; those of pgx are one for us, whose packages Go ends.
SECONDS = 1800
# As many tests pass on PostgreSQL at least, so that a suite which does not start is seen.
LEAST = {"django": 1400, "asyncpg": 200, "pgx": 1000}
PASSED, SKIPPED, FAILED = "passed", "skipped", "failed"


class Server:
    """Where the tests of a directory run, and what they print there."""

    def __init__(self, words, log):
        self.host, self.port, self.user, self.database = words.split(",")
        self.log = log
        log.write_text("")

    def output_of(self, command, directory, **variables):
        """What a command prints, also if it does not end."""
        own = {"PGHOST": self.host, "PGPORT": self.port, "PGUSER": self.user, "PGDATABASE": self.database}
        fixed = {"PGPASSWORD": "", "PGSSLMODE": "disable", "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=os.environ | own | fixed | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output = process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0] + f"\nended after {SECONDS} s\n"
        with self.log.open("a") as log:
            log.write(output)
        return output


# `test_name (module.Class.test_name) … ok`, where what a test prints may be between both.
STARTED = re.compile(r"^(\w+) \(([\w.]+)\)", re.MULTILINE)
OUTCOMES = {"ok": PASSED, "expected failure": PASSED, "FAIL": FAILED, "ERROR": FAILED}


def unittest_outcomes(output):
    """By `Class.test_name` with its module."""
    found = {}
    report = output.split("\n======", 1)[0]
    starts = list(STARTED.finditer(report))
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        text = report[start.end() : following.start() if following else len(report)]
        outcome = re.search(r"\.\.\. (?:.*?)\b(ok|FAIL|ERROR|expected failure|skipped|unexpected success)\b", text, re.DOTALL)
        name = start[2] if start[2].endswith(start[1]) else f"{start[2]}.{start[1]}"
        found[name] = OUTCOMES.get(outcome[1], SKIPPED if outcome[1] == "skipped" else FAILED) if outcome else FAILED
    # A subtest fails on its own line, and a class before its tests.
    for failed in re.finditer(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)", output, re.MULTILINE):
        name = failed[2] if failed[2].endswith(failed[1]) else f"{failed[2]}.{failed[1]}"
        found[name] = FAILED
    return found


def django(server, source):
    """The applications of the issue, in databases that are there."""
    found = {}
    for label in ("backends", "queries", "aggregation", "migrations"):
        options = ["--settings=suite_settings", "--verbosity=2", "--parallel=1", "--noinput", "--keepdb"]
        command = [sys.executable, "runtests.py", *options, label]
        found |= unittest_outcomes(server.output_of(command, f"{source}/tests", PYTHONPATH=str(HERE)))
    return found


def asyncpg(server, source):
    """All modules but those that test its source and Python's subinterpreters."""
    found = {}
    left = {"test__environment", "test__sourcecode", "test_subinterpreters"}
    for module in sorted(pathlib.Path(source, "tests").glob("test_*.py")):
        if module.stem not in left:
            command = [sys.executable, "-m", "unittest", "-v", f"tests.{module.stem}"]
            found |= unittest_outcomes(server.output_of(command, source))
    return found


def pgx(server, source):
    """The driver and its packages, from the module in which Go has them."""
    address = f"host={server.host} port={server.port} user={server.user} dbname={server.database} sslmode=disable"
    # One test at a time: a server with one writer would end some of them by its limit of time.
    command = ["go", "test", "-json", "-count=1", "-p=1", "-parallel=1", "-timeout=300s", "github.com/jackc/pgx/v5/..."]
    found = {}
    for line in server.output_of(command, source, PGX_TEST_DATABASE=address).splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            # Go also prints other lines, and a killed process may leave half an event.
            continue
        outcome = {"pass": PASSED, "skip": SKIPPED, "fail": FAILED}.get(event["Action"])
        package = event.get("Package", "").removeprefix("github.com/jackc/pgx/")
        if "Test" in event:
            name = f"{package}.{event['Test']}"
            # A test that never ends has no other event.
            found[name] = outcome or found.get(name, FAILED)
    return found


def excluded(suite):
    """Tests with the reasons, which are the comments before them."""
    reason, found = None, {}
    for line in (HERE / "excluded" / f"{suite}.txt").read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line.strip():
            found[line.strip()] = reason
    return found


def main(suite, ours, theirs, source):
    run = {"django": django, "asyncpg": asyncpg, "pgx": pgx}[suite]
    known = excluded(suite)
    logs = [pathlib.Path(f"{source}.{name}.log") for name in ("here", "there")]
    here, there = (run(Server(words, log), source) for words, log in zip((ours, theirs), logs, strict=True))
    expected = {name for name, outcome in there.items() if outcome == PASSED}
    passed = {name for name in expected if here.get(name) == PASSED}
    new, mended = sorted(expected - passed - known.keys()), sorted(known.keys() & passed)
    print(f"{suite}: {len(expected)} tests pass on PostgreSQL, {len(passed)} of them here; {len(known)} are excluded")
    for name in new:
        print(f"error: {suite}: {name} passes on PostgreSQL and not here", file=sys.stderr)
    for name in mended:
        print(f"error: {suite}: {name} passes; take it out of excluded/{suite}.txt", file=sys.stderr)
    if new:
        print(f"error: {suite}: {logs[0]} has what they print", file=sys.stderr)
    if len(expected) < LEAST[suite]:
        print(f"error: {suite}: fewer than {LEAST[suite]} tests pass on PostgreSQL; {logs[1]} says why", file=sys.stderr)
    sys.exit(bool(new or mended or len(expected) < LEAST[suite]))


if __name__ == "__main__":
    main(*sys.argv[1:])
