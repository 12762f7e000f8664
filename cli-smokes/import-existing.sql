-- cli-smokes/import-existing.sql: .import into a table: affinity, constraints, missing and extra columns.
CREATE TABLE t(id INTEGER PRIMARY KEY, x REAL, label TEXT DEFAULT 'none' CHECK(label <> 'bad'));
.once rows.txt
.print "1|1.5|one\n2|2\n3|x|three|extra\n1|9|twice\n5|5|bad\n6||"
.import rows.txt t
.nullvalue NULL
SELECT '110', id, x, typeof(x), label FROM t;
.once tabs.txt
.print "7\t0.25\tseven"
.mode tabs
.import tabs.txt t
.mode list
SELECT '120', * FROM t WHERE id = 7;
.separator ;
.once semi.txt
.print "8;1e3;eight"
.import semi.txt t
SELECT '130', * FROM t WHERE id = 8;
ATTACH ':memory:' AS aux;
CREATE TABLE aux.u(a, b, c);
.import --schema aux semi.txt u
SELECT '140', * FROM aux.u;
.import missing.txt t
.import
.import --nonsense semi.txt t
