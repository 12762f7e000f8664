"""python: an extension in Python, for the tests in `tests/extensions/python.rs`. Not shipped.

- `python_value(SQL, X…)`: the first value of the first row, with X… bound to the parameters
- `python_rows(SQL, X…)`: all rows as the shell's `.mode quote` prints them
- `python_blocks(SQL, X…)`: how many rows each reply has
- `python_run(SQL, X…)`: how many rows the statement changed, and the row id of the last insertion
- `python_names(SQL)`: the names of the first statement's parameters and columns, whether it only
  reads, and the SQL that follows
- `python_failure(SQL, X…)`: the code and message with which the statement fails
- `python_execute(SQL)`: runs all statements
- `python_blob(TABLE, COLUMN, ROWID, TEXT)`: writes TEXT at the beginning of a blob; the blob before
  and after that, and the one of the next row
"""

from client import Blob, Error, Statement, execute
from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import types


def first(sql, *parameters):
    statement = Statement(sql)
    try:
        return next(statement.query(*parameters), [None])[0]
    finally:
        statement.close()


def quoted(value):
    match value:
        case None:
            return "NULL"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex()}'"
    return repr(value)


def rows(sql, *parameters):
    statement = Statement(sql)
    try:
        return "\n".join(",".join(map(quoted, row)) for row in statement.query(*parameters))
    finally:
        statement.close()


def blocks(sql, *parameters):
    statement = Statement(sql)
    try:
        return " ".join(str(len(block)) for block in statement.blocks(*parameters))
    finally:
        statement.close()


def run(sql, *parameters):
    statement = Statement(sql)
    try:
        return "{} {}".format(*statement.run(*parameters))
    finally:
        statement.close()


def names(sql):
    statement = Statement(sql)
    statement.close()
    return f"{statement.parameters} {statement.columns} {statement.is_read_only} {statement.tail!r}"


def failure(sql, *parameters):
    try:
        rows(sql, *parameters)
    except Error as error:
        return f"{error.code}: {error.message}"


def blob(table, column, row_id, text):
    blob = Blob("main", table, column, row_id, is_writable=True)
    try:
        before = blob.read(0, blob.size)
        blob.write(0, text.encode())
        after = blob.read(0, blob.size)
        blob.reopen(row_id + 1)
        return b" ".join([before, after, blob.read(0, blob.size)])
    finally:
        blob.close()


# Each with its argument count.
FUNCTIONS = [(first, -1), (rows, -1), (blocks, -1), (run, -1), (names, 1), (failure, -1), (execute, 1), (blob, 4)]
NAMES = {first: "python_value"}


def from_contract(value):
    match value:
        case types.Value_Null():
            return None
        case types.Value_Text(content):
            return content.decode(errors="surrogateescape")
    return value.value


def to_contract(value):
    match value:
        case None:
            return types.Value_Null()
        case int():
            return types.Value_Integer(value)
        case float():
            return types.Value_Real(value)
        case str():
            return types.Value_Text(value.encode(errors="surrogateescape"))
    return types.Value_Blob(value)


class Extension(exports.Extension):
    def describe(self):
        def function(called, arguments):
            name = NAMES.get(called, f"python_{called.__name__}")
            flags = types.FunctionFlags(0)
            utf8, innocuous = types.TextEncoding.UTF8, types.Risk.INNOCUOUS
            return types.Function(name, arguments, types.FunctionKind.SCALAR, utf8, flags, innocuous)

        return types.Manifest(
            name="python",
            version="0.1.0",
            description="SQL by a client in Python",
            functions=[function(*each) for each in FUNCTIONS],
            collations=[],
            modules=[],
            needs=[types.Need_Sql()],
            connects=types.Connecting.NEVER,
        )

    def connect(self):
        pass

    def disconnect(self):
        pass


class Scalar(exports.Scalar):
    def call(self, function, arguments, subtypes):
        called, _ = FUNCTIONS[function]
        try:
            result = called(*map(from_contract, arguments))
        except Error as error:
            raise Err(types.SqlError(error.code, error.message)) from None
        return types.Output(to_contract(result), 0)
