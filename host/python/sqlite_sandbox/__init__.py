"""The interface of CPython's ``sqlite3``, with SQLite in a WebAssembly sandbox.

``connect`` takes limits and extensions besides::

    import sqlite_sandbox

    con = sqlite_sandbox.connect("uploaded.db", memory="64M", statement_time=1.0, rows=1000)

The process's own ``sqlite3`` stays what it is. ``python -m sqlite_sandbox app.py`` runs a program that
gets this module for ``sqlite3``.
"""

import sys

try:
    from sqlite_sandbox import _sqlite3
except ModuleNotFoundError as error:
    raise ImportError(f"sqlite_sandbox has modules for CPython 3.10 to 3.13, and this is {sys.version}") from error

from sqlite_sandbox import dbapi2
from sqlite_sandbox.dbapi2 import *
from sqlite_sandbox.dbapi2 import _deprecated_names, _deprecated_version, _deprecated_version_info
from sqlite_sandbox.limits import LimitError, MemoryLimitError, connect

dbapi2.connect = connect
if sys.version_info < (3, 12):
    from sqlite_sandbox import _older

    dbapi2.__dict__.update(_older.NAMES)
    globals().update(_older.NAMES)


def __getattr__(name):
    if name in _deprecated_names:
        from warnings import warn

        warn(f"{name} is deprecated and will be removed in Python 3.14", DeprecationWarning, stacklevel=2)
        return globals()[f"_deprecated_{name}"]
    if name == "OptimizedUnicode" and sys.version_info < (3, 12):
        return _older.optimized_unicode()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
