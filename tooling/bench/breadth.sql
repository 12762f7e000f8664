-- Statements and tasks of the shell, a class each: `breadth.py` runs them and says what for.
--
-- A class begins with `-- read NAME`, or `-- write NAME` if it changes the database or makes files; `-- setup`
-- makes the database. `{rows}` is the number of rows of the table `t`.

-- setup
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO word(text) VALUES ('amber'), ('birch'), ('cedar'), ('delta'), ('ember'), ('fjord'), ('grove'), ('heron'), ('islet'), ('jetty'), ('knoll'), ('larch'), ('meadow'), ('north'), ('ocean'), ('pine');
CREATE TABLE t(id INTEGER PRIMARY KEY, k INTEGER, name TEXT, value REAL, note TEXT, day TEXT);
INSERT INTO t SELECT i, i * 7919 % 1000003 % {rows}, printf('%s-%08x', w.text, i * 2654435761 % 4294967296), i * 7919 % 100003 / 64.0,
  printf('  The %s near %s, no. %d  ', v.text, w.text, i), date(2440588 + i % 9000)
  FROM (SELECT value AS i FROM generate_series(1, {rows})), word AS w ON w.id = i * 31 % 16 + 1, word AS v ON v.id = i * 17 % 16 + 1
  ORDER BY i;
CREATE INDEX t_k ON t(k);
CREATE TABLE visit(id INTEGER PRIMARY KEY, name TEXT, cost INTEGER, t_id INTEGER);
INSERT INTO visit SELECT id, (SELECT name FROM t AS o WHERE o.id = t.id * 7919 % {rows} + 1), id * 37 % 10000, id * 104729 % {rows} + 1 FROM t;
CREATE INDEX visit_name ON visit(name);
CREATE TABLE document(id INTEGER PRIMARY KEY, body TEXT);
INSERT INTO document SELECT id, json_object('id', id, 'name', name, 'tags', json_array(k % 10, k % 7, substr(name, 1, 3)),
  'address', json_object('city', substr(note, 7, 5), 'lines', json_array(note, day))) FROM t WHERE id % 5 = 0;
CREATE TABLE tree(id INTEGER PRIMARY KEY, parent INTEGER);
INSERT INTO tree SELECT id, id / 3 FROM t WHERE id % 4 = 0 OR id < {rows} / 4;
CREATE INDEX tree_parent ON tree(parent);
CREATE VIRTUAL TABLE page USING fts5(title, body);
INSERT INTO page(rowid, title, body) SELECT id, name, (SELECT group_concat(w.text || ' ' || note, ' ') FROM word AS w WHERE (w.id + t.id / 8) % 5 = 0)
  FROM t WHERE id % 8 = 0;
CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
INSERT INTO box SELECT id, k % 1000, k % 1000 + 3, id % 997, id % 997 + 5 FROM t WHERE id % 4 = 0;

-- read like
SELECT sum(note LIKE '%north%'), sum(name LIKE 'ce%f') FROM t;

-- read glob
SELECT sum(note GLOB '*north*'), sum(name GLOB 'ce*f') FROM t;

-- read regexp
SELECT sum(note REGEXP 'n(ea|o)r.*7') FROM t;

-- read substr
SELECT sum(length(substr(note, 7, 9))), sum(instr(note, 'no.')), max(substr(name, -4)) FROM t;

-- read upper-lower
SELECT max(upper(note)), max(lower(note)) FROM t;

-- read trim
SELECT sum(length(trim(note))), sum(length(ltrim(note))), sum(length(rtrim(note, ' 0123'))) FROM t;

-- read replace
SELECT sum(length(replace(note, 'e', 'ee'))), sum(length(replace(name, '-', ''))) FROM t;

-- read concat
SELECT sum(length(name || note || k)), sum(length(concat_ws(', ', name, k, day))) FROM t;

-- read hex
SELECT max(hex(name)), max(unhex(hex(note))), sum(unicode(name)), max(char(65 + k % 26, 97 + id % 26, 233)) FROM
  t;

-- read quote
SELECT sum(length(quote(note))), sum(length(quote(value))) FROM t;

-- read printf
SELECT sum(length(printf('%08.3f|%-12s|%d|%x', value, day, k, id))) FROM t;

-- read coalesce
SELECT sum(CASE k % 7 WHEN 0 THEN 1 WHEN 3 THEN id WHEN 5 THEN k ELSE -1 END), sum(coalesce(nullif(k % 3, 0),
  k)), sum(ifnull(nullif(k % 5, 1), 9)), sum(iif(k % 2, id, k)) FROM t;

-- read round
SELECT sum(round(value)), sum(round(value, 1) > 7.5), sum(abs(value - 900.5)) FROM t;

-- read math
SELECT printf('%.4f', sum(sqrt(value))), printf('%.4f', sum(sin(k))), sum(floor(value / 3)), sum(mod(k, 7)),
  printf('%.4f', sum(ln(k + 1))) FROM t;

-- read arithmetic
SELECT sum(k * 3 + id / 7 - k % 11), sum((k & 255) | (id << 2)), sum(value * 2 + k) FROM t;

-- read cast
SELECT sum(CAST(substr(name, -2) AS INTEGER)), max(CAST(value AS TEXT)), sum(CAST(CAST(value AS TEXT) AS REAL))
  FROM t;

-- read date
SELECT max(date(day, '+1 month')), sum(strftime('%j', day)), sum(julianday(day)), max(datetime(id * 1000,
  'unixepoch')) FROM t;

-- read compare
SELECT sum(max(k, id, 70)), max(min(name, note)), sum(name BETWEEN 'd' AND 'm'), sum(k IN (1, 5, 9, 12, 40,
  77)), sum(name < day), sum(name = 'x' COLLATE NOCASE) FROM t;

-- read blob
SELECT sum(length(zeroblob(k % 100))), sum(CAST(note AS BLOB) > x'2054'), max(substr(CAST(note AS BLOB), 3, 8))
  FROM t;

-- read aggregate
SELECT count(*), count(k), sum(k), total(value), avg(k), min(name), max(note) FROM t;

-- read aggregate-filter
SELECT count(*) FILTER (WHERE k % 2), sum(value) FILTER (WHERE name > 'f'), sum(k) FILTER (WHERE id % 3 = 0)
  FROM t;

-- read group
SELECT substr(name, 1, 4), count(*), sum(value), max(day) FROM t GROUP BY 1;

-- read group-many
SELECT count(*), max(n) FROM (SELECT k % 5000, count(*) AS n, sum(value) FROM t GROUP BY 1 HAVING n > 1);

-- read group-concat
SELECT sum(length(x)) FROM (SELECT group_concat(name, ';') AS x FROM t GROUP BY id % 100);

-- read distinct
SELECT count(*) FROM (SELECT DISTINCT substr(name, 1, 8) FROM t);
SELECT count(DISTINCT day) FROM t;

-- read median
SELECT median(value), percentile_cont(k, 0.9) FROM t;

-- read join-rowid
SELECT count(*), sum(t.value) FROM visit CROSS JOIN t ON t.id = visit.t_id;

-- read join-index
SELECT count(*), sum(cost) FROM t CROSS JOIN visit ON visit.name = t.name WHERE t.id % 3 = 0;

-- read join-unindexed
SELECT count(*), sum(v.cost) FROM t CROSS JOIN visit AS v ON v.cost = t.k WHERE t.id % 8 = 0;

-- read join-left
SELECT count(*), count(v.id), sum(v.cost) FROM t LEFT JOIN visit AS v ON v.name = t.name AND v.cost > 7000 WHERE
  t.id % 3 = 0;

-- read join-full
SELECT count(*), count(a.id), count(b.id), sum(a.cost) FROM visit AS a FULL JOIN t AS b ON b.id = a.id + {rows}
  / 2;

-- read subquery-in
SELECT count(*) FROM t WHERE id IN (SELECT t_id FROM visit WHERE cost < 5000);

-- read subquery-exists
SELECT count(*) FROM t WHERE id % 2 AND NOT EXISTS (SELECT 1 FROM visit WHERE visit.name = t.name AND cost >
  3000);

-- read order-text
SELECT name FROM t WHERE id % 3 = 0 ORDER BY note DESC LIMIT 5 OFFSET {rows} / 10;

-- read compound
SELECT count(*) FROM (SELECT k FROM t WHERE id % 3 = 0 UNION SELECT cost FROM visit);
SELECT count(*) FROM (SELECT k FROM t INTERSECT SELECT cost FROM visit);

-- read range-index
SELECT count(*), sum(value) FROM t WHERE k BETWEEN {rows} / 10 AND {rows} / 4;

-- read window-rank
SELECT sum(a), sum(b), sum(c) FROM (SELECT row_number() OVER w AS a, rank() OVER w AS b, ntile(9) OVER w AS c
  FROM t WHERE id % 4 = 0 WINDOW w AS (PARTITION BY substr(name, 1, 4) ORDER BY k));

-- read window-frame
SELECT sum(a), max(b), sum(c) FROM (SELECT sum(k) OVER (ORDER BY id ROWS 9 PRECEDING) AS a, max(value) OVER
  (ORDER BY id ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING) AS b, lag(k, 1, 0) OVER (ORDER BY id) AS c FROM t WHERE
  id % 4 = 0);

-- read recursive-count
WITH RECURSIVE n(i, x) AS (SELECT 1, 1 UNION ALL SELECT i + 1, x * 31 % 65537 FROM n WHERE i < 2 * {rows})
  SELECT sum(x) FROM n;

-- read recursive-tree
WITH RECURSIVE r(id, depth) AS (SELECT 1, 0 UNION ALL SELECT tree.id, depth + 1 FROM tree JOIN r ON tree.parent
  = r.id) SELECT count(*), max(depth) FROM r;

-- read json-extract
SELECT max(body ->> '$.address.city'), sum(json_extract(body, '$.tags[1]')), sum(json_valid(body)) FROM
  document;

-- read json-build
SELECT sum(length(json_object('id', id, 'list', json_array(k, value, name), 'note', note))) FROM t WHERE id % 2;

-- read json-change
SELECT sum(length(json_set(body, '$.name', 'x', '$.tags[#]', id))), sum(length(json_remove(body,
  '$.address.lines'))) FROM document WHERE id % 2;

-- read json-each
SELECT count(*), max(e.value) FROM document, json_each(body, '$.tags') AS e WHERE document.id % 2 = 0;

-- read fts-match
SELECT count(*) FROM page WHERE page MATCH 'cedar AND (delta OR heron) NOT zoo';
SELECT rowid FROM page WHERE page MATCH '"near pine"' ORDER BY bm25(page), rowid LIMIT 20;

-- read fts-snippet
SELECT sum(length(h)), sum(length(s)) FROM (SELECT highlight(page, 1, '<', '>') AS h, snippet(page, 1, '<', '>',
  '…', 8) AS s FROM page WHERE page MATCH 'meadow' LIMIT {rows} / 40);

-- read rtree-range
SELECT count(*) FROM generate_series(0, 900, 20) AS s, box WHERE x0 >= s.value AND x1 <= s.value + 90 AND y0 >=
  100 AND y1 <= 700;

-- write insert-select
CREATE TABLE c AS SELECT * FROM t;
INSERT INTO c SELECT id + {rows}, k, name, value, note, day FROM t;

-- write create-index
CREATE INDEX t_name ON t(name, k);
CREATE INDEX t_day ON t(day);

-- write update
UPDATE t SET value = value + 1, note = note || '.';

-- write update-index
UPDATE t SET k = k + 1 WHERE id % 2;

-- write delete
DELETE FROM t WHERE k % 3 = 0;
DELETE FROM visit WHERE name < 'f';

-- write upsert
INSERT INTO t SELECT id + {rows} / 2, k, name, value, note, day FROM t WHERE true ON CONFLICT(id) DO UPDATE SET
  value = value + 1, k = excluded.k;

-- write returning
DELETE FROM visit WHERE id % 3 = 0 RETURNING id, cost;

-- write trigger
CREATE TABLE log(id, old, new); CREATE TRIGGER changed AFTER UPDATE ON visit BEGIN INSERT INTO log
  VALUES(old.id, old.cost, new.cost); END;
UPDATE visit SET cost = cost + 1 WHERE id % 2;

-- write fts-build
CREATE VIRTUAL TABLE f USING fts5(body);
INSERT INTO f SELECT note FROM t WHERE id % 4 = 0;

-- write rtree-build
CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1);
INSERT INTO r SELECT id, k, k + 9, id % 991, id % 991 + 7 FROM t WHERE id % 10 = 0;

-- write vacuum
DELETE FROM t WHERE id % 4 = 0;
VACUUM;

-- write dump
.dump t

-- write import
.once rows.csv
.mode csv
SELECT * FROM t WHERE id % 2;
CREATE TABLE c(id, k, name, value, note, day);
.import --csv rows.csv c
SELECT count(*), max(note) FROM c;

-- write restore
.once dump.sql
.dump visit
.open copy.db
.read dump.sql
SELECT count(*), sum(cost) FROM visit;

-- write backup
.backup copy.db
.restore copy.db
SELECT count(*) FROM t;

-- read mode-plain
.mode list
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode tabs
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode csv
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode ascii
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;

-- read mode-quoted
.mode quote
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode insert t
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode tcl
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode json
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;

-- read mode-tagged
.mode html
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode line
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;

-- read mode-columns
.mode column
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode table
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode box
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
.mode markdown
SELECT id, name, value, note, day FROM t WHERE id % 4 = 0;
