-- cli-smokes/mode-wrap.sql: --wrap, --wordwrap, --quote and .width of the columnar modes.
-- args: :memory:
CREATE TABLE t(id, words);
INSERT INTO t VALUES(1, 'The quick brown fox jumps over the lazy dog'), (2, 'short'),
  (3, 'a'||char(10)||'b'), (4, NULL), (5, 'Donaudampfschifffahrtsgesellschaft');
.print 110 box --wrap 12
.mode box --wrap 12
SELECT * FROM t;
.print 120 table --wrap 12 --ww
.mode table --wrap 12 --ww
SELECT * FROM t;
.print 130 column --wrap 20 --wordwrap on
.mode column --wrap 20 --wordwrap on
SELECT * FROM t;
.print 140 markdown --quote
.mode markdown --quote
SELECT * FROM t;
.print 150 widths
.mode column --wrap 0
.width 4 -12
SELECT * FROM t;
.print 160 widths in a box
.mode box
.width 6 6
SELECT * FROM t;
.width
.print 170 line --wrap 10
.mode line --wrap 10
SELECT * FROM t WHERE id < 3;
.mode
