-- cli-smokes/modes.sql: each output mode, with the headers that it has by itself, with and without.
CREATE TABLE t(a INTEGER, b TEXT, c REAL, "d e" BLOB);
INSERT INTO t VALUES
  (1, 'plain', 1.5, x'00ff41'),
  (-22, 'it''s "quoted", a|b	tab', 0.1, NULL),
  (NULL, '<b>&amp;</b> \ back', 1e100, x''),
  (9223372036854775807, 'two
lines', -0.0, x'c3a9'),
  (0, '', 3.0, 'text');
-- Those of tables show headers from then on, so they come last.
.mode list
.print 110 list
SELECT * FROM t;
.mode quote
.print 110 quote
SELECT * FROM t;
.mode ascii
.print 110 ascii
SELECT * FROM t;
.mode html
.print 110 html
SELECT * FROM t;
.mode insert
.print 110 insert
SELECT * FROM t;
.mode json
.print 110 json
SELECT * FROM t;
.mode line
.print 110 line
SELECT * FROM t;
.mode tabs
.print 110 tabs
SELECT * FROM t;
.mode tcl
.print 110 tcl
SELECT * FROM t;
.mode csv
.print 110 csv
SELECT * FROM t;
.mode column
.print 110 column
SELECT * FROM t;
.mode box
.print 110 box
SELECT * FROM t;
.mode table
.print 110 table
SELECT * FROM t;
.mode markdown
.print 110 markdown
SELECT * FROM t;
.mode qbox
.print 110 qbox
SELECT * FROM t;
.output body.sql
.print '.headers on'
.print '.print 120'
.print 'SELECT * FROM t ORDER BY a DESC;'
.print '.headers off'
.print '.print 130'
.print 'SELECT a, b AS "a ""name""" FROM t LIMIT 2;'
.print '.nullvalue NIL'
.print '.print 140'
.print "SELECT NULL, 'NIL', 1;"
.print '.print 150, no row'
.print 'SELECT * FROM t WHERE 0;'
.print ".nullvalue ''"
.output
.print list
.mode list
.read body.sql
.print quote
.mode quote
.read body.sql
.print ascii
.mode ascii
.read body.sql
.print html
.mode html
.read body.sql
.print insert
.mode insert
.read body.sql
.print json
.mode json
.read body.sql
.print line
.mode line
.read body.sql
.print tabs
.mode tabs
.read body.sql
.print tcl
.mode tcl
.read body.sql
.print csv
.mode csv
.read body.sql
.print column
.mode column
.read body.sql
.print box
.mode box
.read body.sql
.print table
.mode table
.read body.sql
.print markdown
.mode markdown
.read body.sql
.print qbox
.mode qbox
.read body.sql
.print insert into another table
.mode insert other table
.print 160, another table (an argument too many is refused)
SELECT 1, 'x';
.mode insert "select"
SELECT 1, 'x';
.headers on
SELECT 1 AS a, 'x' AS "b c";
