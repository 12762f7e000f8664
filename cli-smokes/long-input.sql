-- cli-smokes/long-input.sql: lines of megabytes, statements of many lines and many statements in one line.
.once line.sql
SELECT 'SELECT ''110'', length('''||replace(hex(zeroblob(1000000)), '00', 'xy')||''');';
.once lines.sql
SELECT 'SELECT ''120'', length('''||replace(hex(zeroblob(20000)), '00', 'xy'||char(10))||''');';
.once statements.sql
SELECT 'CREATE TABLE t(a);BEGIN;'||replace(hex(zeroblob(5000)), '00', 'INSERT INTO t VALUES(1);')||'COMMIT;';
.once rows.sql
SELECT 'INSERT INTO t VALUES(0)'||replace(hex(zeroblob(20000)), '00', ',(2)')||';';
.once blob.sql
SELECT 'INSERT INTO t VALUES(x'''||hex(zeroblob(1000000))||''');';
.read line.sql
.read lines.sql
.read statements.sql
.read rows.sql
.read blob.sql
SELECT '130', a, count(*) FROM t WHERE typeof(a) = 'integer' GROUP BY a;
SELECT '140', length(a) FROM t WHERE typeof(a) = 'blob';
