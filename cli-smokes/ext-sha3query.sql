-- cli-smokes/ext-sha3query.sql: the hash of what statements return.
-- args: test.db
-- ours-only: native shells load no components
.load sha3query
SELECT '110', hex(sha3_query('SELECT 1'));
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1, 'one'), (2, NULL), (3.5, x'00ff');
SELECT '120', hex(sha3_query('SELECT a, b FROM t', 224));
SELECT '130', sha3_query(NULL) IS NULL, sha3_query(NULL, 512) IS NULL, length(sha3_query('SELECT 1; SELECT 2', 384));
SELECT sha3_query('SELECT 1', 100);
SELECT sha3_query('DELETE FROM t');
SELECT '140', count(*) FROM t;
SELECT '150', count(*) FROM pragma_function_list WHERE name = 'sha3_query';
