"""Usage: library_uses.py sqlalchemy | pandas | datasette

Uses a library with limits on connections of sqlite_sandbox, in a process that has both modules."""

import sqlite3
import sys

import sqlite_sandbox

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


def sqlalchemy():
    """The dialect, by `module=`, with options for `connect`."""
    from sqlalchemy import create_engine, exc, text

    options = {"memory": "64M", "rows": 100}
    engine = create_engine("sqlite://", module=sqlite_sandbox, connect_args=options)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE t(x)"))
        connection.execute(text("INSERT INTO t VALUES (:x)"), [{"x": 1}, {"x": 2}])
        assert connection.execute(text("SELECT sum(x), sqlite_version() FROM t")).one() == (3, sqlite_sandbox.sqlite_version)
        try:
            connection.execute(text(ENDLESS)).fetchall()
            raise AssertionError("no limit")
        except (exc.OperationalError, sqlite_sandbox.LimitError) as error:
            assert isinstance(getattr(error, "orig", error), sqlite_sandbox.LimitError)
    with create_engine("sqlite://").connect() as connection:
        assert connection.execute(text("SELECT sqlite_version()")).scalar() == sqlite3.sqlite_version


def pandas():
    """Tables of a connection. pandas recognizes sqlite3.Connection only, and uses others as it does these."""
    import warnings

    import pandas

    connection = sqlite_sandbox.connect(":memory:", rows=100)
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame.to_sql("t", connection, index=False)
        assert pandas.read_sql("SELECT * FROM t", connection).equals(frame)
        try:
            pandas.read_sql(ENDLESS, connection)
            raise AssertionError("no limit")
        except (sqlite_sandbox.LimitError, pandas.errors.DatabaseError):
            pass


def datasette():
    """It imports sqlite3 by this name."""
    from sqlite_sandbox import _replace

    for name in ("sqlite3", "sqlite3.dbapi2", "_sqlite3"):
        sys.modules.pop(name, None)
    _replace.install()
    import asyncio

    from datasette.app import Datasette

    async def page():
        site = Datasette(memory=True)
        await site.invoke_startup()
        reply = await site.client.get("/_memory.json?sql=select+sqlite_version()+as+version&_shape=array")
        assert reply.json() == [{"version": sqlite_sandbox.sqlite_version}], reply.text

    asyncio.run(page())


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print(sys.argv[1], "uses sqlite_sandbox")
