-- cli-smokes/append.sql: a database appended to another file, by -append, .open and .backup --append.
-- before: :memory: "SELECT writefile('carrier.txt', 'this is not a database')"
-- before: -append carrier.txt "CREATE TABLE t(a); INSERT INTO t VALUES('carried')"
SELECT '110', cast(substr(readfile('carrier.txt'), 1, 22) AS TEXT), length(readfile('carrier.txt')), cast(substr(readfile('carrier.txt'), -25, 17) AS TEXT);
.open --append carrier.txt
SELECT '120', a FROM t;
INSERT INTO t SELECT zeroblob(3000) FROM generate_series(1, 5);
PRAGMA integrity_check;
SELECT '130', writefile('other.txt', 'x');
.backup --append main other.txt
.open --append other.txt
SELECT '140', count(*) FROM t;
.open carrier.txt
SELECT '150', count(*) FROM t;
