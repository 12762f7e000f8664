-- cli-smokes/databases-cd.sql: .databases, .cd and relative names; read-only databases.
CREATE TABLE t(a);
INSERT INTO t VALUES('in test.db');
ATTACH 'second.db' AS second;
ATTACH 'file:third.db?mode=memory' AS third;
ATTACH '' AS fourth;
.databases
PRAGMA database_list;
SELECT '110', writefile('sub/x', 'in sub');
.cd sub
.open in-sub.db
CREATE TABLE u(a);
SELECT '120', readfile('x');
.databases
.cd ..
SELECT '130', name FROM fsdir('sub') WHERE name LIKE '%db';
.open --readonly test.db
.databases
INSERT INTO t VALUES('never');
SELECT '140', a FROM t;
.open ./sub/../sub/in-sub.db
.databases
.cd nowhere
.cd
.open test.db
PRAGMA query_only = 1;
INSERT INTO t VALUES('never');
BEGIN;
.databases
