-- cli-smokes/lint-expert.sql: .lint fkey-indexes and .expert propose indexes.
CREATE TABLE parent(id INTEGER PRIMARY KEY, name, city);
CREATE TABLE child(id INTEGER PRIMARY KEY, p REFERENCES parent(id), q REFERENCES parent(id), n);
CREATE INDEX child_q ON child(q);
.lint fkey-indexes
.lint fkey-indexes -verbose -groupbyparent
.lint nonsense
INSERT INTO parent SELECT value, 'n'||value, 'c'||(value % 10) FROM generate_series(1, 200);
.expert
SELECT * FROM parent WHERE city = 'c1' AND name > 'n5';
.expert --verbose
SELECT * FROM child WHERE n = 1 ORDER BY p;
.expert --sample 50
SELECT * FROM parent WHERE name = 'n7';
SELECT '110 an ordinary statement again';
.expert --nonsense
