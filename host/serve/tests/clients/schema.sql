CREATE TABLE author (
    id integer PRIMARY KEY,
    name text NOT NULL,
    born date
);
CREATE TABLE book (
    id integer PRIMARY KEY,
    author_id integer NOT NULL REFERENCES author(id) ON DELETE CASCADE,
    title character varying(40) NOT NULL DEFAULT 'untitled',
    price numeric(10,2),
    sold boolean NOT NULL,
    made timestamp without time zone,
    UNIQUE (title, author_id)
);
CREATE INDEX book_price ON book(price);
CREATE VIEW cheap AS SELECT title FROM book WHERE price < 10;
