-- cli-smokes/depth-expressions.sql: expressions as deep as SQLite allows work; one level more is refused in a clear line.
-- args: :memory:
CREATE TABLE forms(number INTEGER PRIMARY KEY, opens, closes, limit_at);
INSERT INTO forms VALUES
  (110, '1+(', ')', 831),
  (120, '(', ')', 2493),
  (130, 'CASE WHEN 1 THEN ', ' END', 498),
  (140, 'abs(', ')', 831),
  (150, '(SELECT ', ')', 43),
  (160, '(SELECT x FROM (SELECT 1 AS x UNION SELECT ', '))', 191),
  (170, 'NOT ', '', 999),
  (180, '1 IN (', ')', 499),
  (190, '1+', '', 999);
.once deep.sql
SELECT printf('SELECT %d, %s1%s;', number + value, replace(hex(zeroblob(limit_at + value)), '00', opens),
    replace(hex(zeroblob(limit_at + value)), '00', closes))
  FROM forms, generate_series(0, 1) ORDER BY number, value;
.read deep.sql
.once or.sql
SELECT 'SELECT ''200'', count(*) FROM generate_series(1, 2000) WHERE value = 0'||(SELECT group_concat(' OR value = '||value, '') FROM generate_series(1, 990))||';';
.read or.sql
.once compound.sql
SELECT printf('SELECT %d, count(*) FROM (SELECT 1%s);', 210 + value, replace(hex(zeroblob(499 + value)), '00', ' UNION ALL SELECT 1')) FROM generate_series(0, 1);
.read compound.sql
.once arguments.sql
SELECT printf('SELECT %d, max(1%s);', 220 + value, replace(hex(zeroblob(999 + value)), '00', ',1')) FROM generate_series(0, 1);
.read arguments.sql
.once columns.sql
SELECT printf('CREATE TABLE c%d(a%s);', value, (SELECT group_concat(',c'||s.value, '') FROM generate_series(1, 1999 + v.value) AS s)) FROM generate_series(0, 1) AS v;
.read columns.sql
SELECT '230', count(*) FROM pragma_table_info('c0');
SELECT '240', ?32766 IS NULL;
SELECT '241', ?32767 IS NULL;
