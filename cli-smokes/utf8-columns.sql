-- cli-smokes/utf8-columns.sql: columns stay aligned with wide, combining, zero-width and emoji characters.
-- args: :memory:
CREATE TABLE t(id, "näme", x);
INSERT INTO t VALUES(1, 'plain', 'a'), (2, '漢字かな', 'wide'), (3, 'e'||char(0x301)||'a'||char(0x308), 'combining'),
  (4, '😀👍🏽', 'emoji'), (5, 'Ωmega', 'greek'), (6, 'a'||char(0x200b)||'b', 'zero width'), (7, char(27)||'[31mred'||char(27)||'[0m', 'escape');
.mode column
.print 110
SELECT * FROM t;
.mode box
.print 120
SELECT * FROM t;
.mode table --wrap 3
.print 130
SELECT * FROM t WHERE id < 6;
.mode markdown --wrap 60
.print 140
SELECT * FROM t;
.mode column
.width 2 -8 4
.print 150
SELECT * FROM t;
.mode json
SELECT * FROM t;
.mode csv
SELECT * FROM t;
.mode quote
SELECT * FROM t;
.mode list
SELECT * FROM t;
