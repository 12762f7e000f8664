-- cli-smokes/vacuum.sql: VACUUM, VACUUM INTO, auto_vacuum full and incremental.
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
INSERT INTO t SELECT value, zeroblob(1000) FROM generate_series(1, 1000);
PRAGMA page_count;
DELETE FROM t WHERE a > 10;
PRAGMA freelist_count;
VACUUM;
PRAGMA page_count;
PRAGMA freelist_count;
VACUUM INTO 'into.db';
VACUUM INTO 'into.db';
VACUUM main INTO 'nodirectory/into.db';
BEGIN;
VACUUM;
COMMIT;
.open into.db
SELECT '110', count(*) FROM t;
PRAGMA integrity_check;
.open full.db
PRAGMA auto_vacuum = FULL;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
INSERT INTO t SELECT value, zeroblob(1000) FROM generate_series(1, 1000);
SELECT '120', length(readfile('full.db')) / 4096;
DELETE FROM t WHERE a % 50;
SELECT '130', length(readfile('full.db')) / 4096;
PRAGMA integrity_check;
.open incremental.db
PRAGMA auto_vacuum = INCREMENTAL;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
INSERT INTO t SELECT value, zeroblob(1000) FROM generate_series(1, 1000);
DELETE FROM t WHERE a > 500;
PRAGMA freelist_count;
PRAGMA incremental_vacuum(20);
PRAGMA freelist_count;
PRAGMA incremental_vacuum;
PRAGMA page_count;
PRAGMA auto_vacuum;
PRAGMA integrity_check;
