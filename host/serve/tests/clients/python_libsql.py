"""Python's libsql, which is Rust's client, unchanged: python_libsql.py AUTHORITY TOKEN."""

import sys

import libsql

authority, token = sys.argv[1:]
db = libsql.connect(f"http://{authority}", auth_token=token)
db.execute("DROP TABLE IF EXISTS crabs")
db.execute("CREATE TABLE crabs(id INTEGER PRIMARY KEY, value UNIQUE)")
db.commit()
values = [1 << 60, 0.1, "ä", b"\0\xff", None]
db.executemany("INSERT INTO crabs(value) VALUES (?)", [(value,) for value in values])
db.commit()


def read():
    return [value for (value,) in db.execute("SELECT value FROM crabs ORDER BY id").fetchall()]


assert read() == values, read()
db.execute("DELETE FROM crabs")
db.rollback()
assert read() == values, read()
try:
    db.execute("INSERT INTO crabs(value) VALUES (0.1)")
    raise AssertionError("it is not unique")
except ValueError as error:
    assert "UNIQUE" in str(error), error
db.rollback()
# What psql shows next is compared.
db.execute("DROP TABLE crabs")
db.commit()
print("libsql: ok")
