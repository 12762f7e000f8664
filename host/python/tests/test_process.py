"""Both modules in one process: in either order of import, with faulthandler, threads and forks; and whole
programs, in which this module replaces the other."""

import os
import sys
import textwrap
import unittest

from helpers import Case

CHECK = """
import os, threading, warnings

# From 3.12 on fork warns if there are threads, and the library has one for its limits.
warnings.simplefilter("ignore", DeprecationWarning)

def check(module, version):
    connection = module.connect(":memory:")
    connection.create_function("twice", 1, lambda x: 2 * x)
    assert connection.execute("SELECT twice(21)").fetchone() == (42,)
    found = connection.execute("SELECT sqlite_version()").fetchone()[0]
    assert (found == "3.54.1") == version, (module, found)
    try:
        connection.execute("nonsense")
    except module.OperationalError:
        pass

def both():
    check(sqlite_sandbox, True)
    check(sqlite3, False)
    assert sqlite3.OperationalError is not sqlite_sandbox.OperationalError

both()
threads = [threading.Thread(target=both) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
child = os.fork()
if child == 0:
    both()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
both()
print("good")
"""

IMPORTS = [
    "import sqlite3, sqlite_sandbox",
    "import sqlite_sandbox, sqlite3",
    "import sqlite3; sqlite3.connect(':memory:'); import sqlite_sandbox",
    "import sqlite_sandbox; sqlite_sandbox.connect(':memory:'); import sqlite3",
]


class Process(Case):
    def test_both_modules_in_either_order(self):
        for imports in IMPORTS:
            with self.subTest(imports=imports):
                self.assertEqual(self.run_python("-c", imports + CHECK), "good")
                self.assertEqual(self.run_python("-X", "faulthandler", "-c", imports + CHECK), "good")
                late = f"{imports}; import faulthandler; faulthandler.enable()"
                self.assertEqual(self.run_python("-c", late + CHECK), "good")

    def test_with_the_library_for_the_whole_process(self):
        # As `python -m sqlite_sandbox_library` does: then both are in the sandbox.
        from sqlite_sandbox._location import LIBRARY

        code = "import sqlite3, sqlite_sandbox\nprint(*[m.connect(':memory:').execute('SELECT sqlite_version()').fetchone()[0] for m in (sqlite3, sqlite_sandbox)])"
        found = self.run_python("-c", code, LD_LIBRARY_PATH=os.path.dirname(LIBRARY))
        self.assertTrue(found.endswith("3.54.1"), found)

    def test_with_other_symbols_in_front(self):
        # A process whose libsqlite3 is global: its functions come first for the dynamic linker.
        code = "import ctypes.util, ctypes\nctypes.CDLL('libsqlite3.so.0', ctypes.RTLD_GLOBAL)\nimport sqlite3, sqlite_sandbox"
        self.assertEqual(self.run_python("-c", code + CHECK), "good")

    def test_a_connection_of_the_parent_is_misuse_in_a_child(self):
        code = """
            import os, sqlite_sandbox
            connection = sqlite_sandbox.connect("x.db")
            connection.execute("CREATE TABLE t(x)")
            child = os.fork()
            if child == 0:
                try:
                    connection.execute("SELECT 1")
                except sqlite_sandbox.Error as error:
                    print(error.sqlite_errorname, flush=True)
                print(sqlite_sandbox.connect("x.db").execute("SELECT count(*) FROM t").fetchone(), flush=True)
                os._exit(0)
            os.waitpid(child, 0)
            print(connection.execute("SELECT 1").fetchone())
        """
        self.assertEqual(self.run_python("-c", textwrap.dedent(code)).split("\n"), ["SQLITE_MISUSE", "(0,)", "(1,)"])

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(textwrap.dedent(text))
        return self.path(name)

    def test_whole_programs(self):
        program = self.write(
            "app.py",
            """
            import multiprocessing, pickle, sqlite3, subprocess, sys
            def child():
                import sqlite3
                print("spawned", sqlite3.__name__, flush=True)
            if __name__ == "__main__":
                import sqlite3.dbapi2, _sqlite3
                print(sys.argv[1:], sqlite3.__name__, _sqlite3.__name__, sqlite3.dbapi2.__name__, flush=True)
                error = pickle.loads(pickle.dumps(sqlite3.OperationalError("x")))
                assert type(error) is sqlite3.OperationalError
                subprocess.run([sys.executable, "-c", "import sqlite3; print('started', sqlite3.__name__)"], check=True)
                process = multiprocessing.get_context("spawn").Process(target=child)
                process.start()
                process.join()
        """,
        )
        self.assertEqual(
            self.run_python("-m", "sqlite_sandbox", program, "a", "-m"),
            "['a', '-m'] sqlite_sandbox sqlite_sandbox._sqlite3 sqlite_sandbox.dbapi2\nstarted sqlite_sandbox\nspawned sqlite_sandbox",
        )

    def test_forms_of_programs(self):
        print_name = "import sqlite3, sys; print(sqlite3.__name__, sys.argv[1:])"
        expected = "sqlite_sandbox ['a']"
        self.assertEqual(self.run_python("-m", "sqlite_sandbox", "-c", print_name, "a"), expected)
        self.write("module.py", print_name)
        self.assertEqual(self.run_python("-m", "sqlite_sandbox", "-m", "module", "a"), expected)
        self.assertIn("usage:", self.run_python("-m", "sqlite_sandbox", code=1))
        self.assertEqual(self.run_python("-m", "sqlite_sandbox", self.write("exit.py", "raise SystemExit(3)"), code=3), "")
        self.assertEqual(self.run_python("-c", "import sqlite3; print(sqlite3.__name__)"), "sqlite3")
        if sys.version_info >= (3, 12):
            shell = self.run_python("-m", "sqlite_sandbox", "-m", "sqlite3", ":memory:", "SELECT sqlite_version()")
            self.assertEqual(shell, "('3.54.1',)")

    def test_a_program_that_has_the_other_module_is_refused(self):
        code = "import sqlite3, sqlite_sandbox._replace; sqlite_sandbox._replace.install()"
        self.assertIn("another module has imported sqlite3 before", self.run_python("-c", code, code=1))


if __name__ == "__main__":
    unittest.main()
