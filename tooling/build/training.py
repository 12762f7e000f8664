"""What the compiler's profile of SQLite is taken from: scripts for the shell, about equally long.

The benchmark's workloads, and those of other projects, are not among them: a profile that is made
from what is measured shows what it is worth there and nowhere else.

Usage: training.py DIRECTORY, which gets one NAME.sql for each.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

SURNAMES = "Abara Boucher Castellanos Dvořák Eriksson Fontaine Grünwald Hashimoto Ivanova Jørgensen Kowalski Lindqvist".split()
TOPICS = "harbour lighthouse ferry tide anchor compass lantern rope sail current reef buoy pilot chart".split()
STATES = "open paid sent returned".split()
MODES = "list csv json box table column markdown insert html quote line tabs ascii tcl".split()


def sentence(random: Random, words: int) -> str:
    return " ".join(random.choice(TOPICS) for _ in range(words))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def shop(rows: int) -> Iterator[str]:
    """Customers, orders and their items: the schema of most scripts here."""
    random = Random(11)
    yield "CREATE TABLE customer(id INTEGER PRIMARY KEY, surname TEXT NOT NULL, mail TEXT UNIQUE, since TEXT, note TEXT);"
    yield "CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, state TEXT, made REAL, details TEXT);"
    yield "CREATE TABLE item(purchase INTEGER, position INTEGER, article TEXT, amount INTEGER, price REAL, PRIMARY KEY(purchase, position)) WITHOUT ROWID;"
    yield "CREATE INDEX purchase_customer ON purchase(customer, state);"
    yield "BEGIN;"
    for row in range(rows):
        surname, day = random.choice(SURNAMES), f"20{random.randrange(10, 26)}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"
        yield f"INSERT INTO customer VALUES({row}, {quoted(surname)}, 'c{row}@example.org', '{day}', {quoted(sentence(random, random.randrange(12)))});"
        details = f'{{"way":"{random.choice(TOPICS)}","weight":{random.random() * 40:.3f},"tags":["{random.choice(TOPICS)}","{random.choice(SURNAMES)}",{row}],"gift":{{"wrapped":true,"text":null}}}}'
        yield f"INSERT INTO purchase(customer, state, made, details) VALUES({random.randrange(rows)}, '{random.choice(STATES)}', {2455000 + random.random() * 5000:.5f}, {quoted(details)});"
        for position in range(random.randrange(1, 4)):
            yield f"INSERT INTO item VALUES({row + 1}, {position}, '{random.choice(TOPICS)}-{random.randrange(400)}', {random.randrange(1, 9)}, {random.randrange(100, 99999) / 100});"
    yield "COMMIT;"


def transactions() -> Iterator[str]:
    random = Random(12)
    yield from shop(600)
    for turn in range(700):
        customer, order = random.randrange(600), random.randrange(1, 600)
        yield f"SELECT surname, mail FROM customer WHERE id = {customer};"
        yield f"SELECT id FROM customer WHERE mail = 'c{customer}@example.org';"
        yield f"SELECT p.id, sum(i.amount * i.price) FROM purchase p JOIN item i ON i.purchase = p.id WHERE p.customer = {customer} GROUP BY p.id;"
        if turn % 3 == 0:
            yield f"BEGIN; UPDATE purchase SET state = 'paid' WHERE id = {order}; INSERT INTO item VALUES({order}, {turn + 9}, 'extra', 1, 0.5); COMMIT;"
        if turn % 5 == 0:
            yield f"INSERT INTO customer(id, surname, mail) VALUES({customer}, 'New', 'n{turn}') ON CONFLICT(id) DO UPDATE SET note = excluded.mail, surname = surname || '';"
        if turn % 9 == 0:
            yield f"DELETE FROM item WHERE purchase = {order} AND position > 1;"
        if turn % 50 == 0:
            yield f"BEGIN; DELETE FROM customer WHERE id = {customer}; ROLLBACK;"


def analytics() -> Iterator[str]:
    yield from shop(2500)
    yield "CREATE TABLE log(at INTEGER, kind TEXT, size INT, rate REAL);"
    yield (
        "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 12000)"
        " INSERT INTO log SELECT v, 'k' || v % 17, v * 7919 % 5003, v / 7.0 FROM n;"
    )
    yield "CREATE INDEX log_size ON log(size); ANALYZE;"
    for query in (
        "SELECT kind, count(*), avg(size), total(rate), min(at), max(size) FROM log GROUP BY kind HAVING count(*) > 5 ORDER BY 3 DESC;",
        "SELECT size / 100 AS bucket, sum(rate), group_concat(DISTINCT kind) FROM log WHERE at > 400 GROUP BY bucket;",
        "SELECT count(DISTINCT size), count(DISTINCT kind) FROM log;",
        "SELECT * FROM log ORDER BY rate * size DESC, kind LIMIT 20;",
        "SELECT surname, count(*) FROM customer JOIN purchase ON customer = customer.id JOIN item ON item.purchase = purchase.id WHERE price > 50 GROUP BY surname;",
        "SELECT c.id FROM customer c LEFT JOIN purchase p ON p.customer = c.id AND p.state = 'sent' WHERE p.id IS NULL LIMIT 900;",
        "SELECT count(*) FROM log a, log b WHERE a.size = b.size AND a.at < b.at;",
        "SELECT sum(r) FROM (SELECT rank() OVER w + dense_rank() OVER w AS r FROM log WINDOW w AS (PARTITION BY kind ORDER BY size));",
        "SELECT avg(m) FROM (SELECT avg(rate) OVER (ORDER BY at ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING) AS m, lead(size, 2) OVER (ORDER BY at) FROM log);",
        "SELECT ntile(8) OVER (ORDER BY size) AS t, first_value(kind) OVER (PARTITION BY kind ORDER BY at DESC) FROM log LIMIT 4000 OFFSET 2000;",
        "WITH RECURSIVE tree(id, depth) AS (SELECT 1, 0 UNION SELECT at * 2 % 3001, depth + 1 FROM tree JOIN log ON at = id WHERE depth < 40) SELECT max(depth), count(*) FROM tree;",
        "SELECT kind FROM log EXCEPT SELECT 'k3' UNION SELECT surname FROM customer INTERSECT SELECT surname FROM customer ORDER BY 1;",
        "SELECT count(*) FROM log WHERE size BETWEEN 100 AND 900 OR kind IN ('k1', 'k5', 'k16');",
        "SELECT sum(CASE WHEN size % 3 = 0 THEN rate WHEN kind > 'k4' THEN -size ELSE at & 15 END), sum((at << 2) | 1) FROM log;",
        "SELECT count(*) FROM log l WHERE EXISTS (SELECT 1 FROM purchase p WHERE p.id = l.size) AND size > (SELECT avg(size) FROM log);",
        "UPDATE log SET size = size + 1, kind = kind || 'x' WHERE at % 4 = 1; DELETE FROM log WHERE at % 7 = 2; INSERT INTO log SELECT * FROM log WHERE size < 700;",
        "CREATE TABLE copy AS SELECT * FROM log ORDER BY size; CREATE INDEX copy_kind ON copy(kind COLLATE NOCASE, rate DESC); REINDEX; VACUUM;",
    ):
        yield query
        if query.startswith(("SELECT", "WITH")):
            yield query


def texts() -> Iterator[str]:
    yield from shop(6000)
    for expression in (
        "upper(note), lower(surname), length(note), octet_length(surname)",
        "substr(note, 4, 9), substr(surname, -3), instr(note, 'tide'), replace(note, 'sail', 'oar')",
        "trim(note), ltrim(surname, 'AB'), rtrim(note, 'et'), hex(surname), unhex(hex(mail))",
        "printf('%6d|%-12s|%08.3f|%x', id, surname, id / 3.0, id), format('%Q %w', note, mail)",
        "round(id / 7.0, 2), abs(-id), id % 9, CAST(id AS TEXT) || '.5' + 1, CAST(id / 3.0 AS INT)",
        "coalesce(NULLIF(note, ''), surname), iif(id > 50, mail, since), ifnull(note, 0), typeof(note)",
        "strftime('%d.%m.%Y', since), date(since, '+3 months', 'start of month'), julianday(since), time(id * 60, 'unixepoch')",
        "quote(note), char(65 + id % 26), unicode(surname), concat_ws('-', id, surname)",
        "sin(id) + sqrt(id) + pow(id, 1.5), ceil(id / 7.0), log(id + 1), max(id, 40, 7), min(surname, mail)",
        "surname LIKE '%son', note LIKE '%reef%buoy%', note LIKE 'h_rb%', mail GLOB 'c[1-5]*@*'",
        "surname = 'Ivanova' COLLATE NOCASE, note IS NOT NULL, id BETWEEN 4 AND 90, surname || ', ' || mail",
    ):
        yield f"SELECT count(concat({expression})) FROM customer;"
        yield f"SELECT {expression} FROM customer LIMIT 300;"
    yield "SELECT surname, mail FROM customer ORDER BY surname COLLATE NOCASE, mail DESC;"
    yield "SELECT id, note FROM customer WHERE note LIKE '%lantern%' AND note NOT LIKE '%chart';"
    yield "SELECT count(*) FROM customer WHERE mail GLOB '*9*@example*' OR surname GLOB '[K-M]*';"


def json() -> Iterator[str]:
    yield from shop(5000)
    yield from (
        "SELECT details ->> '$.way', json_extract(details, '$.weight', '$.tags[1]') FROM purchase;",
        "SELECT sum(details ->> 'weight') FROM purchase WHERE details ->> '$.gift.wrapped';",
        "SELECT count(*), max(t.value) FROM purchase, json_each(details, '$.tags') AS t;",
        "SELECT count(*) FROM purchase, json_tree(details) WHERE atom IS NOT NULL;",
        "SELECT length(json_group_array(json_object('id', id, 'state', state, 'made', made))) FROM purchase;",
        "SELECT state, json_group_object(id, json(details)) FROM purchase GROUP BY state;",
        "SELECT json_set(details, '$.weight', 1.5, '$.new', json_array(1, 'two')), json_remove(details, '$.tags[0]') FROM purchase LIMIT 700;",
        "SELECT json_patch(details, '{\"gift\":null}'), json_type(details, '$.tags'), json_array_length(details, '$.tags') FROM purchase LIMIT 700;",
        "UPDATE purchase SET details = jsonb(details); SELECT details ->> '$.tags[2]' FROM purchase; SELECT json(details) FROM purchase;",
        "SELECT sum(json_valid(json_pretty(details))) FROM purchase;",
    )


def search() -> Iterator[str]:
    random = Random(13)
    yield "CREATE VIRTUAL TABLE page USING fts5(title, body, tokenize = 'porter unicode61', prefix = '2');"
    yield "CREATE VIRTUAL TABLE plain USING fts4(body); CREATE VIRTUAL TABLE part USING fts5(body, tokenize = 'trigram');"
    yield "BEGIN;"
    for _ in range(900):
        body = sentence(random, random.randrange(8, 60)) + " " + random.choice(SURNAMES)
        yield f"INSERT INTO page VALUES({quoted(sentence(random, 4))}, {quoted(body)});"
        yield f"INSERT INTO plain VALUES({quoted(body)});"
    yield "INSERT INTO part SELECT body FROM page LIMIT 200; COMMIT;"
    for one in TOPICS:
        for other in random.sample(TOPICS, 5):
            yield f"SELECT rowid, bm25(page) FROM page WHERE page MATCH '{one} NOT {other}' ORDER BY rank LIMIT 12;"
            yield f"SELECT count(*) FROM page WHERE page MATCH '{one} AND {other}' OR page MATCH 'title : {other[:3]}*';"
            yield f"SELECT count(*) FROM plain WHERE plain MATCH '\"{one} {other}\" OR {one} NEAR/4 {other}';"
        yield f"SELECT highlight(page, 1, '[', ']'), snippet(page, 1, '<', '>', '…', 9) FROM page WHERE page MATCH '{one}' LIMIT 30;"
        yield f"SELECT count(*) FROM part WHERE body LIKE '%{one[1:5]}%';"
    yield "DELETE FROM page WHERE rowid % 5 = 0; UPDATE page SET title = 'other' WHERE rowid % 7 = 0;"
    yield "INSERT INTO page(page) VALUES('optimize'); INSERT INTO page(page) VALUES('integrity-check');"


def places() -> Iterator[str]:
    random = Random(14)
    yield "CREATE VIRTUAL TABLE box USING rtree(id, left, right, top, bottom, +label); CREATE VIRTUAL TABLE shape USING geopoly(name); BEGIN;"
    for place in range(4000):
        x, y = random.random() * 360 - 180, random.random() * 180 - 90
        yield f"INSERT INTO box VALUES({place}, {x:.4f}, {x + random.random():.4f}, {y:.4f}, {y + random.random():.4f}, '{random.choice(TOPICS)}');"
        if place % 20 == 0:
            yield f"INSERT INTO shape(name, _shape) VALUES('s{place}', '[[{x:.2f},{y:.2f}],[{x + 3:.2f},{y:.2f}],[{x:.2f},{y + 2:.2f}],[{x:.2f},{y:.2f}]]');"
    yield "COMMIT;"
    for _ in range(400):
        x, y = random.random() * 300 - 180, random.random() * 150 - 90
        yield f"SELECT count(*), min(label) FROM box WHERE left >= {x:.2f} AND right <= {x + 50:.2f} AND top >= {y:.2f} AND bottom <= {y + 30:.2f};"
    yield "SELECT count(*) FROM shape WHERE geopoly_overlap(_shape, '[[0,0],[90,0],[90,60],[0,60],[0,0]]');"
    yield "UPDATE box SET right = right + 1 WHERE id % 3 = 0; DELETE FROM box WHERE id % 4 = 1;"


def outputs() -> Iterator[str]:
    yield from shop(3000)
    for mode in MODES:
        yield f".mode {mode}"
        yield ".headers on"
        yield "SELECT id, surname, mail, since, note FROM customer;"
        yield "SELECT purchase, position, price, amount FROM item LIMIT 400;"
    yield ".mode list"
    yield ".dump"
    yield ".schema --indent"
    yield "EXPLAIN QUERY PLAN SELECT * FROM customer JOIN purchase ON customer = customer.id;"
    yield ".dbinfo"


def imports() -> Iterator[str]:
    yield from shop(3000)
    yield ".mode csv\n.once customers.csv\nSELECT * FROM customer;\n.once items.csv\nSELECT * FROM item;"
    yield ".import customers.csv again"
    yield ".import --skip 3 items.csv more"
    yield ".mode tabs\n.once purchases.tsv\nSELECT id, customer, state, made FROM purchase;\n.import purchases.tsv tabs"
    yield ".once shop.sql\n.dump\nDROP TABLE again; DROP TABLE item; DROP TABLE purchase; DROP TABLE customer; DROP TABLE more; DROP TABLE tabs;\n.read shop.sql"
    yield ".backup copy.db\n.restore copy.db\n.save saved.db\nPRAGMA integrity_check;\n.sha3sum"


def journals() -> Iterator[str]:
    random = Random(15)
    for mode in ("delete", "wal", "truncate", "persist", "memory"):
        yield f"PRAGMA journal_mode = {mode}; CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY, body BLOB, stamp);"
        for turn in range(120):
            yield f"INSERT INTO entry(body, stamp) VALUES(zeroblob({random.randrange(9000)}), {turn});"
            yield f"BEGIN; UPDATE entry SET stamp = stamp + 1 WHERE id % 6 = {turn % 6}; SAVEPOINT s; DELETE FROM entry WHERE id = {turn}; ROLLBACK TO s; COMMIT;"
        yield "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA incremental_vacuum;"


SCRIPTS = (transactions, analytics, texts, json, search, places, outputs, imports, journals)


def main() -> None:
    directory = Path(sys.argv[1])
    for script in SCRIPTS:
        (directory / f"{script.__name__}.sql").write_text("\n".join(script()) + "\n")


if __name__ == "__main__":
    main()
