-- cli-smokes/errors-bail-dot.sql: .bail on, switched on in the script, also ends what .read reads.
SELECT 1 FROM nowhere;
.once inner.sql
.print "SELECT '120';\nSELECT * FROM nowhere;\nSELECT '130 never';"
SELECT '110 goes on after the first error';
.bail on
.read inner.sql
SELECT '140 never';
