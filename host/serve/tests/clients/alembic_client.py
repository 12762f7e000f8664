"""Alembic: migrations that autogenerate writes, up, down and up again: HOST, PORT, USER and DATABASE are the arguments."""

import datetime
import decimal
import sys

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata, produce_migrations
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy.dialects import postgresql

host, port, user, database = sys.argv[1:]
if host.startswith("/"):
    engine = sa.create_engine(f"postgresql+psycopg://{user}@/{database}?host={host}&port={port}")
else:
    engine = sa.create_engine(f"postgresql+psycopg://{user}@{host}:{port}/{database}")


def first() -> sa.MetaData:
    metadata = sa.MetaData()
    sa.Table(
        "alembic_author",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("born", sa.Date),
    )
    sa.Table(
        "alembic_book",
        metadata,
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("author_id", sa.ForeignKey("alembic_author.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.Text, index=True),
        sa.Column("price", sa.Integer),
        sa.Column("old", sa.Text),
    )
    return metadata


def second() -> sa.MetaData:
    metadata = sa.MetaData()
    sa.Table(
        "alembic_author",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(80), nullable=False, unique=True),
        sa.Column("born", sa.Date, server_default="2000-01-01"),
        sa.Column("is_known", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    sa.Table(
        "alembic_book",
        metadata,
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("author_id", sa.ForeignKey("alembic_author.id", name="alembic_written", ondelete="RESTRICT"), nullable=False),
        sa.Column("title", sa.Text, nullable=False, server_default="none"),
        sa.Column("price", sa.Numeric(8, 2)),
        sa.Column("made", sa.DateTime(timezone=True), server_default=sa.func.now()),
        sa.Column("data", postgresql.JSONB),
        sa.Column("code", sa.Uuid),
        sa.Column("tags", postgresql.ARRAY(sa.Text)),
        sa.Column("length", sa.Interval),
        sa.UniqueConstraint("author_id", "title", name="alembic_once"),
        sa.Index("alembic_made", "made", postgresql_where=sa.text("author_id > 1")),
    )
    sa.Table("alembic_tag", metadata, sa.Column("word", sa.String(20), primary_key=True))
    sa.Table("alembic_one", metadata, sa.Column("id", sa.Integer, sa.Identity(), primary_key=True), sa.Column("word", sa.Text))
    sa.Table("alembic_two", metadata, sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True))
    return metadata


def context(connection: sa.Connection) -> MigrationContext:
    def is_own(name: str | None, kind: str, _names: object) -> bool:
        return kind != "table" or (name or "").startswith("alembic_")

    return MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True, "include_name": is_own})


def to(metadata: sa.MetaData) -> None:
    with engine.begin() as connection:
        migration = context(connection)
        script = produce_migrations(migration, metadata)
        operations = Operations(migration)
        stack = [script.upgrade_ops]
        while stack:
            element = stack.pop(0)
            if hasattr(element, "ops"):
                stack = list(element.ops) + stack
            else:
                operations.invoke(element)
    with engine.connect() as connection:
        found = compare_metadata(context(connection), metadata)
        assert found == [], found


def drop() -> None:
    with engine.begin() as connection:
        for table in ["alembic_book", "alembic_author", "alembic_tag", "alembic_one", "alembic_two"]:
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {table}"))


drop()
to(first())
before = first().tables
with engine.begin() as connection:
    connection.execute(before["alembic_author"].insert(), [{"name": "Anna"}, {"name": "Otto"}])
    books = [{"author_id": 1 + number % 2, "title": f"Tea {number}", "price": number + 1} for number in range(100)]
    connection.execute(before["alembic_book"].insert(), books)
to(second())
author, book = second().tables["alembic_author"], second().tables["alembic_book"]
with engine.begin() as connection:
    total = connection.execute(sa.select(sa.func.count(), sa.func.sum(book.c.price))).one()
    assert total == (100, decimal.Decimal(5050)), total
    added = connection.execute(
        book.insert().returning(book), {"author_id": 2, "tags": ["a", "b"], "length": datetime.timedelta(hours=30), "data": {"a": 1}}
    ).one()
    assert (added.id, added.title, added.tags) == (101, "none", ["a", "b"]), added
    assert (added.length, added.data, added.price) == (datetime.timedelta(hours=30), {"a": 1}, None), added
for refused in [
    author.insert().values(name="Anna"),
    book.insert().values(author_id=1, title=None),
    book.insert().values(author_id=9, title="x"),
    author.delete(),
]:
    try:
        with engine.begin() as connection:
            connection.execute(refused)
        raise AssertionError(refused)
    except sa.exc.IntegrityError:
        pass
to(first())
with engine.connect() as connection:
    assert connection.scalar(sa.select(sa.func.sum(before["alembic_book"].c.price))) == 5050
to(second())
drop()
print("Alembic: autogenerate finds no difference after each of its migrations")
