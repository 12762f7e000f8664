"""What the tests share."""

import os
import subprocess
import sys
import tempfile
import unittest

import sqlite_sandbox

#: Rows without an end.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"


class Case(unittest.TestCase):
    """A test with a directory of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def connect(self, *args, **options):
        """A connection that the test closes."""
        connection = sqlite_sandbox.connect(*args, **options)
        self.addCleanup(connection.close)
        return connection

    def run_python(self, *words, code=0, **environment):
        """What another process prints."""
        run = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, timeout=120, cwd=self.directory, env={**os.environ, **environment}
        )
        self.assertEqual(run.returncode, code, f"{words}\n{run.stdout}\n{run.stderr}")
        return (run.stdout + run.stderr).strip()
