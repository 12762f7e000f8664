-- cli-smokes/virtual-tables.sql: dbpage, dbstat, stmt, bytecode, tables_used and pragma functions.
PRAGMA page_size = 1024;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
INSERT INTO t SELECT value, printf('%0100d', value) FROM generate_series(1, 100);
CREATE INDEX t_b ON t(b);
SELECT '110', count(*), sum(length(data)), hex(substr(min(data), 1, 4)) FROM sqlite_dbpage;
SELECT '120', hex(substr(data, 1, 16)) FROM sqlite_dbpage WHERE pgno = 1;
SELECT '130', name, count(*), sum(ncell), sum(pgsize), sum(unused) FROM dbstat GROUP BY name;
SELECT '140', name, path, pageno, pagetype, ncell, payload, unused, mx_payload, pgsize FROM dbstat('main', 1);
SELECT '150', busy, nscan > 0, ro, ncol, sql FROM sqlite_stmt;
SELECT '160', opcode, p4, subprog IS NULL FROM bytecode('SELECT b FROM t WHERE a = 5') WHERE opcode IN ('OpenRead', 'SeekRowid', 'Column', 'ResultRow');
SELECT '170', type, schema, name, wr FROM tables_used('SELECT b FROM t ORDER BY b');
SELECT '180', name, type, pk FROM pragma_table_info('t');
SELECT '190', name, "unique", origin FROM pragma_index_list('t');
SELECT '200', count(*) FROM pragma_function_list WHERE name IN ('sha3', 'json', 'bm25', 'sqrt', 'median', 'rtreecheck', 'sqlite_offset');
SELECT '210', name FROM pragma_module_list WHERE name NOT LIKE 'pragma%' ORDER BY name;
SELECT '220', sqlite_offset(b) > 0 FROM t WHERE a = 50;
UPDATE sqlite_dbpage SET data = zeroblob(1024) WHERE pgno = 2;
.dbconfig defensive off
UPDATE sqlite_dbpage SET data = zeroblob(1024) WHERE pgno = 2;
PRAGMA integrity_check;
