-- cli-smokes/ext-load.sql: loading by name, by option and by SQL; each connection has its own.
-- args: --load fuzzy test.db
-- ours-only: native shells load no components
SELECT '110', fuzzy_leven('a', 'b');
SELECT '120', load_extension('uuid') IS NULL;
SELECT '130', length(uuid4());
.load uuid
SELECT load_extension('sha3');
.connection 1
SELECT '140', length(uuid4());
.load uuid
SELECT '150', length(uuid4());
