-- cli-smokes/comments.sql: where a statement ends: comments, several lines, `go` and `/`.
-- args: :memory:
SELECT '110' -- a comment; with a semicolon
  ;
SELECT /* across
  lines; */ '120';
SELECT '130'; SELECT '140';
# a line the shell itself takes for a comment
SELECT '150
;151';
SELECT '160'
go
SELECT '170'
/
CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN
  UPDATE t SET a = a + 1;
  UPDATE t SET a = a * 10;
END;
INSERT INTO t VALUES(17);
SELECT a FROM t;
;;;
-- a comment of a line, then a dot-command after the statement is complete
.print '190' "one\ttab" bare\tword
SELECT '200 no semicolon at the end of input'
;
 .print 210 a dot-command must begin its line
;
SELECT '220 no end
