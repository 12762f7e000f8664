"""SQLRite, whose wheel has no parameters: values are written into the text, which is prepared anew each time."""

import struct
from importlib.metadata import version as installed

import sqlrite


def version():
    return installed("sqlrite")


class Engine:
    def __init__(self, path):
        self.db = sqlrite.connect(path)
        self.cursor = self.db.cursor()

    def setting(self, sql):
        if not sql.startswith("PRAGMA"):
            self.cursor.execute(sql)

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        self.cursor.execute(inlined(self.statements[call] if isinstance(call, int) else call, values))
        return self.cursor.fetchall() if self.cursor.description else []

    def close(self):
        self.db.close()


def inlined(sql, values):
    head, *rest = sql.split("?")
    return head + "".join(literal(value) + part for value, part in zip(values, rest))


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        # The only bytes that it gets are vectors.
        return f"[{', '.join(map(repr, struct.unpack(f'<{len(value) // 4}f', value)))}]"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
