-- cli-smokes/schema-commands.sql: .schema, .tables, .indexes, .fullschema, with patterns and options.
CREATE TABLE first(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x', /* a comment */ c REFERENCES second(d));
CREATE TABLE second(d, e, f CHECK(f > 0), UNIQUE(d, e));
CREATE INDEX first_b ON first(b);
CREATE UNIQUE INDEX second_f ON second(f DESC) WHERE f IS NOT NULL;
CREATE VIEW third(x, y) AS SELECT a, d FROM first JOIN second ON c = d;
CREATE TRIGGER fourth AFTER INSERT ON first BEGIN UPDATE second SET e = e + 1; DELETE FROM second WHERE d = new.c; END;
CREATE TEMP TABLE fifth(z);
CREATE VIRTUAL TABLE sixth USING fts5(text);
ATTACH ':memory:' AS aux;
CREATE TABLE aux.seventh(q);
INSERT INTO first VALUES(1, 'b', 'c'), (2, 'b', 'd');
ANALYZE;
.print 110
.schema
.print 120
.schema --indent
.print 130
.schema --nosys s%
.schema aux.%
.schema nothing
.print 140
.tables
.tables %s%
.tables nothing
.print 150
.indexes
.indexes second
.print 160
.fullschema
.print 170
.schema sqlite_schema
.schema a b c
.indexes a b
