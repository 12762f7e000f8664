-- cli-smokes/save-backup-restore.sql: .save, .backup, .restore and .clone copy whole databases.
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
INSERT INTO t SELECT value, hex(value) FROM generate_series(1, 2000);
CREATE INDEX t_b ON t(b);
CREATE VIEW v AS SELECT count(*) AS n FROM t;
.save saved.db
.backup main backup.db
ATTACH ':memory:' AS aux;
CREATE TABLE aux.u AS SELECT 'in aux' AS x;
.backup aux aux.db
.clone clone.db
DELETE FROM t;
SELECT '110', n FROM v;
.restore backup.db
SELECT '120', n, (SELECT b FROM t WHERE a = 1234) FROM v;
.restore aux saved.db
SELECT '130', n FROM aux.v;
DETACH aux;
.restore missing.db
SELECT '140', count(*) FROM sqlite_schema;
.open saved.db
SELECT '150', n FROM v;
PRAGMA integrity_check;
.open clone.db
SELECT '160', n FROM v;
.schema
PRAGMA integrity_check;
.open aux.db
SELECT '170', x FROM u;
.backup nowhere x.db
.save nodirectory/x.db
.clone aux.db
