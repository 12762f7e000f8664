"""Connections with limits, grants and extensions.

Limits reach the library as parameters of a URI, so every text that goes there is checked or escaped:
a path can never become a parameter. Grants have another way: no URI can grant anything.
"""

import os

from sqlite_sandbox import _sqlite3
from sqlite_sandbox._sqlite3 import OperationalError

#: Shortest and longest time of a statement, in seconds: the library counts milliseconds; a month.
MIN_SECONDS, MAX_SECONDS = 0.001, 30 * 24 * 3600

#: All that a component can address.
MAX_MEMORY = 4 << 30

#: More rows than any statement returns; the C code counts in 64 bits.
MAX_ROWS = 2**62

#: More digits than any size has.
MAX_DIGITS = 12

#: How many bits the letter of a size adds.
LETTERS = {"K": 10, "M": 20, "G": 30}

#: The bytes that have no meaning in a URI.
PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


class LimitError(OperationalError):
    """A limit of the connection was reached; ``limit`` is "memory", "statement_time" or "rows".

    The connection can still be used, except if the message says that it is gone: if one long operation
    inside SQLite reaches the limit of time.
    """

    limit = ""


class MemoryLimitError(LimitError, MemoryError):
    """The limit of memory was reached. CPython's module raises MemoryError then."""

    limit = "memory"


TEXTS = {
    "memory": "SQLite in the sandbox has reached the limit of memory; connect(memory=...) sets another",
    "statement_time": "the statement has reached the limit of time; connect(statement_time=...) sets another",
    "rows": "the statement has reached the limit of rows; connect(rows=...) sets another",
}


def _reached(limit, raised):
    """The exception that replaces the one of CPython's module. Called by limits.c."""
    text = TEXTS[limit]
    if "trapped" in str(raised):
        text += "; one operation of SQLite did not end, and the connection is gone: open another"
    error = MemoryLimitError(text) if limit == "memory" else LimitError(text)
    error.limit = limit
    code, name = (7, "SQLITE_NOMEM") if limit == "memory" else (9, "SQLITE_INTERRUPT")
    error.sqlite_errorcode = getattr(raised, "sqlite_errorcode", code)
    error.sqlite_errorname = getattr(raised, "sqlite_errorname", name)
    return error


def _memory(value):
    """The text for the library: bytes, or a number with K, M or G."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise TypeError(f"memory must be a str such as '64M', or an int of bytes, not {type(value).__name__}")
    shift = LETTERS.get(value[-1:], 0)
    number = value[:-1] if shift else value
    is_size = number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS and number[0] != "0"
    if not (is_size and int(number) << shift <= MAX_MEMORY):
        raise ValueError(f"memory is {value!r}; it is a number of bytes, or with K, M or G, such as '64M', up to '4G'")
    return value


def _milliseconds(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"statement_time must be a number of seconds, not {type(value).__name__}")
    if not MIN_SECONDS <= value <= MAX_SECONDS:
        raise ValueError(f"statement_time is {value!r}; it is a number of seconds from {MIN_SECONDS} to {MAX_SECONDS}")
    return f"{int(value * 1000)}ms"


def _rows(value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"rows must be an int, not {type(value).__name__}")
    if not 0 < value <= MAX_ROWS:
        raise ValueError(f"rows is {value!r}; it is a number of rows from 1")
    return value


def _extension(name):
    """The file of an extension: a name of those that are installed, or the path of a component.

    Other files would be native code in this process."""
    if not isinstance(name, str):
        raise TypeError(f"an extension must be a str, not {type(name).__name__}")
    if name.isascii() and name.replace("_", "").isalnum():
        return name + ".wasm"
    if "\0" in name or not name.endswith(".wasm"):
        raise ValueError(f"the extension {name!r} is neither a name nor the path of a component, NAME.wasm")
    return name


def _grant(word):
    """A grant in bytes: DIR, DIR:ro, or NAME=WORDS for an extension; an object of `pathlib` is a directory."""
    if isinstance(word, os.PathLike):
        word = os.fsencode(os.path.abspath(word)) + b":rw"
    elif isinstance(word, str):
        word = os.fsencode(word)
    else:
        raise TypeError(f"a grant must be a str or a path, not {type(word).__name__}")
    if not word or b"\0" in word:
        raise ValueError(f"the grant {os.fsdecode(word)!r} is neither a directory nor NAME=WORDS for an extension")
    return word


def _grants(words):
    if isinstance(words, (str, bytes, os.PathLike)):
        raise TypeError(f"grants must be a list of str, not {type(words).__name__}")
    return tuple(map(_grant, words))


class _Database(os.PathLike):
    """The path of a database with limits and grants. Factories pass it on as they pass on any path."""

    def __init__(self, path, uri, parameters, grants):
        self.path = path
        self.uri = uri
        self.parameters = parameters
        self.grants = grants

    def __fspath__(self):
        name = self.name()
        if self.grants:
            # For the connection that opens this name next, in this thread.
            _sqlite3._grant(name, self.grants)
        return name

    def name(self):
        """The name for the library."""
        path = os.fsencode(self.path)
        if b"\0" in path:
            raise ValueError("embedded null byte")
        limits = "&".join(f"{name}={value}" for name, value in self.parameters).encode()
        if self.uri and path.startswith(b"file:"):
            return _with(path, limits)
        # Two slashes would be followed by a host name.
        host = b"//" if path.startswith(b"/") else b""
        return b"file:" + host + _escaped(path) + b"?" + limits

    def __str__(self):
        return os.fsdecode(self.path)

    def __repr__(self):
        return repr(self.path)


def _escaped(path):
    """The path as a part of a URI. `urllib.parse` would take a third of the time of an import."""
    return b"".join(b"%c" % byte if byte in PLAIN else b"%%%02X" % byte for byte in path)


def _with(uri, limits):
    """A URI with these parameters before all others: SQLite takes the first of a name."""
    rest, mark, fragment = uri.partition(b"#")
    path, _, query = rest.partition(b"?")
    return path + b"?" + b"&".join(filter(None, [limits, query])) + mark + fragment


def connect(database, *args, memory=None, statement_time=None, rows=None, extensions=(), grants=(), **options):
    """Open a connection to the SQLite database file 'database'.

    The arguments are those of CPython's sqlite3.connect, and:

    memory: how much memory SQLite may use, in bytes or as in "64M"
    statement_time: how many seconds a statement may take, for all its rows together
    rows: how many rows a statement may return
    extensions: extensions to load, by their name or the path of a component
    grants: directories that SQL may use besides the database's own, "DIR" or "DIR:ro", and what
        extensions get, as in "csv=dir:DIR:ro"

    A limit that is reached raises LimitError. SQLITE_WASM_MAX_MEMORY and SQLITE_WASM_TIMEOUT of the
    environment are ceilings.
    """
    parameters = []
    if memory is not None:
        parameters.append(("wasm_max_memory", _memory(memory)))
    if statement_time is not None:
        parameters.append(("wasm_timeout", _milliseconds(statement_time)))
    most_rows = 0 if rows is None else _rows(rows)
    if isinstance(extensions, str):
        raise TypeError("extensions must be a list of str, not str")
    files = [_extension(name) for name in extensions]
    granted = _grants(grants)
    if parameters or granted:
        args, uri = _with_uri(args, options)
        database = _Database(database, uri, parameters, granted)
    try:
        connection = _sqlite3.connect(database, *args, **options)
    finally:
        if granted:
            _sqlite3._grant()
    try:
        if most_rows or statement_time is not None:
            _sqlite3._limit(connection, most_rows, float(statement_time or 0))
        if files:
            _load(connection, files)
    except BaseException:
        connection.close()
        raise
    return connection


#: The position of `uri` after the path, for callers that pass it without its name.
URI_POSITION = 6


def _with_uri(args, options):
    """The arguments with `uri=True`, since the path becomes one, and what the caller has given.

    Factories get all others as the caller has passed them: by position or by name."""
    if len(args) > URI_POSITION:
        return [*args[:URI_POSITION], True, *args[URI_POSITION + 1 :]], bool(args[URI_POSITION])
    uri, options["uri"] = options.get("uri", False), True
    return args, bool(uri)


def _load(connection, files):
    connection.enable_load_extension(True)
    try:
        for file in files:
            connection.load_extension(file)
    finally:
        connection.enable_load_extension(False)
