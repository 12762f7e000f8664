-- cli-smokes/journal-modes.sql: delete, truncate, persist, memory, off: what lies in the directory, and rollback.
CREATE TABLE t(a);
INSERT INTO t VALUES('start');
.once step.sql
.print "BEGIN;\nUPDATE t SET a = a||'!';\nINSERT INTO t SELECT zeroblob(5000) FROM generate_series(1, 20);\nSELECT 'inside', name, length(data) > 0 FROM fsdir('.') WHERE name LIKE '%journal';\nROLLBACK;\nSELECT 'rolled back', a FROM t;\nUPDATE t SET a = a||'+';\nSELECT 'committed', a FROM t;\nSELECT 'after', name, length(data) > 0, hex(substr(data, 1, 8)) FROM fsdir('.') WHERE name LIKE '%journal';"
PRAGMA journal_mode;
.read step.sql
PRAGMA journal_mode = TRUNCATE;
.read step.sql
PRAGMA journal_mode = PERSIST;
.read step.sql
PRAGMA journal_size_limit = 600;
UPDATE t SET a = a||'.';
SELECT '110', length(data) FROM fsdir('.') WHERE name LIKE '%journal';
PRAGMA journal_mode = DELETE;
SELECT '120', count(*) FROM fsdir('.') WHERE name LIKE '%journal';
PRAGMA journal_mode = MEMORY;
.read step.sql
PRAGMA journal_mode = OFF;
.dbconfig defensive off
PRAGMA journal_mode = OFF;
UPDATE t SET a = 'no journal';
SELECT '130', a FROM t;
PRAGMA journal_mode = DELETE;
PRAGMA synchronous = EXTRA;
PRAGMA locking_mode = EXCLUSIVE;
UPDATE t SET a = a||'?';
SELECT '140', a FROM t;
PRAGMA locking_mode = NORMAL;
PRAGMA integrity_check;
