-- loads: xsv sqlite3_xsv_init
-- grants: dir:.
-- Separated values as sqlite-xsv reads them: files that the shell writes of generated rows, and blobs.
-- input
.headers on
.mode csv
.once rows.csv
SELECT i, n, r, t, hex(b) AS b FROM input;
.once quoted.csv
SELECT t || ', "' || n AS "a ""name""", char(10) || t AS "two words", '' AS empty FROM input;
.mode tabs
.once rows.tsv
SELECT i, r, t FROM input;
.headers off
.mode list
.separator |
.once rows.psv
SELECT i, '''' || t || '|' || n || '''', n FROM input;
CREATE VIRTUAL TABLE temp.plain USING csv(filename="rows.csv");
SELECT '110', name, type, hidden FROM pragma_table_xinfo('plain');
SELECT '120', rowid, * FROM plain;
SELECT '130', count(*), sum(n % 1000003), max(t), typeof(max(i)) FROM plain;
CREATE VIRTUAL TABLE temp.typed USING csv(filename='rows.csv', id integer, n bigint, r real, t text, b blob);
SELECT '140', name, type FROM pragma_table_xinfo('typed');
SELECT '150', id, typeof(id), n, typeof(n), r, typeof(r), t, typeof(t), b, typeof(b) FROM typed;
SELECT '160', count(*) FROM typed JOIN input ON id = i AND typed.n = input.n AND typed.t = input.t AND typed.b = hex(input.b);
CREATE VIRTUAL TABLE temp.fewer USING csv(filename='rows.csv', id numeric, n numeric);
SELECT '170', id, typeof(id), n, typeof(n) FROM fewer WHERE id % 3 = 0;
CREATE VIRTUAL TABLE temp.quoted USING csv(filename='quoted.csv', a text, two text, blank int);
SELECT '180', hex(a), hex(two), typeof(blank), length(blank) FROM quoted;
CREATE VIRTUAL TABLE temp.tabs USING tsv(filename='rows.tsv');
SELECT '190', * FROM tabs LIMIT 100;
-- Options.
CREATE VIRTUAL TABLE temp.psv USING xsv(filename='rows.psv', delimiter='|', quote="'", header=no);
SELECT '210', name FROM pragma_table_xinfo('psv');
SELECT '220', * FROM psv;
CREATE VIRTUAL TABLE temp.nohead USING xsv(filename='rows.psv', delimiter="|", quote="'", header="false", id int, t text, n int);
SELECT '230', count(*), sum(id), sum(n % 1000003), typeof(max(n)) FROM nohead;
CREATE VIRTUAL TABLE temp.head USING xsv(filename='rows.psv', delimiter="|", quote="'", id int, t text, n int);
SELECT '240', count(*), min(id) FROM head;
-- Readers.
CREATE VIRTUAL TABLE temp.reader USING csv_reader(id integer, n integer, r real, t text, b text);
SELECT '310', name, type, hidden FROM pragma_table_xinfo('reader');
SELECT '320', id, typeof(id), n, r, t, b FROM reader('rows.csv');
CREATE VIRTUAL TABLE temp.blobs USING xsv_reader(delimiter='|', header=no, a text, b integer, c real);
SELECT '330', i, a, blobs.b, typeof(blobs.b), c, typeof(c) FROM input, blobs(CAST(t || '|' || n || '|' || printf('%.6f', i / 7.0) AS BLOB));
SELECT '340', a, b, c FROM blobs(CAST('x|1|2' || char(13, 10) || '"y|z"|+5|1e3' || char(10) || '|007|.5' AS BLOB));
CREATE VIRTUAL TABLE temp.tsvs USING tsv_reader(a text, b numeric);
SELECT '350', a, b, typeof(b) FROM tsvs(CAST('h' || char(9) || 'i' || char(10) || 'x' || char(9) || '12' || char(10) || 'y' || char(9) || '1.50' || char(10) || 'z' || char(9) || 'w' AS BLOB));
SELECT '360', count(*) FROM reader('rows.csv') AS one, reader('rows.csv') AS two WHERE one.id = two.n;
