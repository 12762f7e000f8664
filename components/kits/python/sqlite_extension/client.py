"""A client of `sql-work`: SQL on the connection that called the extension.

`wit/extension/sql.wit` documents the bytes. A text is a `str`; bytes that are not UTF-8 are kept as
lone surrogates (PEP 383).
"""

import struct

from componentize_py_types import Err
from wit_world.imports import sql_work
from wit_world.imports.sql_work import Operation

# Rows of the first request and of the largest: a single row does not wait for a thousand.
FIRST_ROWS, MAX_ROWS = 2, 1024


class Error(Exception):
    """A failure, with SQLite's result code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


def operation(code, *parameters):
    return bytes([code.value]) + b"".join(parameters)


def u32(number):
    return struct.pack("<I", number)


def s64(number):
    return struct.pack("<q", number)


def blob(content):
    return u32(len(content)) + content + b"\0"


def text(string):
    return blob(string.encode(errors="surrogateescape"))


def value(it):
    match it:
        case None:
            return b"\0"
        case int():
            return b"\1" + s64(it)
        case float():
            return b"\2" + struct.pack("<d", it)
        case str():
            return b"\3" + text(it)
        case bytes():
            return b"\4" + blob(it)
    raise TypeError(f"SQLite has no values of {type(it)}")


class Reply:
    """Bytes that are read from the front."""

    def __init__(self, content):
        self.content, self.position = content, 0

    def number(self, layout):
        (number,) = struct.unpack_from(layout, self.content, self.position)
        self.position += struct.calcsize(layout)
        return number

    def u8(self):
        return self.number("<B")

    def u32(self):
        return self.number("<I")

    def s64(self):
        return self.number("<q")

    def blob(self):
        start = self.position + 4
        end = start + self.u32()
        self.position = end + 1
        return self.content[start:end]

    def text(self):
        return self.blob().decode(errors="surrogateescape")

    def texts(self):
        return [self.text() for _ in range(self.u32())]

    def value(self):
        readers = (lambda: None, self.s64, lambda: self.number("<d"), self.text, self.blob)
        return readers[self.u8()]()


def perform(operations, function=sql_work.perform):
    try:
        return Reply(function(operations))
    except Err as failure:
        raise Error(failure.value.code, failure.value.message) from None


def later(operations):
    perform(operations, sql_work.perform_later)


class Statement:
    """The first statement of `sql`; `tail` is the rest. `handle` is `None` for white space and comments."""

    def __init__(self, sql):
        reply = perform(operation(Operation.PREPARE, text(sql)))
        handle, used, self.is_read_only = reply.u32(), reply.u32(), bool(reply.u8())
        self.handle = handle - 1 if handle else None
        self.tail = sql.encode()[used:].decode()
        self.parameters, self.columns = reply.texts(), reply.texts()

    def bind(self, parameters):
        codes = [operation(Operation.BIND, u32(self.handle), u32(1))]
        codes += [operation(Operation.BIND_NEXT)] * len(parameters)
        return b"".join(code + value(it) for code, it in zip(codes, parameters))

    def blocks(self, *parameters):
        """Lists of rows, as they arrive. A reader that stops early closes the generator."""
        request, limit, is_done = self.bind(parameters), FIRST_ROWS, False
        try:
            while not is_done:
                request += operation(Operation.STEP, u32(self.handle), u32(limit))
                reply = perform(request)
                is_done, count, width = reply.u8(), reply.u32(), reply.u32()
                yield [tuple(reply.value() for _ in range(width)) for _ in range(count)]
                request, limit = b"", min(limit * 4, MAX_ROWS)
        finally:
            if not is_done:
                later(operation(Operation.RESET, u32(self.handle)))

    def query(self, *parameters):
        """The rows, one by one."""
        for block in self.blocks(*parameters):
            yield from block

    def run(self, *parameters):
        """Run it for its changes; how many they are, and the row id of the last insertion."""
        reply = perform(self.bind(parameters) + operation(Operation.RUN, u32(self.handle)))
        reply.u8()
        return reply.s64(), reply.s64()

    def close(self):
        if self.handle is not None:
            later(operation(Operation.CLOSE, u32(self.handle)))
            self.handle = None


class Blob:
    """The text or blob in a column of a row."""

    def __init__(self, schema, table, column, row_id, is_writable=False):
        column = text(schema) + text(table) + text(column)
        flags = bytes([is_writable])
        self.opened(operation(Operation.OPEN_BLOBS, u32(1), flags, s64(row_id), column))

    def opened(self, request):
        reply = perform(request)
        self.handle, self.size = reply.u32() - 1, reply.u32()

    def reopen(self, row_id):
        self.opened(operation(Operation.REOPEN_BLOB, u32(self.handle), s64(row_id)))

    def read(self, offset, length):
        return perform(operation(Operation.READ, u32(self.handle), u32(offset), u32(length))).content

    def write(self, offset, content):
        """A failure is one of the next request."""
        later(operation(Operation.WRITE, u32(self.handle), u32(offset), blob(content)))

    def close(self):
        later(operation(Operation.CLOSE, u32(self.handle)))


def execute(sql):
    """Run all statements of a text, without their rows."""
    perform(operation(Operation.EXECUTE, text(sql)))
