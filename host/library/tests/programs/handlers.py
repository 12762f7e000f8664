"""Signal handlers of the program: a trap of the sandbox is an error, and a fault of the program's
own still ends it with a traceback. `late`: the handlers are installed after the sandbox's."""

import faulthandler
import sqlite3
import subprocess
import sys

order = sys.argv[1]
if order == "early":
    faulthandler.enable()
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE t(a)")
if order == "late":
    faulthandler.enable()
for sql in ("SELECT planted_read(4000000000, 70000)", "SELECT planted_write(4000000000, 70000, 1)", "SELECT planted_call(2000000000)"):
    hostile = sqlite3.connect(":memory:")
    try:
        hostile.execute(sql).fetchall()
        sys.exit(f"{sql}: no error")
    except sqlite3.Error as error:
        if "trapped" not in str(error):
            sys.exit(f"{sql}: {error}")
db.execute("INSERT INTO t VALUES(1)")
assert db.execute("SELECT count(*) FROM t").fetchone() == (1,)
own = "import ctypes, faulthandler, sqlite3; sqlite3.connect(':memory:').execute('SELECT 1'); faulthandler.enable(); ctypes.string_at(1)"
ended = subprocess.run([sys.executable, "-c", own], capture_output=True, text=True)
assert ended.returncode == -11 and "Segmentation fault" in ended.stderr, ended
print("traps are errors")
