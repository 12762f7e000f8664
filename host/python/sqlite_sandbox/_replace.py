"""Replaces sqlite3 with sqlite_sandbox, in this process.

`sqlite_sandbox.pth` imports this module when Python starts, if the variable is set: so child processes of
a program that `python -m sqlite_sandbox` runs have it, too.
"""

import importlib.util
import os
import sys

#: The variable that child processes inherit.
VARIABLE = "SQLITE_SANDBOX_REPLACE"


class _Shell:
    """Finds `python -m sqlite3`: `__main__` of this package is another program."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """The shell of CPython's module."""
        if name != "sqlite3.__main__":
            return None
        file = os.path.join(os.path.dirname(__file__), "_shell.py")
        return importlib.util.spec_from_file_location(name, file)


def install():
    """Replace the modules. A module that has imported CPython's before would keep it, so that is an error."""
    native = sys.modules.get("sqlite3") or sys.modules.get("_sqlite3")
    if native and not native.__name__.startswith("sqlite_sandbox"):
        sys.exit(
            "sqlite_sandbox: another module has imported sqlite3 before, which is not in the sandbox; "
            "import it later, or set no SQLITE_SANDBOX_REPLACE"
        )
    import sqlite_sandbox
    from sqlite_sandbox import _sqlite3, dbapi2, dump

    modules = {"sqlite3": sqlite_sandbox, "sqlite3.dbapi2": dbapi2, "sqlite3.dump": dump, "_sqlite3": _sqlite3}
    if sys.modules.get("sqlite3") is not sqlite_sandbox:
        sys.modules.update(modules)
        sys.meta_path.insert(0, _Shell)


if os.environ.get(VARIABLE):
    install()
