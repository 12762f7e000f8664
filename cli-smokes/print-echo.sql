-- cli-smokes/print-echo.sql: .print, .echo, .prompt, .help of one command, .trace and .log to stdout.
.print 'single' "double\ttab" bare 'it''s' "\x41\102"
.print
.echo on
SELECT '110'; -- with a comment
SELECT
  '120';
.print echoed
.echo off
.prompt "main> " "more> "
SELECT '130';
.help print
.help nosuchcommand
.trace stdout
SELECT '140';
.trace --expanded stdout
.parameter set @a 5
SELECT '150', @a;
.trace off
.log stdout
SELECT nowhere;
.log off
.width 5 -5
.quit
SELECT 'never';
