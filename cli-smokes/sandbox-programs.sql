-- cli-smokes/sandbox-programs.sql: what would start a program answers with one line; the shell goes on.
-- ours-only: the sandbox cannot start programs
.shell echo never
SELECT '110';
.system echo never
SELECT '120';
.excel
SELECT '130';
.www
SELECT '140';
.once -e
SELECT '150';
.once -x
SELECT '160';
.once -w
SELECT '170';
.output -e
SELECT '180';
.output
SELECT '190', edit('text');
SELECT '200', edit('text', 'vi');
SELECT '210';
