-- cli-smokes/errors-io.sql: files that are no database, cannot be opened, or are cut off.
SELECT '100', writefile('rubbish.db', replace(hex(zeroblob(600)), '00', 'no')), writefile('empty.db', ''), writefile('short.db', 'SQLite format 3');
.open rubbish.db
SELECT '110', count(*) FROM sqlite_schema;
.open empty.db
SELECT '120', count(*) FROM sqlite_schema;
CREATE TABLE t(a);
.open short.db
SELECT '130', count(*) FROM sqlite_schema;
.open test.db
PRAGMA page_size = 1024;
CREATE TABLE t(a, b);
INSERT INTO t SELECT value, zeroblob(300) FROM generate_series(1, 50);
SELECT '140', writefile('cut.db', substr(readfile('test.db'), 1, 5000));
.open cut.db
SELECT '150', count(b) FROM t;
PRAGMA integrity_check(2);
.open test.db
SELECT '160', writefile('flipped.db', substr(readfile('test.db'), 1, 1024) || x'ff' || substr(readfile('test.db'), 1026));
.open flipped.db
SELECT '170', count(*) FROM t;
.open nodirectory/x.db
SELECT '180', 1;
CREATE TABLE t(a);
.open --readonly missing.db
SELECT '190', count(*) FROM sqlite_schema;
.open .
SELECT '200', count(*) FROM sqlite_schema;
ATTACH '.' AS directory;
