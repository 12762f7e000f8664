-- cli-smokes/export-once.sql: .once and .output write files; what they wrote is read back.
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1, 'x'), (2, 'y z');
.once one.txt
SELECT '110', * FROM t;
SELECT '120 on stdout again';
SELECT '130', readfile('one.txt');
.output two.txt
SELECT 'first', a FROM t;
.print and a line
SELECT 'second', b FROM t;
.output
SELECT '140', readfile('two.txt');
.headers on
.mode csv
.once --bom three.csv
SELECT * FROM t;
.headers off
.mode list
SELECT '150', hex(readfile('three.csv'));
.once one.txt
.print shorter
SELECT '160', readfile('one.txt');
.output nodirectory/x.txt
SELECT '170 goes to stdout';
.output off
SELECT '180 so does this: `off` is for .log';
.output stdout
SELECT '190', writefile('four.bin', x'00010203'), hex(readfile('four.bin'));
SELECT '200', readfile('missing.bin') IS NULL;
SELECT '210', name, data IS NULL FROM fsdir('.') WHERE name LIKE '%.txt' ORDER BY name;
SELECT '220', writefile('sub/dir/five.txt', 'deep'), readfile('sub/dir/five.txt');
