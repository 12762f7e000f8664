"""The exports of the component, over what the module has registered. Used only inside it.

Scalar functions are called by C, in `components/kits/python-calls`.
"""

import functools
import itertools

import sqlite_extension_calls
from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import table_types, types

from . import registry

if registry.about and registry.about["needs"]:
    # Now, as the component has no files later; without needs its world has no SQL.
    from . import client  # noqa: F401

#: Most rows that are computed in advance, and the bytes after which a batch ends.
MAX_ROWS, MAX_BYTES = 1024, 1 << 20

ERROR, NOMEM, MISUSE = 1, 7, 21

#: The directory of the kit, whose frames are not the module's.
KIT = __file__.rpartition("/")[0]

RISKS = {
    "innocuous": types.Risk.INNOCUOUS,
    "ordinary": types.Risk.ORDINARY,
    "direct-only": types.Risk.DIRECT_ONLY,
}
KINDS = {
    "scalar": types.FunctionKind.SCALAR,
    "aggregate": types.FunctionKind.AGGREGATE,
    "window": types.FunctionKind.WINDOW,
    "tokenizer": types.FunctionKind.TOKENIZER,
}
NULL = types.Value_Null()

#: Values of the contract by the type of Python's.
TO_SQL = {
    type(None): lambda value: NULL,
    bool: lambda value: types.Value_Integer(int(value)),
    int: types.Value_Integer,
    float: types.Value_Real,
    str: lambda value: types.Value_Text(value.encode(errors="surrogateescape")),
    bytes: types.Value_Blob,
}


def from_sql(value):
    if type(value) is types.Value_Text:
        return value.value.decode(errors="surrogateescape")
    return None if type(value) is types.Value_Null else value.value


def to_sql(value):
    convert = TO_SQL.get(type(value))
    if convert is None:
        raise TypeError(f"SQL has no value for {type(value).__name__}")
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        raise OverflowError(f"{value} has more than 64 bits")
    return convert(value)


def described(name, error):
    """The code and message of SQL: the last line of the traceback, with the line of the module.

    `traceback` would read the module's file, and the component has none.
    """
    code, line, at = getattr(error, "code", NOMEM if isinstance(error, MemoryError) else ERROR), 0, error.__traceback__
    while at is not None:
        if not at.tb_frame.f_code.co_filename.startswith(KIT):
            line = at.tb_lineno
        at = at.tb_next
    place = f" (line {line})" if line else ""
    kind = "" if type(error) is Exception else f"{type(error).__name__}: "
    is_code = isinstance(code, int) and -(1 << 31) <= code < 1 << 31
    message = f"{name}: {kind}{error}{place}".encode(errors="replace")
    return code if is_code else ERROR, message


def named(name, act, *arguments):
    """Call, and report exceptions as those of a function of SQL."""
    try:
        return act(*arguments)
    except Err:
        raise
    except Exception as error:
        code, message = described(name, error)
        raise Err(types.SqlError(code, message.decode())) from None


def serve_scalars():
    """Let C call the functions. The indices are those of all functions, aggregates too."""
    sqlite_extension_calls.serve(
        [(entry.implementation, entry.checked, entry.allowed) for entry in registry.functions],
        lambda index, error: described(registry.functions[index].name, error),
        to_sql,
    )


serve_scalars()


class Numbers:
    """Objects that the host refers to by handles."""

    def __init__(self):
        self.objects, self.next = {}, itertools.count()

    def add(self, item):
        number = next(self.next)
        self.objects[number] = item
        return number

    def get(self, number):
        try:
            return self.objects[number]
        except KeyError:
            raise Err(types.SqlError(MISUSE, "nothing with this number is open")) from None

    def pop(self, number):
        return self.objects.pop(number, None)


computations, connected, cursors = Numbers(), Numbers(), Numbers()


class Extension(exports.Extension):
    def describe(self):
        about = registry.about
        if about is None:
            raise RuntimeError("the module does not call extension(name=…)")

        def function(entry):
            flags = types.FunctionFlags(0)
            if entry.is_deterministic:
                flags |= types.FunctionFlags.DETERMINISTIC
            encoding, risk = types.TextEncoding.UTF8, RISKS[entry.risk]
            return types.Function(entry.name, entry.arguments, KINDS[entry.kind], encoding, flags, risk)

        def module(entry):
            kind, flags = types.ModuleKind.EPONYMOUS_ONLY, types.ModuleFlags(0)
            return types.Module(entry.name, kind, flags, RISKS[entry.risk], [])

        needs = {"sql": types.Need_Sql, "sql:ro": types.Need_SqlReadOnly}
        return types.Manifest(
            name=about["name"],
            version=about["version"],
            description=about["description"],
            functions=[function(entry) for entry in registry.functions],
            collations=[types.Collation(entry.name, types.TextEncoding.UTF8) for entry in registry.collations],
            modules=[module(entry) for entry in registry.tables],
            needs=[needs[need]() for need in about["needs"]],
            connects=types.Connecting.NEVER,
        )

    def connect(self):
        pass

    def disconnect(self):
        pass


class Aggregate(exports.Aggregate):
    def start(self, function):
        entry = registry.functions[function]
        return computations.add((entry, functools.cache(entry.implementation)))

    def _each(self, accumulator, count, width, rows, method):
        entry, state = computations.get(accumulator)

        def act():
            called, values = getattr(state(), method), iter(map(from_sql, rows))
            for _ in range(count):
                called(*itertools.islice(values, width))

        named(entry.name, act)

    def step(self, accumulator, count, width, rows, subtypes):
        self._each(accumulator, count, width, rows, "step")

    def inverse(self, accumulator, count, width, rows, subtypes):
        self._each(accumulator, count, width, rows, "inverse")

    def value(self, accumulator):
        entry, state = computations.get(accumulator)
        return named(entry.name, lambda: types.Output(to_sql(state().value()), 0))

    def finish(self, accumulator):
        computations.get(accumulator)
        entry, state = computations.pop(accumulator)
        return named(entry.name, lambda: types.Output(to_sql(state().finish()), 0))

    def abandon(self, accumulator):
        computations.pop(accumulator)


class Collation(exports.Collation):
    def compare(self, collation, left, right):
        texts = (text.decode(errors="surrogateescape") for text in (left, right))
        order = registry.collations[collation].implementation(*texts)
        return (order > 0) - (order < 0)


class Cursor:
    """A scan, which calls the generator with the parameters that are given."""

    def __init__(self, entry):
        self.entry, self.rows, self.columns, self.failure, self.row_id = entry, iter(()), [], None, 0

    def filter(self, number, arguments, columns):
        self.close()
        given = (from_sql(argument.value) for argument in arguments)
        names = [name for bit, name in enumerate(self.entry.parameters) if number >> bit & 1]
        values = dict(zip(names, given))
        hidden = tuple(values.get(name) for name in self.entry.parameters)
        self.rows = ((*row, *hidden) for row in self.entry.implementation(**values))
        self.columns, self.failure, self.row_id = columns, None, 0

    def close(self):
        if hasattr(self.rows, "close"):
            self.rows.close()

    def batch(self, limit):
        values, ids, is_last, size = [], [], False, 0
        while len(ids) < min(limit, MAX_ROWS) and size < MAX_BYTES:
            try:
                row = next(self.rows, None)
                if row is None:
                    is_last = True
                    break
                for column in self.columns:
                    value = row[column]
                    size += len(value) if isinstance(value, str | bytes) else 0
                    values.append(to_sql(value))
            except Exception as error:
                # The rows before it arrive first.
                if not ids:
                    raise
                del values[len(ids) * len(self.columns) :]
                self.failure = error
                break
            self.row_id += 1
            ids.append(self.row_id)
        return table_types.Batch(ids, values, b"", [], None, is_last)

    def fetch(self, limit):
        if self.failure is not None:
            failed, self.failure = self.failure, None
            raise failed
        return self.batch(limit)


class Table(exports.Table):
    def connect(self, module, mode, schema, name, arguments):
        entry = registry.tables[module]
        columns = ", ".join([*entry.columns, *(f'"{one}" HIDDEN' for one in entry.parameters)])
        return table_types.Connected(connected.add(entry), f"CREATE TABLE x({columns})", table_types.TableConfig(0))

    def disconnect(self, table):
        connected.pop(table)

    def destroy(self, table):
        connected.pop(table)

    def best_index(self, table, info):
        entry = connected.get(table)
        first, number, count = len(entry.columns), 0, 0
        uses = [table_types.ConstraintUse(0, False, False) for _ in info.constraints]
        for bit in range(len(entry.parameters)):
            equal = [
                place
                for place, one in enumerate(info.constraints)
                if one.column == first + bit and isinstance(one.operator, table_types.Operator_Equal)
            ]
            usable = [place for place in equal if info.constraints[place].usable]
            if equal and not usable:
                return None
            if usable:
                count += 1
                number |= 1 << bit
                uses[usable[0]] = table_types.ConstraintUse(count, True, False)
        return table_types.IndexPlan(uses, number, None, False, False, 1e6 / (1 + count), 1_000_000)

    def open(self, table):
        return cursors.add(Cursor(connected.get(table)))

    def close(self, cursor):
        scan = cursors.pop(cursor)
        if scan is not None:
            scan.close()

    def filter(self, cursor, number, text, arguments, subtypes, columns):
        scan = cursors.get(cursor)
        named(scan.entry.name, scan.filter, number, arguments, columns)

    def fetch_batch(self, cursor, limit):
        scan = cursors.get(cursor)
        return named(scan.entry.name, scan.fetch, limit)

    def update(self, table, change, subtypes, conflict):
        raise Err(types.SqlError(MISUSE, "the table cannot be changed"))

    def transact(self, table, step):
        pass

    def rename(self, table, name):
        pass

    def integrity(self, table, schema, name, quick):
        return None

    def find_function(self, table, arguments, name):
        return None
