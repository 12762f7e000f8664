-- cli-smokes/ext-longest.sql: the extension longest.
-- args: test.db
-- ours-only: native shells load no components
.load longest
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1, 'ah'), (1, 'größe'), (2, NULL), (2, 12);
SELECT '110', a, longest(b) FROM t GROUP BY a;
SELECT '120', longest(b) IS NULL FROM t WHERE a > 2;
