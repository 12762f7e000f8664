-- cli-smokes/import-ascii.sql: what mode ascii writes, .import --ascii reads.
CREATE TABLE t(a, b);
INSERT INTO t VALUES('one', 'a|b,"c"'), ('two
lines', 'x');
.mode ascii
.headers on
.once t.txt
SELECT * FROM t;
.headers off
.mode list
.import --ascii t.txt u
.mode quote
SELECT '110', * FROM u;
