-- cli-smokes/page-sizes.sql: all page sizes from 512 to 65536, changed by VACUUM, with integrity checks.
.once make.sql
.print "CREATE TABLE t(id INTEGER PRIMARY KEY, x, y);\nINSERT INTO t SELECT value, printf('%0*d', value % 700, value), zeroblob(value % 3000) FROM generate_series(1, 300);\nCREATE INDEX t_x ON t(x);\nDELETE FROM t WHERE id % 3 = 0;\nPRAGMA page_size;\nPRAGMA integrity_check;\nSELECT count(*), sum(length(x)), hex(sha3_agg(x||hex(y))) FROM (SELECT x, y FROM t ORDER BY id);"
PRAGMA page_size = 512;
.read make.sql
.open 1024.db
PRAGMA page_size = 1024;
.read make.sql
.open 2048.db
PRAGMA page_size = 2048;
.read make.sql
.open 4096.db
.read make.sql
.open 8192.db
PRAGMA page_size = 8192;
.read make.sql
.open 16384.db
PRAGMA page_size = 16384;
.read make.sql
.open 32768.db
PRAGMA page_size = 32768;
.read make.sql
.open 65536.db
PRAGMA page_size = 65536;
.read make.sql
PRAGMA page_size = 512;
VACUUM;
PRAGMA page_size;
PRAGMA integrity_check;
PRAGMA page_size = 1000;
VACUUM;
PRAGMA page_size;
SELECT '110', length(readfile('512.db')) IS NULL, length(readfile('65536.db')) % 512, substr(readfile('65536.db'), 17, 2) = x'0200';
