"""Runs a Python program on the sandboxed SQLite.

usage: python -m sqlite_sandbox_library PROGRAM.py | -m MODULE | -c CODE [ARGUMENT...]
"""

import os
import sys

from . import FILES

USAGE = __doc__.strip().splitlines()[-1]

#: Runs in the new interpreter before the program: the library must be the sandboxed one. No
#: module comes from the working directory, which is not on the program's path.
CHECK = """
import sys
sys.path[:] = filter(None, sys.path)
used = 0
reason = "its sqlite3 module uses another library, by an RPATH or because it contains SQLite"
try:
    import ctypes, _sqlite3
    # A module that is linked statically has no file: the process itself has its symbols.
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    used = library.sqlite3_compileoption_used(b"WASM_SANDBOX")
except AttributeError:
    # SQLite is inside, and its symbols are hidden.
    pass
except (ImportError, OSError) as error:
    reason = str(error)
if not used:
    sys.exit(f"sqlite_sandbox_library: {sys.executable} would not run SQLite in the sandbox: {reason}")
"""


def options():
    """Those that this interpreter was started with and that decide which modules it finds."""
    given = sys.flags
    flags = {"-I": given.isolated, "-E": given.ignore_environment, "-s": given.no_user_site, "-S": given.no_site}
    # Python 3.11 and later have it.
    flags["-P"] = getattr(given, "safe_path", False)
    return [flag for flag, is_set in flags.items() if is_set]


def main():
    """Check, then become the program."""
    if len(sys.argv) < 2:
        sys.exit(USAGE)
    paths = [os.path.join(FILES, "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(paths)}
    python = [sys.executable, *options()]
    if os.spawnve(os.P_WAIT, sys.executable, [*python, "-c", CHECK], environment) != 0:
        sys.exit(1)
    os.execve(sys.executable, [*python, *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
