-- loads: sqlite_regex sqlite3_regex_init
-- The crate sqlite-regex: Rust on the C interface, by sqlite-loadable, with table functions.
SELECT '110', regex_version(), regex_valid('[a-z]+'), regex_valid('[a-z');
SELECT '120', 'abc' REGEXP '^a', 'abc' REGEXP '^b', regexp('c$', 'abc');
SELECT '130', regex_find('[0-9]{3}', 'phone: 111-222-3333'), regex_find('x', 'y') IS NULL;
SELECT '140', regex_find_at('[0-9]{3}', 'phone: 111-222-3333', 8), regex_find_at('a', 'aé', 1);
SELECT '150', regex_replace('(?P<last>[^,\s]+),\s+(?P<first>\S+)', 'Springsteen, Bruce', '$first $last');
SELECT '160', regex_replace('a', 'abracadabra', 'x'), regex_replace_all('a', 'abracadabra', 'x'), regex_replace_all('é', 'né été', 'e');
SELECT '170', regex_capture('(?P<year>[0-9]{4})-([0-9]{2})', 'on 2024-05', 0), regex_capture('(?P<year>[0-9]{4})-([0-9]{2})', 'on 2024-05', 2),
  regex_capture('(?P<year>[0-9]{4})-([0-9]{2})', 'on 2024-05', 'year');
-- What it refuses.
SELECT '210', regex_find('[a-z', 'x');
SELECT '220', 'x' REGEXP '(';
SELECT '230', regex_replace('(', 'a', 'b');
SELECT '240', regex_find('x');
SELECT '250', regex_capture('(a)', 'a', 'none');
-- Table functions.
SELECT '310', start, "end", match FROM regex_find_all('[0-9]+', 'a1 b22 c333');
SELECT '320', rowid, item FROM regex_split('\s*,\s*', 'a , b,c ,  d');
SELECT '330', match FROM regex_find_all('\b\w{2}\b', 'an ox is on it') ORDER BY match DESC LIMIT 2;
SELECT '340', count(*) FROM regex_find_all('x', 'y');
SELECT '350', t.column1, f.match FROM (VALUES ('a1b2'), ('none'), ('c3')) AS t LEFT JOIN regex_find_all('[0-9]', t.column1) AS f;
SELECT '360', * FROM regex_split('[', 'a');
SELECT '370', * FROM regex_find_all('a');
-- Over a table, with the pattern compiled once or for each row.
CREATE TABLE t AS SELECT 'row ' || value || ' of many' AS text, '[' || (value % 10) || ']' AS pattern FROM generate_series(1, 1000);
SELECT '410', count(*) FROM t WHERE text REGEXP '[15]\b';
SELECT '420', count(*), sum(regex_find(pattern, text) IS NOT NULL) FROM t WHERE text REGEXP pattern;
SELECT '430', sum(length(regex_replace_all('[aeiou]', text, ''))) FROM t;
-- Patterns that one function compiles and hands to another.
SELECT '510', regex_find(regex('[0-9]+'), 'a12'), regex_print(regex('a+')), typeof(regex('a'));
SELECT '520', regexset_is_match(regexset('bar', 'foo'), 'foo'), regexset_is_match(regexset('bar'), 'foo');
SELECT '530', rowid, key, pattern FROM regexset_matches(regexset('x', 'y', 'a', 'b'), 'cab');
CREATE TABLE films AS SELECT column1 AS text FROM (VALUES ('''Citizen Kane'' (1941), ''M'' (1931)'), ('none'), ('''Moonlight'' (2016)'));
SELECT '540', films.rowid, captures.rowid, regex_capture(captures, 0), regex_capture(captures, 2), regex_capture(captures, 'title'), captures ->> 'year'
  FROM films JOIN regex_captures(regex('''(?P<title>[^'']+)''\s+\((?P<year>\d{4})\)'), films.text) AS captures;
SELECT '545', * FROM regex_captures('a', 'banana');
SELECT '550', count(*), sum(regex_find(regex(pattern), text) IS NOT NULL) FROM t;
SELECT '560', regex('[');
