-- cli-smokes/sandbox-pipes.sql: no pipe to or from a program.
-- ours-only: the sandbox cannot start programs
.once |cat
SELECT '110';
.output |cat
SELECT '120';
.output
.read |echo 'SELECT never;'
SELECT '130';
CREATE TABLE t(a);
.import "|echo never" t
SELECT '140', count(*) FROM t;
