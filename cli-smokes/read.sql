-- cli-smokes/read.sql: .read nests, keeps its line numbers and stops at 25 levels.
.once inner.sql
.print "SELECT 'inner';\nSELECT nowhere;"
.once outer.sql
.print "SELECT 'outer 1';\n.read inner.sql\nSELECT 'outer 2';\nSELECT unknown FROM nowhere;"
.read outer.sql
.once self.sql
.print "SELECT 'once more';\n.read self.sql"
.read self.sql
.read missing.sql
.read
.once unfinished.sql
.print "SELECT 'no semicolon'"
.read unfinished.sql
.once windows.sql
.print "SELECT 'carriage'\r\n,'return';\r"
.read windows.sql
SELECT '110';
