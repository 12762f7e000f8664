-- cli-smokes/mode-json.sql: the output mode "json", with and without headers.
CREATE TABLE t(a INTEGER, b TEXT, c REAL, "d e" BLOB);
INSERT INTO t VALUES
  (1, 'plain', 1.5, x'00ff41'),
  (-22, 'it''s "quoted", a|b	tab', 0.1, NULL),
  (NULL, '<b>&amp;</b> \ back', 1e100, x''),
  (9223372036854775807, 'two
lines', -0.0, x'c3a9'),
  (0, '', 3.0, 'text');
.mode json
.print 110
SELECT * FROM t;
.headers on
.print 120
SELECT * FROM t ORDER BY a DESC;
.headers off
.print 130
SELECT a, b AS "a ""name""" FROM t LIMIT 2;
.nullvalue NIL
.print 140
SELECT NULL, 'NIL', 1;
.print 150, no row
SELECT * FROM t WHERE 0;
