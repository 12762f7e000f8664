-- cli-smokes/ext-sha3.sql: the extension sha3 replaces the shell's own function.
-- args: test.db
-- ours-only: native shells load no components
CREATE TABLE own AS SELECT value AS x, sha3(text, 224) AS a, sha3(text, 256) AS b, sha3(text, 384) AS c, sha3(text, 512) AS d
  FROM (SELECT value, substr(replace(hex(zeroblob(200)), '00', 'ab¢'), 1, value) AS text FROM generate_series(0, 300));
.load sha3
SELECT '110', hex(sha3_256('abc'));
SELECT '120', hex(sha3('abc', 224)) = hex(sha3_224('abc'));
SELECT '130', sha3(NULL) IS NULL, sha3_512(NULL) IS NULL;
SELECT '140', hex(sha3(x'')) = hex(sha3(''));
SELECT '150', hex(sha3_384(12)) = hex(sha3_384('12'));
SELECT '160', typeof(sha3('abc')), length(sha3('abc'));
SELECT sha3('abc', 100);
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1, 'one'), (2, NULL), (3.5, x'00ff');
SELECT '170', length(sha3_agg(a)), sha3_agg(a) <> sha3_agg(b) FROM t;
SELECT '180', length(sha3_agg(a)) FROM t WHERE a > 100;
SELECT '185', sum(hex(sha3(column1)) = hex(sha3(CAST(column1 AS TEXT)))) FROM (VALUES (4.31883216978598954e-15), (-5.4054163630074627e+97), (8.3465101871421001e-12), (0.1), (-12));
SELECT '190', count(*) FROM pragma_function_list WHERE name LIKE 'sha3\_2%' ESCAPE '\';
SELECT '200', count(*) FROM own, (SELECT replace(hex(zeroblob(200)), '00', 'ab¢') AS text)
  WHERE (a, b, c, d) = (sha3_224(substr(text, 1, x)), sha3_256(substr(text, 1, x)), sha3_384(substr(text, 1, x)), sha3_512(substr(text, 1, x)));
