-- cli-smokes/open.sql: .open, .open --new, in-memory and temporary databases, .connection.
CREATE TABLE t(a);
.open :memory:
.tables
CREATE TABLE m(a);
.open
.tables
CREATE TABLE n(a);
.open test.db
.tables
.open --new test.db
.tables
SELECT '110', length(readfile('test.db'));
.open "name with space.db"
CREATE TABLE s(a);
.open 'ünï😀.db'
CREATE TABLE u(a);
.databases
SELECT '120', name FROM fsdir('.') WHERE name LIKE '%.db' ORDER BY name;
.open --nonsense x.db
.open --nofollow test.db
.databases
.open a.db b.db
.open ''
CREATE TABLE t AS SELECT zeroblob(100000) AS z FROM generate_series(1, 50);
SELECT '130', sum(length(z)) FROM t;
