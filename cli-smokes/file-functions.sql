-- cli-smokes/file-functions.sql: writefile with mode and time, lsmode, fsdir and folders.
-- The mode is set by an explicit chmod, so that no umask decides.
-- args: :memory:
.nullvalue NULL
SELECT '110', writefile('run.sh', 'echo', 33261, 1700000000), writefile('secret', 'x', 33152, 1600000000.5), writefile('folder', NULL, 16877);
SELECT '120', name, lsmode(mode), mtime, data FROM fsdir('run.sh') UNION ALL SELECT '121', name, lsmode(mode), mtime, data FROM fsdir('secret');
SELECT '130', name, lsmode(mode), data FROM fsdir('folder');
SELECT '140', writefile('folder/sub/x', 1.5), writefile('folder/y', 'y');
SELECT '150', name, data FROM fsdir('folder') ORDER BY name;
SELECT '160', name FROM fsdir('sub', 'folder') ORDER BY name;
SELECT '170', name FROM fsdir('missing');
SELECT '180', writefile('folder', 'is a folder');
SELECT '190', writefile('run.sh', NULL), length(readfile('run.sh'));
