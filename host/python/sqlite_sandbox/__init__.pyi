"""Types of sqlite_sandbox: those of sqlite3, with the options of `connect` and the errors of limits.

The classes have sqlite3's as their bases here, for functions that are annotated with these. When the
program runs they have the same methods, but other bases.
"""

import sqlite3
import sys
from collections.abc import Iterable
from os import PathLike
from sqlite3 import (
    PARSE_COLNAMES as PARSE_COLNAMES,
    PARSE_DECLTYPES as PARSE_DECLTYPES,
    Binary as Binary,
    Date as Date,
    DateFromTicks as DateFromTicks,
    PrepareProtocol as PrepareProtocol,
    Time as Time,
    TimeFromTicks as TimeFromTicks,
    TimestampFromTicks as TimestampFromTicks,
    adapt as adapt,
    adapters as adapters,
    apilevel as apilevel,
    complete_statement as complete_statement,
    converters as converters,
    enable_callback_tracebacks as enable_callback_tracebacks,
    paramstyle as paramstyle,
    register_adapter as register_adapter,
    register_converter as register_converter,
    sqlite_version as sqlite_version,
    sqlite_version_info as sqlite_version_info,
    threadsafety as threadsafety,
)
from sqlite3.dbapi2 import Timestamp as Timestamp
from typing import Literal, TypeVar, overload

if sys.version_info >= (3, 11):
    from sqlite3 import Blob as Blob

_Connection = TypeVar("_Connection", bound=sqlite3.Connection)
_Path = str | bytes | PathLike[str] | PathLike[bytes]

class Connection(sqlite3.Connection): ...
class Cursor(sqlite3.Cursor): ...
class Row(sqlite3.Row): ...
class Warning(sqlite3.Warning): ...
class Error(sqlite3.Error): ...
class InterfaceError(Error, sqlite3.InterfaceError): ...
class DatabaseError(Error, sqlite3.DatabaseError): ...
class InternalError(DatabaseError, sqlite3.InternalError): ...
class OperationalError(DatabaseError, sqlite3.OperationalError): ...
class ProgrammingError(DatabaseError, sqlite3.ProgrammingError): ...
class IntegrityError(DatabaseError, sqlite3.IntegrityError): ...
class DataError(DatabaseError, sqlite3.DataError): ...
class NotSupportedError(DatabaseError, sqlite3.NotSupportedError): ...

class LimitError(OperationalError):
    limit: Literal["memory", "statement_time", "rows"]

class MemoryLimitError(LimitError, MemoryError): ...

@overload
def connect(
    database: _Path,
    timeout: float = 5.0,
    detect_types: int = 0,
    isolation_level: Literal["DEFERRED", "EXCLUSIVE", "IMMEDIATE", ""] | None = "",
    check_same_thread: bool = True,
    *,
    cached_statements: int = 128,
    uri: bool = False,
    autocommit: bool | Literal[-1] = -1,
    memory: str | int | None = None,
    statement_time: float | None = None,
    rows: int | None = None,
    extensions: Iterable[str] = (),
    grants: Iterable[str | PathLike[str]] = (),
) -> Connection: ...
@overload
def connect(
    database: _Path,
    timeout: float = 5.0,
    detect_types: int = 0,
    isolation_level: Literal["DEFERRED", "EXCLUSIVE", "IMMEDIATE", ""] | None = "",
    check_same_thread: bool = True,
    *,
    factory: type[_Connection],
    cached_statements: int = 128,
    uri: bool = False,
    autocommit: bool | Literal[-1] = -1,
    memory: str | int | None = None,
    statement_time: float | None = None,
    rows: int | None = None,
    extensions: Iterable[str] = (),
    grants: Iterable[str | PathLike[str]] = (),
) -> _Connection: ...

# SQLite's constants, of which each Python has others.
def __getattr__(name: str) -> int: ...
