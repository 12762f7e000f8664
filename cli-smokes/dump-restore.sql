-- cli-smokes/dump-restore.sql: .dump of all kinds of objects, .read into another database, equal content.
PRAGMA foreign_keys = ON;
PRAGMA user_version = 5;
CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE child(id INTEGER PRIMARY KEY AUTOINCREMENT, p REFERENCES parent(id) ON DELETE CASCADE, x);
CREATE INDEX child_x ON child(x) WHERE x IS NOT NULL;
CREATE VIEW both AS SELECT name, x FROM parent JOIN child ON p = parent.id;
CREATE TRIGGER log AFTER DELETE ON child BEGIN INSERT INTO parent(name) VALUES(old.x); END;
CREATE TABLE "odd ""name"""("a b" INT, c AS (a) STORED, a);
CREATE VIRTUAL TABLE words USING fts5(word);
INSERT INTO parent VALUES(1, 'it''s'), (2, 'Zoë'), (3, NULL);
INSERT INTO child(p, x) VALUES(1, 'multi
line'), (2, x'0001feff'), (2, 1.25);
INSERT INTO "odd ""name""" VALUES(1, 2);
INSERT INTO words VALUES('sandbox'), ('shell');
.print 110
.dump
.output dump.sql
.dump
.output
.sha3sum
-- A virtual table needs the schema to be writable, and the database opened anew.
.open restored.db
.read dump.sql
.open --new restored.db
.dbconfig defensive off
.read dump.sql
.open restored.db
.print 120
.sha3sum
SELECT '130', * FROM both;
SELECT '140', rowid, word FROM words WHERE words MATCH 'shell';
INSERT INTO child(p, x) VALUES(3, 'next') RETURNING '150', id;
PRAGMA integrity_check;
