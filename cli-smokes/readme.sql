-- cli-smokes/readme.sql: how a smoke works, told by one.
--
-- NAME.sql is the standard input of a shell in a fresh empty directory, which is
-- also HOME. NAME.expected is what the shell wrote: stdout; then, where there is
-- any, a line `-- stderr --` and stderr; then, where it is not 0, a last line
-- `-- exit N --`. The path of the directory is written as $DIR.
-- By hand: `cd $(mktemp -d)`, then `sqlite3 test.db < NAME.sql`.
--
-- The head, the comment lines before anything else, begins with the path of the
-- file and says what it is about. It may hold directives:
--
--   `args: WORDS`       the shell's arguments. Where the last one is an option,
--                       or there is none, the database `test.db` is added.
--   `before: WORDS`     run the shell with these first, in the same directory and
--                       with empty input. May stand several times; each run adds
--                       its output, errors and exit code to the expectation.
--   `ours-only: REASON` not run through the native reference, which differs here.
--
-- before: test.db "CREATE TABLE t(a); INSERT INTO t VALUES('made before')"
-- args: -cmd ".separator ' '" test.db
--
-- Results carry numbers by tens, so that a changed line is found at once. The
-- script goes on after an error, unless -bail is given.
-- `BLESS=1 make smoke` renews all expected files: read the diff before a commit.
SELECT '110', a FROM t;
SELECT '120', nowhere FROM t;
SELECT '130', 'still here';
.exit 7
