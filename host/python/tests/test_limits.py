"""Limits of a connection: each holds, says its name, and leaves the connection usable."""

import os
import sqlite3
import threading
import time
import unittest

import sqlite_sandbox
from helpers import ENDLESS, Case


class Limits(Case):
    def assert_reached(self, limit, connection, sql):
        """Running it reaches the limit."""
        with self.assertRaises(sqlite_sandbox.LimitError) as caught:
            connection.execute(sql).fetchall()
        error = caught.exception
        self.assertEqual(error.limit, limit)
        self.assertIsInstance(error, sqlite_sandbox.OperationalError)
        self.assertNotIsInstance(error, sqlite3.Error)
        self.assertIn(limit, str(error))
        self.assertEqual(connection.execute("SELECT 42").fetchone(), (42,))
        return error

    def test_memory_is_limited(self):
        connection = self.connect(":memory:", memory="16M")
        error = self.assert_reached("memory", connection, "SELECT length(zeroblob(30000000) || 'x')")
        self.assertIsInstance(error, MemoryError)
        self.assertEqual(error.sqlite_errorname, "SQLITE_NOMEM")

    def test_memory_grows_by_rows(self):
        connection = self.connect(self.path("x.db"), memory=16 << 20)
        self.assert_reached(
            "memory", connection, "SELECT group_concat(t) FROM (" + ENDLESS.format("hex(randomblob(1000)) AS t") + " LIMIT 20000)"
        )

    def test_parameters_beyond_the_memory_are_errors_and_not_null(self):
        connection = self.connect(":memory:", memory="16M")
        connection.execute("CREATE TABLE t(a, b)")
        for value in (bytes(50_000_000), "x" * 50_000_000):
            with self.assertRaises(sqlite_sandbox.MemoryLimitError):
                connection.execute("INSERT INTO t VALUES (?, ?)", (1, value))
            with self.assertRaises(sqlite_sandbox.MemoryLimitError):
                connection.executemany("INSERT INTO t VALUES (?, ?)", [(2, value)])
        connection.execute("INSERT INTO t VALUES (?, ?)", (3, "kept"))
        self.assertEqual(connection.execute("SELECT a, b FROM t").fetchall(), [(3, "kept")])

    def test_time_of_a_statement_without_rows_is_limited(self):
        connection = self.connect(":memory:", statement_time=0.2)
        start = time.monotonic()
        error = self.assert_reached("statement_time", connection, ENDLESS.format("count(*)"))
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(error.sqlite_errorname, "SQLITE_INTERRUPT")

    def test_time_of_all_rows_is_limited(self):
        # Each row takes less than the limit.
        connection = self.connect(":memory:", statement_time=0.2)
        self.assert_reached("statement_time", connection, ENDLESS.format("hex(randomblob(2000))"))

    def test_time_of_one_call_inside_sqlite_is_limited(self):
        connection = self.connect(":memory:", statement_time=0.2)
        connection.execute("CREATE TABLE t AS SELECT hex(zeroblob(400000)) AS text")
        with self.assertRaises(sqlite_sandbox.LimitError) as caught:
            connection.execute("SELECT instr(text, substr(text, 1, 300000) || '1') FROM t").fetchall()
        self.assertEqual(caught.exception.limit, "statement_time")
        # SQLite does not come back from there: the instance is given up, and others go on.
        self.assertIn("the connection is gone", str(caught.exception))
        self.assertEqual(self.connect(":memory:").execute("SELECT 42").fetchone(), (42,))

    def test_time_of_a_script_is_limited(self):
        connection = self.connect(":memory:", statement_time=0.2)
        for sql in ("CREATE TABLE t(x); " + ENDLESS.format("i"), ENDLESS.format("count(*)") + "; SELECT 1"):
            with self.assertRaises(sqlite_sandbox.LimitError):
                connection.executescript(sql)
            connection.executescript("SELECT 1")

    def test_rows_of_a_script_are_limited(self):
        connection = self.connect(":memory:", rows=10)
        connection.executescript(f"{ENDLESS.format('i')} LIMIT 10; {ENDLESS.format('i')} LIMIT 10")
        with self.assertRaises(sqlite_sandbox.LimitError):
            connection.executescript(ENDLESS.format("i"))

    def test_an_interruption_is_no_limit(self):
        connection = self.connect(":memory:", check_same_thread=False, statement_time=60)
        timer = threading.Timer(0.2, connection.interrupt)
        timer.start()
        with self.assertRaises(sqlite_sandbox.OperationalError) as caught:
            connection.execute(ENDLESS.format("count(*)")).fetchall()
        timer.join()
        self.assertNotIsInstance(caught.exception, sqlite_sandbox.LimitError)

    def test_rows_are_limited(self):
        connection = self.connect(":memory:", rows=100)
        self.assertEqual(len(connection.execute(ENDLESS.format("i") + " LIMIT 100").fetchall()), 100)
        self.assert_reached("rows", connection, ENDLESS.format("i") + " LIMIT 101")
        self.assert_reached("rows", connection, ENDLESS.format("i"))

    def test_each_statement_has_its_own_rows(self):
        connection = self.connect(":memory:", rows=10)
        cursors = [connection.execute(ENDLESS.format("i")) for _ in range(3)]
        for cursor in cursors:
            self.assertEqual(len(cursor.fetchmany(9)), 9)
        for cursor in cursors:
            with self.assertRaises(sqlite_sandbox.LimitError):
                cursor.fetchall()
        connection.execute("CREATE TABLE t(x)")
        connection.executemany("INSERT INTO t VALUES (?)", [(i,) for i in range(100)])
        self.assertEqual(connection.execute("SELECT count(*) FROM t").fetchone(), (100,))

    def test_rows_of_statements_within_functions_are_limited(self):
        connection = self.connect(":memory:", rows=5)
        connection.create_function("nested", 0, lambda: len(connection.execute(ENDLESS.format("i") + " LIMIT 5").fetchall()))
        self.assertEqual(connection.execute("SELECT nested(), nested()").fetchall(), [(5, 5)])
        connection.create_function("more", 0, lambda: len(connection.execute(ENDLESS.format("i")).fetchall()))
        with self.assertRaises(sqlite_sandbox.OperationalError):
            connection.execute("SELECT more()").fetchall()

    def test_connections_do_not_share_limits(self):
        limited, free = self.connect(":memory:", rows=1), self.connect(":memory:")
        self.assertEqual(len(free.execute(ENDLESS.format("i") + " LIMIT 1000").fetchall()), 1000)
        self.assert_reached("rows", limited, ENDLESS.format("i"))

    def test_threads_of_limited_connections(self):
        failures = []

        def work():
            try:
                connection = sqlite_sandbox.connect(":memory:", rows=10, statement_time=5)
                for _ in range(50):
                    self.assertEqual(len(connection.execute(ENDLESS.format("i") + " LIMIT 10").fetchall()), 10)
                    self.assert_reached("rows", connection, ENDLESS.format("i"))
                connection.close()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_environment_is_a_ceiling(self):
        code = (
            "import sqlite_sandbox\n"
            "connection = sqlite_sandbox.connect(':memory:', memory='1G')\n"
            "try: connection.execute('SELECT length(zeroblob(30000000) || 1)').fetchall()\n"
            "except sqlite_sandbox.LimitError as error: print(error.limit)"
        )
        self.assertEqual(self.run_python("-c", code, SQLITE_WASM_MAX_MEMORY="16M"), "memory")

    def test_a_crafted_database_is_an_error(self):
        path = self.path("x.db")
        with sqlite3.connect(path) as native:
            native.execute("CREATE TABLE t(x)")
            native.executemany("INSERT INTO t VALUES (?)", [(os.urandom(50),) for _ in range(1000)])
        native.close()
        with open(path, "r+b") as file:
            file.seek(4096)
            file.write(os.urandom(20000))
        connection = self.connect(path, memory="64M", statement_time=5)
        with self.assertRaises(sqlite_sandbox.DatabaseError):
            connection.execute("SELECT count(*), sum(length(x)) FROM t").fetchall()


if __name__ == "__main__":
    unittest.main()
