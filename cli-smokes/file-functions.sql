-- cli-smokes/file-functions.sql: writefile with mode and time, lsmode, fsdir and directories.
-- The mode is set by an explicit chmod, so that no umask decides.
-- args: :memory:
.nullvalue NULL
SELECT '110', writefile('run.sh', 'echo', 33261, 1700000000), writefile('secret', 'x', 33152, 1600000000.5), writefile('directory', NULL, 16877);
SELECT '120', name, lsmode(mode), mtime, data FROM fsdir('run.sh') UNION ALL SELECT '121', name, lsmode(mode), mtime, data FROM fsdir('secret');
SELECT '130', name, lsmode(mode), data FROM fsdir('directory');
SELECT '140', writefile('directory/sub/x', 1.5), writefile('directory/y', 'y');
SELECT '150', name, data FROM fsdir('directory') ORDER BY name;
SELECT '160', name FROM fsdir('sub', 'directory') ORDER BY name;
SELECT '170', name FROM fsdir('missing');
SELECT '180', writefile('directory', 'is a directory');
SELECT '190', writefile('run.sh', NULL), length(readfile('run.sh'));
