-- cli-smokes/sandbox-bail.sql: with -bail a refused program ends the script like any error.
-- ours-only: the sandbox cannot start programs
-- args: -bail
SELECT '110';
.shell echo never
SELECT '120 never';
