-- cli-smokes/collations.sql: BINARY, NOCASE, RTRIM, UINT and DECIMAL; LIKE, GLOB and REGEXP.
CREATE TABLE t(a TEXT, b TEXT COLLATE NOCASE, c TEXT COLLATE RTRIM);
INSERT INTO t VALUES('b', 'B', 'x '), ('A', 'a', 'x'), ('a10', 'É', 'y'), ('a9', 'é', 'x  ');
SELECT '110', group_concat(a, ' ') FROM (SELECT a FROM t ORDER BY a);
SELECT '120', group_concat(a, ' ') FROM (SELECT a FROM t ORDER BY a COLLATE NOCASE);
SELECT '130', group_concat(a, ' ') FROM (SELECT a FROM t ORDER BY a COLLATE uint);
SELECT '140', b, count(*) FROM t GROUP BY b;
SELECT '150', count(*) FROM t WHERE c = 'x';
SELECT '160', a = 'a' COLLATE NOCASE, 'B' = b FROM t WHERE a = 'A';
SELECT '170', '10' < '9', '10' < '9' COLLATE uint, '1.10' < '1.9' COLLATE decimal;
SELECT '180', 'ABC' LIKE 'a_c', 'abc' GLOB 'a[a-c]?', 'É' LIKE 'é', '10%' LIKE '10\%' ESCAPE '\', 'abc' REGEXP '^a.*c$', 'abc' REGEXP 'x|b{1}';
CREATE INDEX t_nc ON t(a COLLATE NOCASE);
SELECT '190', a FROM t INDEXED BY t_nc WHERE a COLLATE NOCASE = 'a';
PRAGMA case_sensitive_like = ON;
SELECT '200', 'ABC' LIKE 'abc';
SELECT 'a' = 'b' COLLATE nowhere;
PRAGMA collation_list;
