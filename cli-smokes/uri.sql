-- cli-smokes/uri.sql: URI file names: mode, cache, immutable, nolock, escapes.
-- before: file:test.db?mode=rwc "CREATE TABLE t(a); INSERT INTO t VALUES('uri')"
-- args: file:test.db?mode=ro
SELECT '110', a FROM t;
INSERT INTO t VALUES('never');
.open file:missing.db?mode=rw
SELECT '120', count(*) FROM sqlite_schema;
.open file:test.db?immutable=1
SELECT '130', a FROM t;
.open file:test.db?nolock=1
SELECT '140', a FROM t;
.open file:te%73t.db
SELECT '150', a FROM t;
.open file:shared?mode=memory&cache=shared
CREATE TABLE m(a);
.connection 1
.open file:shared?mode=memory&cache=shared
SELECT '160', name FROM sqlite_schema;
.open file:test.db?mode=nonsense
.open file:test.db?vfs=nonsense
ATTACH 'file:test.db?mode=memory' AS x;
SELECT '170', count(*) FROM x.sqlite_schema;
