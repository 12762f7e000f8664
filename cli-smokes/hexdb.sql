-- cli-smokes/hexdb.sql: .open --hexdb reads a database from the script; .dbinfo and .dbtotxt show it.
-- (.dbtotxt of this shell writes page offsets that --hexdb does not read back.)
.open --hexdb
| size 1024 pagesize 512 filename four.db
| page 1 offset 0
|      0: 53 51 4c 69 74 65 20 66 6f 72 6d 61 74 20 33 00   SQLite format 3.
|     16: 02 00 01 01 00 40 20 20 00 00 00 04 00 00 00 02   .....@  ........
|     32: 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 04   ................
|     48: 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 2a   ...............*
|     64: 00 00 00 00 00 00 00 63 00 00 00 00 00 00 00 00   .......c........
|     80: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 04   ................
|     96: 00 2e 5b f0 0d 00 00 00 01 01 dc 00 01 dc 00 00   ..[.............
|    464: 00 00 00 00 00 00 00 00 00 00 00 00 22 01 06 17   ................
|    480: 0f 0f 01 35 74 61 62 6c 65 74 74 02 43 52 45 41   ...5tablett.CREA
|    496: 54 45 20 54 41 42 4c 45 20 74 28 61 2c 20 62 29   TE TABLE t(a, b)
| page 2 offset 512
|      0: 0d 00 00 00 02 01 e7 00 01 f6 01 e7 00 00 00 00   ................
|    480: 00 00 00 00 00 00 00 0d 02 03 10 07 01 02 3f f8   ..............?.
|    496: 00 00 00 00 00 00 08 01 03 01 15 2a 66 6f 75 72   ...........*four
| end four.db
.dbinfo
.dbtotxt
PRAGMA integrity_check;
SELECT '110', quote(a), b FROM t;
INSERT INTO t VALUES('in memory', 1);
SELECT '120', count(*) FROM t;
.databases
.dbinfo nowhere
.open test.db
.tables
