"""Usage: PYTHON cpython.py

Runs the tests of sqlite3 that this CPython comes with, on sqlite_sandbox. SQLITE_SANDBOX_REPLACE and
sqlite_sandbox.pth have replaced sqlite3, in child processes too."""

import os
import sqlite3
import sys
import sysconfig
import unittest
import warnings

from excluded import EXCLUDED

#: The part of the tests that may be left out.
MOST_EXCLUDED = 0.01

assert sqlite3.__name__ == "sqlite_sandbox", sqlite3


def modules():
    """The modules with tests. Those of 3.10 are a part of the package sqlite3."""
    own = os.path.join(sysconfig.get_path("stdlib"), "sqlite3")
    if sys.version_info < (3, 11):
        sqlite3.__path__.append(own)
        directory, package = os.path.join(own, "test"), "sqlite3.test"
    else:
        directory, package = os.path.join(sysconfig.get_path("stdlib"), "test", "test_sqlite3"), "test.test_sqlite3"
    names = sorted(name.removesuffix(".py") for name in os.listdir(directory) if name.endswith(".py"))
    return [f"{package}.{name}" for name in names if not name.startswith("__")]


def flat(suite):
    """The tests, without those that are excluded."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def name_of(test):
    """What identifies a test in all versions of CPython: its class and method."""
    return ".".join(test.id().split(".")[-2:])


def main():
    """Run them; the exit code is 1 if one fails that is not excluded."""
    tests = list(flat(unittest.defaultTestLoader.loadTestsFromNames(modules())))
    mine = EXCLUDED.get("%d.%d" % sys.version_info[:2], {})
    unknown = mine.keys() - {name_of(test) for test in tests}
    run = [test for test in tests if name_of(test) not in mine]
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        result = unittest.TextTestRunner(verbosity=0, stream=sys.stderr).run(unittest.TestSuite(run))
    bad = [name_of(test) for test, _ in result.failures + result.errors]
    for name in bad:
        print("failed:", name)
    excluded = len(tests) - len(run)
    print(
        f"CPython {sys.version.split()[0]}: {len(tests)} tests, {result.testsRun - len(bad) - len(result.skipped)} passed, "
        f"{len(result.skipped)} skipped by CPython, {excluded} excluded, {len(bad)} failed"
    )
    if unknown:
        print("no test has the name:", *sorted(unknown))
    if excluded > MOST_EXCLUDED * len(tests):
        print(f"more than {MOST_EXCLUDED:.0%} are excluded")
    return bool(bad or unknown or not tests or excluded > MOST_EXCLUDED * len(tests))


if __name__ == "__main__":
    sys.exit(main())
