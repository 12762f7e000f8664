-- cli-smokes/ext-load.sql: loading by name, by option and by SQL, and what is not there.
-- args: --load fuzzy test.db
-- ours-only: native shells load no components
SELECT '110', fuzzy_leven('a', 'b');
SELECT '120', load_extension('uuid') IS NULL, length(uuid4());
.load uuid
.load nosuch
SELECT load_extension('sha3');
.connection 1
SELECT '130', uuid4();
.load uuid
SELECT '140', length(uuid4());
