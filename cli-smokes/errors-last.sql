-- cli-smokes/errors-last.sql: an error in the middle makes the exit code 1, though the end is fine.
SELECT * FROM nowhere;
SELECT '110';
