-- cli-smokes/big-values.sql: text and blobs of megabytes: through the file, by length and hash, and over the limit.
CREATE TABLE t(id INTEGER PRIMARY KEY, x);
INSERT INTO t VALUES(1, zeroblob(1000000)), (2, replace(hex(zeroblob(500000)), '00', 'ab')), (3, zeroblob(5000000));
UPDATE t SET x = x || 'é' WHERE id = 2;
SELECT '110', id, typeof(x), length(x), octet_length(x), hex(sha3(x)) FROM t;
SELECT '120', hex(substr(x, 999990, 20)) FROM t WHERE id IN (1, 2);
SELECT '130', writefile('big.bin', x) FROM t WHERE id = 3;
SELECT '140', length(readfile('big.bin')), hex(sha3(readfile('big.bin'), 512));
.open test.db
SELECT '150', id, hex(sha3(x)) FROM t;
.output dump.sql
.dump
.output
.open copy.db
.read dump.sql
SELECT '160', id, typeof(x), length(x), hex(sha3(x)) FROM t;
DELETE FROM t WHERE id <> 2;
VACUUM;
PRAGMA integrity_check;
SELECT '170', length(group_concat(x, '')) FROM t, generate_series(1, 10);
.once out.txt
SELECT x FROM t;
SELECT '180', length(readfile('out.txt'));
.limit length 100000
SELECT '190', length(zeroblob(100000));
SELECT '200', length(zeroblob(100001));
SELECT '210', x FROM t;
