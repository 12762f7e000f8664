-- cli-smokes/attach.sql: ATTACH and DETACH over files: joins, a commit over two files, the limit of ten.
CREATE TABLE t(a);
ATTACH 'other.db' AS other;
CREATE TABLE other.t(a);
CREATE TABLE other.u(a);
INSERT INTO main.t VALUES('main');
INSERT INTO other.t VALUES('other');
SELECT '110', m.a, o.a FROM main.t AS m, other.t AS o;
BEGIN;
INSERT INTO t VALUES('kept');
INSERT INTO u VALUES('kept too');
COMMIT;
BEGIN;
INSERT INTO t VALUES('dropped');
INSERT INTO u VALUES('dropped');
ROLLBACK;
SELECT '120', (SELECT group_concat(a) FROM t), (SELECT group_concat(a) FROM u);
.tables
ATTACH 'other.db' AS other;
DETACH main;
DETACH nowhere;
DETACH other;
SELECT '130', a FROM u;
ATTACH 'other.db' AS other KEY '';
SELECT '140', a FROM u;
ATTACH 'nodirectory/x.db' AS x;
ATTACH ':memory:' AS a2; ATTACH ':memory:' AS a3; ATTACH '' AS a4; ATTACH 'a5.db' AS a5;
ATTACH ':memory:' AS a6; ATTACH ':memory:' AS a7; ATTACH ':memory:' AS a8; ATTACH ':memory:' AS a9;
ATTACH ':memory:' AS a10; ATTACH ':memory:' AS a11;
SELECT '150', group_concat(name) FROM pragma_database_list;
.databases
