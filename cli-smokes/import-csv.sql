-- cli-smokes/import-csv.sql: .import of CSV: header, quotes, empty fields, line ends.
.once people.csv
.print "name,age,note\nAnn,31,\"likes \"\"tea\"\", milk\"\nBob,,\"two\nlines\"\n\"Ünal\",7,\r"
.import --csv people.csv people
.schema people
.mode quote
SELECT '110', * FROM people;
.once same.csv
.print "a,a,,A\n1,2,3,4"
.import --csv same.csv dup
.schema dup
SELECT '120', * FROM dup;
.once more.csv
.print "skip me\nand me\nCid,40,x\nDora,50,y"
.import --csv --skip 2 more.csv people
SELECT '130', * FROM people WHERE cast(age AS INT) >= 40;
.mode csv
.import more.csv loose
.schema loose
.import --csv -v people.csv people
SELECT '140', count(*) FROM people;
