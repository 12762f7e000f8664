-- cli-smokes/dump-options.sql: --data-only, --nosys, --preserve-rowids and patterns of .dump.
CREATE TABLE t1(a, b);
CREATE TABLE t2(a PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE other(x);
CREATE INDEX t1_a ON t1(a);
INSERT INTO t1(rowid, a, b) VALUES(3, 'x', 1), (77, 'y', 2);
INSERT INTO t2 VALUES('k');
INSERT INTO other VALUES(1);
ANALYZE;
.print 110
.dump --preserve-rowids t_
.print 120
.dump --data-only
.print 130
.dump --nosys t%
.print 140
.dump other nothing
.print 150
.dump --nonsense
