-- cli-smokes/ext-csv.sql: tables over CSV files in a granted directory, and over given text.
-- args: --grant csv=dir:.:ro test.db
-- ours-only: native shells load no components
.load csv
.mode csv
.headers on
.output people.csv
SELECT column1 AS id, column2 AS name, column3 AS note FROM (VALUES(1, 'Ann, B.', 'says "hi"'), (2, 'Bob', NULL), (3, 'two
lines', x'78'));
.output
.mode list
.headers off
CREATE VIRTUAL TABLE temp.people USING csv(filename='people.csv', header=yes);
SELECT '110', rowid, quote(id), name, note FROM people;
SELECT '120', group_concat(name) FROM pragma_table_info('people');
SELECT '130', name FROM people WHERE id = '2';
SELECT '140', a.id, b.name FROM people a JOIN people b ON b.id = a.id + 1;
CREATE VIRTUAL TABLE temp.plain USING csv(filename='./people.csv', columns=2);
SELECT '150', count(*), c0, c1 FROM plain;
CREATE VIRTUAL TABLE temp.typed USING csv(filename='people.csv', header=on, schema='CREATE TABLE x(number INT, name)');
SELECT '160', name FROM typed WHERE number = 3;
CREATE VIRTUAL TABLE temp.given USING csv(data='1,''2''
3,"4"
');
SELECT '170', c0, c1 FROM given ORDER BY rowid DESC;
-- A large file is read in batches, and a change is seen by the next scan.
.mode csv
.output people.csv
SELECT value, 'name ' || value, printf('%.*c', 1000, 'x') FROM generate_series(1, 5000);
.output
.mode list
DROP TABLE plain;
CREATE VIRTUAL TABLE temp.plain USING csv(filename='people.csv');
SELECT '180', count(*), max(rowid), max(c1), sum(length(c2)) FROM plain;
SELECT '190', count(*) FROM people;
SELECT '200', c0 IS NOT NULL FROM plain LIMIT 1;
-- What is wrong is named.
CREATE VIRTUAL TABLE temp.wrong USING csv(filename='no.csv');
CREATE VIRTUAL TABLE temp.wrong USING csv(filename='/etc/passwd');
CREATE VIRTUAL TABLE temp.wrong USING csv(filename='..');
CREATE VIRTUAL TABLE temp.wrong USING csv(filename='.');
CREATE VIRTUAL TABLE temp.wrong USING csv(data='1', filename='people.csv');
CREATE VIRTUAL TABLE temp.wrong USING csv(data='1', colour=red);
CREATE VIRTUAL TABLE temp.wrong USING csv(data='a,a', header);
CREATE VIEW v AS SELECT * FROM people;
INSERT INTO people VALUES(1, 2, 3);
SELECT '300', name FROM pragma_module_list WHERE name = 'csv';
