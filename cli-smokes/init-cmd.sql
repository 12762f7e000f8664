-- cli-smokes/init-cmd.sql: -init reads a file first, -cmd runs commands before the input, both in order.
-- before: :memory: "SELECT writefile('init.sql', 'CREATE TEMP TABLE t(a); INSERT INTO t VALUES(''by init'');'||char(10)||'.mode json')"
-- before: -init init.sql test.db "SELECT a FROM t"
-- before: -batch -init init.sql -csv :memory: "SELECT a FROM t"
-- args: -init init.sql -cmd "INSERT INTO t VALUES('by cmd')" -cmd ".print from cmd" -cmd "SELECT nowhere" test.db
SELECT '110' AS n, a FROM t;
