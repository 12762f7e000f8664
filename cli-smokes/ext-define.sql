-- cli-smokes/ext-define.sql: functions that are defined in SQL, on the caller's connection.
-- args: test.db
-- ours-only: native shells load no components
.load define
SELECT define('sumn', ':n * (:n + 1) / 2');
SELECT '110', sumn(5), SUMN(NULL), sumn('4');
SELECT define('subxy1', '? - ?'), define('subxy2', '?1 - ?2'), define('subxy3', '?2 - ?1'), define('subxy4', ':x - :y');
SELECT '120', subxy1(5, 1), subxy2(5, 1), subxy3(5, 1), subxy4(5, 1);
SELECT define('answer', '42 -- of course');
SELECT '130', answer(), sum(sumn(value)) FROM generate_series(1, 1000);
-- Definitions call each other; an argument is computed once and is no column.
SELECT define('twice', 'sumn(:x) + sumn(:x)'), define('zero', ':x - :x'), define('still', 'zero(random())');
SELECT '140', twice(4), still(), twice(sumn(2));
CREATE TABLE t(a TEXT COLLATE NOCASE);
INSERT INTO t VALUES('1'), ('A');
SELECT define('same', ':x = :y'), define('found', '(SELECT count(*) FROM t WHERE same(a, :x))');
SELECT '150', found(1), found('1'), found('a'), same('1', 1);
-- A new body is seen at once, and by those who call it.
SELECT define('sumn', ':n * 100');
SELECT '160', sumn(1), twice(1);
SELECT define('sumn', ':n + :m');
SELECT '170', sumn(1, 2);
SELECT sumn(1);
SELECT twice(1);
SELECT undefine('sumn');
SELECT sumn(1, 2);
SELECT define('sumn', ':n + 1');
SELECT '180', sumn(1), twice(1);
-- What cannot be defined.
SELECT define('me', 'me(:x)');
SELECT define('still', 'twice(1)'), define('sumn', ':n + still()');
SELECT '190', sumn(1), still();
SELECT define('abs', ':x');
SELECT define('eval', ':x');
SELECT define('select', ':x');
SELECT define('two words', ':x');
SELECT define('wrong', ':x +');
SELECT define('wrong', ':x; DROP TABLE t');
SELECT define('wrong', 'eval(:x)');
SELECT wrong('1');
-- Tables with arguments.
CREATE VIRTUAL TABLE strcut USING define((
  SELECT substr(:str, 1, instr(:str, :sep) - 1) AS left, :sep AS separator,
    substr(:str, instr(:str, :sep) + 1) AS right));
SELECT '210', * FROM strcut('one;two', ';');
SELECT '220', left FROM strcut WHERE sep = ';' AND str = 'a;b';
CREATE TABLE data(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO data(value) VALUES('one;two'), ('three;four'), ('five;six');
SELECT '230', id, left, right, str FROM data, strcut(data.value, ';');
CREATE VIRTUAL TABLE sums USING define((SELECT value, sumn(value) AS sum FROM generate_series(1, :n)));
SELECT '240', count(*), sum(sum), max(rowid) FROM sums(5000);
SELECT '250', sum FROM sums(5000) LIMIT 2;
SELECT '260', a.value, b.sum FROM sums(2) a, sums(a.value) b;
CREATE VIRTUAL TABLE wrong USING define(SELECT 1);
CREATE VIRTUAL TABLE wrong USING define((SELECT 1), 2);
CREATE VIRTUAL TABLE wrong USING define((DELETE FROM t));
CREATE VIRTUAL TABLE wrong USING define((SELECT nosuch));
SELECT undefine('strcut');
DROP TABLE strcut;
SELECT '270', name, type FROM sqlean_define ORDER BY name;
-- eval
SELECT '310', eval('SELECT 1, 2, 3'), eval('SELECT 1; SELECT NULL, ''x'';', '|');
SELECT '320', eval('CREATE TABLE made(a)') IS NULL, eval(NULL) IS NULL, eval('SELECT 1', NULL) IS NULL;
SELECT eval('INSERT INTO made VALUES(1), (sumn(1)), (3)');
SELECT '330', eval('SELECT a FROM made'), eval('SELECT sumn(a) FROM made', '+');
SELECT eval('SELECT nosuch FROM made');
SELECT eval('SELECT eval(''SELECT 1'')');
-- Definitions are in the database, as far as the transaction was committed.
BEGIN;
SELECT define('lost', '1');
SELECT '410', lost();
ROLLBACK;
.open test.db
-- Another connection finds them.
.load define
SELECT '420', sumn(1), twice(1);
SELECT lost();
SELECT '430', count(*) FROM sums(3);
SELECT define_free();
SELECT '440', sumn(1), answer();
.connection 1
.open :memory:
.load define
SELECT sumn(1);
SELECT define('sumn', '''mine''');
SELECT '450', sumn();
.connection 0
SELECT '460', sumn(1);
