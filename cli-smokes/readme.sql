-- cli-smokes/readme.sql: how a smoke test works, by example.
--
-- NAME.sql is the standard input of a shell in a new empty directory, which is
-- also HOME. NAME.expected is the expected output: stdout; then, if there is any,
-- a line `-- stderr --` and stderr; then, if it is not 0, a last line
-- `-- exit N --`. The path of the directory is written as $DIR.
-- By hand: `cd $(mktemp -d)`, then `sqlite3 test.db < NAME.sql`.
--
-- The head consists of the comment lines at the beginning. It starts with the path
-- of the file and what it tests. It may contain directives:
--
--   `args: WORDS`       the shell's arguments. If the last one is an option, or
--                       there is none, the database `test.db` is appended.
--   `before: WORDS`     run the shell with these arguments first, in the same
--                       directory and with empty input. May occur several times;
--                       each run adds its output, errors and exit code.
--   `ours-only: REASON` do not run the native reference, which differs here.
--
-- before: test.db "CREATE TABLE t(a); INSERT INTO t VALUES('made before')"
-- args: -cmd ".separator ' '" test.db
--
-- Results begin with numbers in steps of ten, so that a changed line is easy to
-- find. The script continues after an error, unless -bail is given.
-- `BLESS=1 make smoke` rewrites all expected files: read the diff before a commit.
SELECT '110', a FROM t;
SELECT '120', nowhere FROM t;
SELECT '130', 'still here';
.exit 7
