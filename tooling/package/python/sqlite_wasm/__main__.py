"""Runs a Python program on the sandboxed SQLite.

usage: python -m sqlite_wasm PROGRAM.py | -m MODULE | -c CODE [ARGUMENT...]
"""

import os
import sys

from . import FILES

USAGE = __doc__.strip().splitlines()[-1]

#: Runs in the new interpreter before the program: the library must be the sandboxed one.
CHECK = """
import ctypes, sys
try:
    import _sqlite3
    used = ctypes.CDLL(_sqlite3.__file__).sqlite3_compileoption_used(b"WASM_SANDBOX")
    reason = "its sqlite3 module uses another library, by an RPATH or because it contains SQLite"
except (ImportError, AttributeError, OSError) as error:
    used, reason = 0, str(error)
if not used:
    sys.exit(f"sqlite_wasm: {sys.executable} would not run SQLite in the sandbox: {reason}")
"""


def main():
    """Check, then become the program."""
    if len(sys.argv) < 2:
        sys.exit(USAGE)
    library = str(FILES / "lib")
    paths = [library, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(paths)}
    checked = os.spawnve(os.P_WAIT, sys.executable, [sys.executable, "-c", CHECK], environment)
    if checked != 0:
        sys.exit(1)
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
