-- loads: sqlite_ulid sqlite3_ulid_init
-- The crate sqlite-ulid: Rust on the C interface, by sqlite-loadable.
SELECT '110', ulid_version();
SELECT '120', length(ulid()), typeof(ulid()), length(ulid_bytes()), typeof(ulid_bytes()), ulid() <> ulid();
SELECT '130', substr(ulid_with_prefix('user'), 1, 5), length(ulid_with_prefix('user'));
SELECT '140', hex(ulid_bytes('01GMRG9JWFHHCGG5TSXHWYR0CM')), ulid(x'0185310899dd7662b8f1e5adf9a5e7c0');
SELECT '150', ulid(ulid_bytes('01gqqt2rrmg5p7d2e6dj81sccf'));
SELECT '160', ulid_datetime('01gqqt2rrmg5p7d2e6dj81sccf'), ulid_datetime('user_01gqqt2rrmg5p7d2e6dj81sccf'),
  ulid_datetime(x'0185310899dd7662b8f1e5adf9a5e7c0');
SELECT '170', ulid_datetime(ulid_with_datetime('2023-01-26 19:50:09.428')), substr(ulid_with_datetime('2023-01-26 19:50:09.428'), 1, 10);
SELECT '180', ulid_datetime(ulid()) > '2023', ulid_with_datetime('2023-01-01 00:00:00.000') < ulid();
-- What it refuses.
SELECT '210', ulid(x'00');
SELECT '220', ulid_bytes('not one');
SELECT '230', ulid_datetime(1);
SELECT '240', ulid_datetime('01gqqt2rrmg5p7d2e6dj81scc!');
SELECT '250', ulid_datetime(x'0102');
SELECT '260', ulid_with_datetime('yesterday');
SELECT '270', ulid(1, 2);
-- A key that is made for each row.
CREATE TABLE t(id TEXT PRIMARY KEY DEFAULT (ulid_with_prefix('t')), n INTEGER);
INSERT INTO t(id, n) SELECT ulid_with_prefix('t'), value FROM generate_series(1, 500);
SELECT '310', count(*), count(DISTINCT id), min(length(id)), max(length(id)), min(ulid_datetime(id)) IS NOT NULL FROM t;
