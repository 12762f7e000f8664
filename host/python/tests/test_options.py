"""Options of `connect` that a stranger may have chosen: none can become another option."""

import os
import pathlib
import sqlite3
import unittest

import sqlite_sandbox
from helpers import ENDLESS, Case

#: Names of files that mean something in a URI.
NAMES = ["a?b", "a?mode=memory", "a#b", "a%41", "a%00", "a&vfs=memdb", "a b", "ü", "a'\"b", "file:x", "file:x?mode=memory",
         "a?wasm_max_memory=4G", ":memory:x", "a\\b", "\udcff", "a\nb"]  # fmt: skip

BAD_MEMORY = ["64M&vfs=memdb", "64M&wasm_max_memory=4G", "64M#", "64M?x", "64M\0", "", "0", "-1", "1e9", "64m", "64 M", " 64M",
              "64M\n", "+64M", "٣M", "64MM", "K", "0x10", "9" * 13, "5G", "4097M", 0, -1, (4 << 30) + 1]  # fmt: skip
BAD_MEMORY_TYPES = [True, 1.5, b"64M", ["64M"], object()]
BAD_TIMES = [0, -1, 0.0009, float("nan"), float("inf"), 10**9]
BAD_EXTENSIONS = ["../vec0.so", "/tmp/x.so", "vec0\0.wasm", "vec0.so", "", "-x", "vec0.wasm.so", "ｖec"]


#: With texts in double quotes, which SQLite takes unless it is built otherwise.
QUOTED = ['SELECT "one", typeof("one")', 'SELECT a, "b" FROM t', 'SELECT "A" FROM t', "UPDATE t SET a = \"new\"", 'SELECT "x"."a" FROM t',
          'CREATE VIEW v AS SELECT "text" AS c', 'CREATE INDEX i ON t(a) WHERE a <> "no"', "SELECT * FROM v"]  # fmt: skip


class Options(Case):
    def test_texts_in_double_quotes_are_as_in_the_standard_module(self):
        def outcomes(connection):
            for sql in ("CREATE TABLE t(a)", "INSERT INTO t VALUES ('old')", *QUOTED):
                try:
                    yield connection.execute(sql).fetchall()
                except Exception as error:
                    yield type(error).__name__, str(error)

        standard = sqlite3.connect(":memory:")
        self.addCleanup(standard.close)
        expected = list(outcomes(standard))
        for options in ({}, {"memory": "64M"}, {"grants": [self.directory]}):
            self.assertEqual(list(outcomes(self.connect(":memory:", **options))), expected)

    def test_names_are_names(self):
        os.chdir(self.directory)
        for options in ({}, {"memory": "64M"}, {"statement_time": 5}, {"rows": 9}):
            for name in NAMES:
                with self.subTest(name=name, **options):
                    connection = self.connect(name, **options)
                    connection.execute("CREATE TABLE IF NOT EXISTS t(x)")
                    connection.close()
                    self.assertEqual(os.listdir(os.fsencode(".")), [os.fsencode(name)])
                    os.remove(name)

    def test_absolute_names_are_names(self):
        for name in NAMES:
            for path in (self.path(name), "//" + self.path(name), os.fsencode(self.path(name))):
                with self.subTest(path=path):
                    self.connect(path, memory="64M").execute("CREATE TABLE IF NOT EXISTS t(x)").connection.close()
                    self.assertEqual(os.listdir(os.fsencode(self.directory)), [os.fsencode(name)])
            os.remove(self.path(name))

    def test_nothing_and_memory_are_no_files(self):
        os.chdir(self.directory)
        for name in ("", ":memory:"):
            connection = self.connect(name, memory="64M")
            connection.execute("CREATE TABLE t(x)")
            self.assertEqual(connection.execute("PRAGMA database_list").fetchall(), [(0, "main", "")])
        self.assertEqual(os.listdir(self.directory), [])

    def test_nul_and_surrogates_in_paths(self):
        for path in ("a\0b", b"a\0b"):
            with self.assertRaises(ValueError):
                self.connect(path, memory="64M")
        for path in ("\ud800", "a\udfff"):
            with self.assertRaises(UnicodeEncodeError):
                self.connect(path, memory="64M")
        for path in (None, 1, object()):
            with self.assertRaises(TypeError):
                self.connect(path, memory="64M")

    def test_a_uri_keeps_its_parameters(self):
        path = self.path("x.db")
        self.connect(path).execute("CREATE TABLE t(x)")
        for mark in ("?mode=ro", "?mode=ro#x?mode=rwc", "?x=1&mode=ro"):
            connection = self.connect(f"file:{path}{mark}", uri=True, memory="64M")
            with self.assertRaises(sqlite_sandbox.OperationalError):
                connection.execute("INSERT INTO t VALUES (1)")

    def test_a_uri_cannot_lift_limits(self):
        for parameter in ("wasm_max_memory=4G", "x=1&wasm_max_memory=4G", "wasm_max_memory=4G#?wasm_max_memory=4G"):
            connection = self.connect(f"file:{self.path('x.db')}?{parameter}", uri=True, memory="16M")
            with self.assertRaises(sqlite_sandbox.LimitError):
                connection.execute("SELECT length(zeroblob(30000000) || 'x')").fetchall()
            connection = self.connect(f"file:{self.path('x.db')}?wasm_timeout=9h", uri=True, statement_time=0.1)
            with self.assertRaises(sqlite_sandbox.LimitError):
                connection.execute(ENDLESS.format("count(*)")).fetchall()

    def test_uri_by_its_position(self):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            connection = self.connect("file::memory:", 5.0, 0, None, True, sqlite_sandbox.Connection, 10, True, memory="64M")
        self.assertIsNone(connection.isolation_level)
        self.assertEqual(connection.execute("PRAGMA database_list").fetchall(), [(0, "main", "")])

    def test_values_are_checked(self):
        for value in BAD_MEMORY:
            with self.subTest(memory=value), self.assertRaises(ValueError):
                self.connect(":memory:", memory=value)
        for value in BAD_MEMORY_TYPES:
            with self.subTest(memory=value), self.assertRaises(TypeError):
                self.connect(":memory:", memory=value)
        for value in BAD_TIMES:
            with self.subTest(statement_time=value), self.assertRaises(ValueError):
                self.connect(":memory:", statement_time=value)
        for value in ("1s", "1&x=1", True, b"1"):
            with self.subTest(statement_time=value), self.assertRaises(TypeError):
                self.connect(":memory:", statement_time=value)
        for value in (0, -1, 2**63):
            with self.subTest(rows=value), self.assertRaises(ValueError):
                self.connect(":memory:", rows=value)
        for value in ("1", 1.0, True):
            with self.subTest(rows=value), self.assertRaises(TypeError):
                self.connect(":memory:", rows=value)

    def test_extensions_are_components(self):
        for value in BAD_EXTENSIONS:
            with self.subTest(extension=value), self.assertRaises(ValueError):
                self.connect(":memory:", extensions=[value])
        for value in ("vec0", [b"vec0"], [1]):
            with self.subTest(extensions=value), self.assertRaises(TypeError):
                self.connect(":memory:", extensions=value)
        with self.assertRaisesRegex(sqlite_sandbox.OperationalError, "no extension named"):
            self.connect(":memory:", extensions=["nope"])

    def test_extensions_are_loaded(self):
        connection = self.connect(":memory:", extensions=["uuid", "vec0"], memory="256M")
        self.assertEqual(connection.execute("SELECT length(uuid4())").fetchone(), (36,))
        connection.execute("CREATE VIRTUAL TABLE v USING vec0(x FLOAT[2])")
        connection.execute("INSERT INTO v(x) VALUES ('[1, 2]')")
        self.assertEqual(connection.execute("SELECT count(*) FROM v").fetchone(), (1,))
        # SQL cannot load others afterwards.
        with self.assertRaisesRegex(sqlite_sandbox.OperationalError, "not authorized"):
            connection.load_extension("sha3.wasm")
        with self.assertRaises(sqlite_sandbox.OperationalError):
            connection.execute("SELECT load_extension('sha3.wasm')")

    def test_other_files_are_not_granted(self):
        connection = self.connect(self.path("x.db"), memory="64M")
        for path in ("/etc/passwd", "/proc/self/mem", "../x.db", "/root/x.db"):
            with self.subTest(path=path), self.assertRaises(sqlite_sandbox.OperationalError):
                connection.execute("ATTACH ? AS other", (path,))

    def other(self, name="other"):
        """A directory with a database that is not granted."""
        directory = self.path(name)
        os.mkdir(directory)
        path = os.path.join(directory, "x.db")
        with sqlite_sandbox.connect(path) as connection:
            connection.execute("CREATE TABLE t(x)")
        connection.close()
        return directory, path

    def attach(self, path, **options):
        """A connection to another directory's database, with the other one attached."""
        os.makedirs(self.path("own"), exist_ok=True)
        connection = self.connect(self.path("own/x.db"), **options)
        connection.execute("ATTACH ? AS other", (path,))
        return connection

    def test_grants_are_for_one_connection(self):
        directory, path = self.other()
        for grants in ([directory], [f"{directory}:rw"], [pathlib.Path(directory)], ["/usr:ro", directory]):
            with self.subTest(grants=grants):
                connection = self.attach(path, grants=grants, memory="64M")
                connection.execute("INSERT INTO other.t VALUES (1)").connection.commit()
                connection.close()
            with self.assertRaises(sqlite_sandbox.OperationalError):
                self.attach(path)

    def test_a_grant_for_reading(self):
        directory, path = self.other()
        connection = self.attach(path, grants=[f"{directory}:ro"])
        self.assertEqual(connection.execute("SELECT count(*) FROM other.t").fetchone(), (0,))
        with self.assertRaisesRegex(sqlite_sandbox.OperationalError, "readonly"):
            connection.execute("INSERT INTO other.t VALUES (1)")
        # It holds for the database itself, too.
        connection = self.connect(path, grants=[f"{directory}:ro"])
        with self.assertRaisesRegex(sqlite_sandbox.OperationalError, "readonly"):
            connection.execute("INSERT INTO t VALUES (1)")

    def test_the_environment_comes_before_grants(self):
        directory, path = self.other()
        code = (
            "import sqlite_sandbox, sys\n"
            "con = sqlite_sandbox.connect(':memory:', grants=[sys.argv[1]])\n"
            "con.execute('ATTACH ? AS other', (sys.argv[2],))\n"
            "try: con.execute('INSERT INTO other.t VALUES (1)')\n"
            "except sqlite_sandbox.OperationalError as error: print(error)"
        )
        self.assertIn("readonly", self.run_python("-c", code, directory, path, SQLITE_WASM_GRANTS=f"{directory}:ro"))

    def test_no_uri_grants(self):
        directory, path = self.other()
        for name in ("wasm_grants", "grants", "wasm_grant"):
            with self.subTest(name=name), self.assertRaises(sqlite_sandbox.OperationalError):
                own = f"file:{self.directory}/own/x.db?{name}={directory}"
                os.makedirs(self.path("own"), exist_ok=True)
                self.connect(own, uri=True, grants=["/usr:ro"]).execute("ATTACH ? AS other", (path,))

    def test_grants_do_not_outlive_connect(self):
        directory, path = self.other()
        with self.assertRaises(TypeError):
            self.connect(":memory:", grants=[directory], timeout="soon")
        with self.assertRaises(sqlite_sandbox.OperationalError):
            self.connect(self.path("no/x.db"), grants=[directory])

        class Twice(sqlite_sandbox.Connection):
            def __init__(self, database, **options):
                super().__init__(database, **options)
                self.second = sqlite_sandbox.connect(":memory:")

        first = self.connect(":memory:", grants=[directory], factory=Twice)
        self.addCleanup(first.second.close)
        first.execute("ATTACH ? AS other", (path,))
        for connection in (first.second, self.connect(":memory:"), self.connect("file::memory:?", uri=True)):
            with self.assertRaises(sqlite_sandbox.OperationalError):
                connection.execute("ATTACH ? AS other", (path,))

    def test_shared_caches_have_one_list_of_grants(self):
        (first, path), (second, _) = self.other(), self.other("second")
        os.mkdir(self.path("own"))
        uri = f"file:{self.directory}/own/x.db?cache=shared"
        connection = self.connect(uri, uri=True, grants=[first])
        self.connect(uri, uri=True, grants=[first]).execute("ATTACH ? AS other", (path,))
        for grants in ([second], [first, second], [f"{first}:ro"]):
            with self.subTest(grants=grants), self.assertRaisesRegex(sqlite_sandbox.OperationalError, "other grants"):
                self.connect(uri, uri=True, grants=grants)
        connection.execute("ATTACH ? AS other", (path,))

    def test_extensions_get_grants(self):
        directory, _ = self.other()
        file = os.path.join(directory, "x.csv")
        with open(file, "w") as written:
            written.write("a,b\n1,2\n")
        table = f"CREATE VIRTUAL TABLE temp.c USING csv(filename='{file}', header=1)"
        with self.assertRaises(sqlite_sandbox.OperationalError):
            self.connect(":memory:", extensions=["csv"]).execute(table)
        connection = self.connect(":memory:", extensions=["csv"], grants=[f"csv=dir:{directory}:ro"])
        connection.execute(table)
        self.assertEqual(connection.execute("SELECT b FROM c").fetchall(), [("2",)])

    def test_grants_are_checked(self):
        for value in ("/usr", b"/usr", pathlib.Path("/usr"), [b"/usr"], [1], [None], 1):
            with self.subTest(grants=value), self.assertRaises(TypeError):
                self.connect(":memory:", grants=value)
        for value in ("", "a\0b", "/usr\0:ro"):
            with self.subTest(grant=value), self.assertRaises(ValueError):
                self.connect(":memory:", grants=[value])
        for value in ("/nothing/here", "/proc", "/proc/self", "csv=dir:/nothing/here", "csv=everything", "csv="):
            with self.subTest(grant=value), self.assertRaises(sqlite_sandbox.OperationalError):
                self.connect(":memory:", grants=[value])

    def test_factories_get_the_path(self):
        class Factory(sqlite_sandbox.Connection):
            def __init__(self, database, **options):
                self.given = str(database)
                super().__init__(database, **options)

        connection = self.connect(self.path("a?b"), memory="64M", factory=Factory)
        self.assertEqual(connection.given, self.path("a?b"))
        self.assertIsInstance(connection, Factory)


if __name__ == "__main__":
    unittest.main()
