-- cli-smokes/ext-shout.sql: the extension shout.
-- args: test.db
-- ours-only: native shells load no components
.load shout
SELECT '110', shout('ah'), shout('ah', 2);
SELECT '120', shout(NULL) IS NULL;
SELECT shout('ah', 11);
