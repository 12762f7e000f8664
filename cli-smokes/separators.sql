-- cli-smokes/separators.sql: .separator, .nullvalue and .headers of the list modes.
-- args: :memory:
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1, NULL), (NULL, 'x');
.separator ", "
SELECT '110', * FROM t;
.separator " :: " "\n--\n"
SELECT '120', * FROM t;
.separator "\t" "\r\n"
SELECT '130', * FROM t;
-- Without quotes \n is two letters.
.separator | \n
.nullvalue "(none)"
.headers on
SELECT '140' AS n, * FROM t;
.mode csv
.separator ;
SELECT '150' AS n, a, b, 'x;y' AS c FROM t;
.separator
.mode list
.headers off
.separator "\x41" "\012"
SELECT '160', 1, 2;
