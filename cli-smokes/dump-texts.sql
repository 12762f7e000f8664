-- cli-smokes/dump-texts.sql: .dump of control characters, NULs, broken UTF-8, blobs and typed text.
CREATE TABLE t(id INTEGER PRIMARY KEY, x);
INSERT INTO t(x) VALUES('it''s'), ('a'||char(10)||'b'), ('a'||char(13,10)||'b'), (char(9,27)),
  (x''), (x'00'), (zeroblob(40)), ('é ü 漢字 😀'), (cast(x'ff41' AS TEXT)), (cast(x'410042' AS TEXT)),
  ('\n stays'), ('1e5'), ('unistr(''\u0041'')'), (''), (NULL);
.dump t
.print 110 --newlines
.dump --newlines t
.output t.sql
.dump t
.output
.open copy.db
.read t.sql
ATTACH 'test.db' AS old;
SELECT '120', id, typeof(o.x), hex(o.x), hex(n.x) FROM t AS n JOIN old.t AS o USING(id)
  WHERE n.x IS NOT o.x;
SELECT '130', count(*) FROM t;
