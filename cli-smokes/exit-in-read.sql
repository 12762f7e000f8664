-- cli-smokes/exit-in-read.sql: .exit in a file read by .read ends all, .quit only that file.
.once quit.sql
.print "SELECT '110';\n.quit\nSELECT 'never';"
.once exit.sql
.print "SELECT '130';\n.exit 9\nSELECT 'never';"
.read quit.sql
SELECT '120';
.read exit.sql
SELECT 'never';
