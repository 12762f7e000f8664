-- cli-smokes/sha3sum.sql: .sha3sum with its sizes and patterns; sha1, sha3, sha3_query and the base codecs.
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
CREATE TABLE u(x);
INSERT INTO t VALUES(1, 'x'), (2, NULL), (3, 1.5), (4, x'00');
INSERT INTO u VALUES('é');
.sha3sum
.sha3sum --schema
.sha3sum --sha3-224 t
.sha3sum --sha3-384 u
.sha3sum --sha3-512
.sha3sum nothing
SELECT '110', sha1('abc'), sha1(x'616263'), sha1_query('SELECT 1');
SELECT '120', hex(sha3('abc')), hex(sha3(x'', 224)), hex(sha3_query('SELECT * FROM t', 512));
SELECT '130', base64(x'00112233445566'), hex(base64('ABEiM0RVZg==')), base85(x'00112233445566'), hex(base85(base85(x'ff00')));
SELECT '140', length(base64(zeroblob(1000)));
SELECT sha3('abc', 100);
.sha3sum --nonsense
