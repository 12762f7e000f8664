"""SQLAlchemy's PostgreSQL dialect over psycopg: HOST and PORT are the arguments."""

import datetime
import sys

import sqlalchemy as sa
from sqlalchemy import orm

host, port = sys.argv[1:]
engine = sa.create_engine(f"postgresql+psycopg://local@{host}:{port}/shop")


class Base(orm.DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "sa_author"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(40), unique=True)
    born: orm.Mapped[datetime.date | None]
    books: orm.Mapped[list["Book"]] = orm.relationship(back_populates="author")


class Book(Base):
    __tablename__ = "sa_book"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    title: orm.Mapped[str] = orm.mapped_column(sa.Text, index=True)
    price: orm.Mapped[float | None] = orm.mapped_column(sa.Numeric(8, 2))
    author_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("sa_author.id"))
    author: orm.Mapped[Author] = orm.relationship(back_populates="books")


Base.metadata.drop_all(engine)
Base.metadata.create_all(engine)
Base.metadata.create_all(engine)
with orm.Session(engine) as session:
    anna = Author(name="Anna", born=datetime.date(1970, 1, 2))
    anna.books = [Book(title="Tea", price=9.5), Book(title="Cups")]
    session.add_all([anna, Author(name="Otto")])
    session.commit()
    assert [book.title for book in session.get(Author, 1).books] == ["Tea", "Cups"]
    query = sa.select(Author.name, sa.func.count(Book.id)).join(Author.books, isouter=True).group_by(Author.name)
    assert session.execute(query.order_by(Author.name)).all() == [("Anna", 2), ("Otto", 0)]
    found = session.scalars(sa.select(Book).where(Book.title.in_(["Tea", "Pot"]), Book.price > 3)).one()
    found.price = 10
    session.commit()
    session.add(Author(name="Anna"))
    try:
        session.commit()
        raise AssertionError
    except sa.exc.IntegrityError:
        session.rollback()
    session.execute(sa.delete(Book).where(Book.author_id == 1))
    session.rollback()
    assert session.scalar(sa.select(sa.func.count()).select_from(Book)) == 2

inspector = sa.inspect(engine)
assert {"sa_author", "sa_book"} <= set(inspector.get_table_names())
columns = {column["name"]: column for column in inspector.get_columns("sa_author")}
assert isinstance(columns["born"]["type"], sa.Date) and not columns["name"]["nullable"]
assert inspector.get_pk_constraint("sa_book")["constrained_columns"] == ["id"]
[key] = inspector.get_foreign_keys("sa_book")
assert (key["constrained_columns"], key["referred_table"]) == (["author_id"], "sa_author")
assert [index["column_names"] for index in inspector.get_indexes("sa_book")] == [["title"]]
[unique] = inspector.get_unique_constraints("sa_author")
assert (unique["name"], unique["column_names"]) == ("sa_author_name_key", ["name"])
reflected = sa.MetaData()
reflected.reflect(engine, only=["sa_book", "sa_author"])
assert {key.target_fullname for key in reflected.tables["sa_book"].foreign_keys} == {"sa_author.id"}
assert {table for _, table in inspector.get_multi_columns()} >= {"sa_author", "sa_book"}
Base.metadata.drop_all(engine)
print("SQLAlchemy", sa.__version__, "passes")
