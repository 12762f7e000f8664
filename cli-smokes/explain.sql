-- cli-smokes/explain.sql: EXPLAIN, EXPLAIN QUERY PLAN, .eqp and .explain.
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);
CREATE INDEX t_b ON t(b);
CREATE TABLE log(x);
CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.a); END;
INSERT INTO t VALUES(1, 'x', 'y');
EXPLAIN QUERY PLAN SELECT * FROM t WHERE b = 'x' UNION ALL SELECT * FROM t ORDER BY c;
EXPLAIN QUERY PLAN WITH x AS MATERIALIZED (SELECT b, count(*) FROM t GROUP BY b) SELECT * FROM x, t WHERE t.c = x.b;
EXPLAIN SELECT a FROM t WHERE b = 'x';
.explain off
EXPLAIN SELECT a FROM t;
.explain auto
.mode csv
EXPLAIN QUERY PLAN SELECT a FROM t WHERE c = 1;
.mode list
.eqp on
SELECT '110', b FROM t WHERE a = 1;
.eqp trigger
INSERT INTO t VALUES(2, 'b', 'c');
.eqp full
DELETE FROM t WHERE a = 2;
.eqp off
SELECT '120', count(*) FROM log;
