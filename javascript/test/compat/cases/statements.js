'use strict';
// Statements: what they return in each mode, their columns and properties, and errors of SQL.

const SCHEMA = `
  CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'd', c REAL CHECK (c < 100), d BLOB UNIQUE);
  CREATE TABLE u(t_id INTEGER REFERENCES t(a), "x y" ANY, "__proto__" INT);
  CREATE VIEW v AS SELECT a, b || '!' AS shout FROM t;
  CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
  CREATE TABLE s(a INT) STRICT;
  CREATE TRIGGER tr BEFORE INSERT ON w WHEN new.k = 'stop' BEGIN SELECT RAISE(ABORT, 'stopped here'); END;
  INSERT INTO t VALUES(1, 'one', 1.5, x'01'), (2, 'two', NULL, x'02'), (3, 'three', 3, NULL);
  INSERT INTO u VALUES(1, 'p', 7), (2, 'q', 8);
  INSERT INTO w VALUES('k', 1);
`;

const QUERIES = [
  'SELECT * FROM t', 'SELECT a FROM t WHERE a = 2', 'SELECT * FROM t WHERE a = 99', 'SELECT t.*, u.* FROM t JOIN u ON t_id = a',
  'SELECT 1 AS x, 2 AS x', 'SELECT a AS z, * FROM t', 'SELECT * FROM v', 'SELECT count(*), sum(c), avg(a) FROM t',
  'SELECT NULL', "SELECT x'', x'00ff', ''", 'SELECT "__proto__" FROM u', 'SELECT 1 AS "__proto__", 2 AS "constructor"',
  'SELECT rowid, a FROM t ORDER BY a DESC', 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i FROM n',
  'VALUES (1, 2), (3, 4)', 'EXPLAIN QUERY PLAN SELECT * FROM t WHERE a = 1', 'PRAGMA table_info(t)', 'PRAGMA user_version',
  "INSERT INTO w VALUES('r', 2) RETURNING *", 'UPDATE t SET b = upper(b) RETURNING a, b', 'DELETE FROM u RETURNING t_id',
  'SELECT 9223372036854775807, -9223372036854775808, 9007199254740993', 'SELECT 1e308 * 10, -1e308 * 10, 0.1 + 0.2',
  "SELECT 'a' || char(0) || 'b'", 'SELECT t.a AS "t.a", u.t_id FROM t, u', 'SELECT (SELECT a FROM t LIMIT 1), b FROM t',
  'SELECT a, row_number() OVER (ORDER BY a DESC) AS n FROM t', "SELECT json_extract('{\"a\":[1,2]}', '$.a[1]')",
  "SELECT key, value FROM json_each('[5,6]')", 'SELECT typeof(c), c FROM t', "SELECT date('2020-02-30'), unixepoch('2000-01-01')",
];
const COMMANDS = [
  "INSERT INTO t(b) VALUES('four')", "INSERT INTO t(b) VALUES('x'), ('y')", "UPDATE t SET b = 'z'", 'DELETE FROM t WHERE a > 1',
  'DELETE FROM t WHERE a > 99', 'CREATE TABLE n(a)', 'DROP TABLE w', "INSERT OR IGNORE INTO t(a, b) VALUES(1, 'x')",
  "REPLACE INTO t(a, b) VALUES(1, 'x')", "INSERT INTO w VALUES('z', 1)", 'BEGIN', 'COMMIT', 'SAVEPOINT s', 'REINDEX', 'ANALYZE',
  "INSERT INTO t(a, b) VALUES(9223372036854775807, 'last')", 'SELECT 1', 'PRAGMA user_version = 5', 'VACUUM', '',
];
const ERRORS = [
  'SELEC 1', 'SELECT * FROM nope', 'SELECT nope FROM t', 'SELECT 1; SELECT 2', '', '   ', ';', '-- comment', '/* comment */', 'SELECT 1;',
  'SELECT 1; -- comment', 'SELECT 1; /* a */ ; -- b', 'SELECT 1 /* open', 'SELECT 1; x', 'SELECT "', "SELECT '", 'SELECT 1 +', 'SELECT ?1000000',
  "INSERT INTO t(a) VALUES(1)", "INSERT INTO t(b) VALUES(NULL)", 'INSERT INTO t(c) VALUES(100)', "INSERT INTO t(d) VALUES(x'01')",
  'INSERT INTO u(t_id) VALUES(77)', "INSERT INTO w VALUES('k', 2)", "INSERT INTO w VALUES('stop', 2)", "INSERT INTO s VALUES('x')", 'INSERT INTO v VALUES(1, 2)',
  'UPDATE t SET a = 1 WHERE a = 2', 'CREATE TABLE t(x)', 'DROP TABLE nope', 'ROLLBACK', 'COMMIT', 'RELEASE nope', 'SELECT abs(-9223372036854775808)',
  "SELECT json('{')", 'SELECT zeroblob(2000000000)', 'ATTACH 5', 'SELECT load_extension(1)', 'PRAGMA writable_schema = ON; ', 'DELETE FROM sqlite_master',
  'SELECT 1\0; SELECT 2', 'CREATE TABLE sqlite_x(a)', 'ALTER TABLE t RENAME TO u', 'SELECT randomblob(-1) IS NULL', "SELECT * FROM t WHERE b MATCH 'x'",
];

const cases = {};
const withSchema = (db) => db.exec(SCHEMA).exec('PRAGMA foreign_keys = ON');

for (const sql of QUERIES) {
  const modes = { flat: (s) => s, pluck: (s) => s.pluck(), expand: (s) => s.expand(), raw: (s) => s.raw(), big: (s) => s.safeIntegers() };
  for (const [mode, set] of Object.entries(modes)) {
    cases[`all ${mode}: ${sql}`] = ({ db }) => set(withSchema(db).prepare(sql)).all();
  }
  cases[`get: ${sql}`] = ({ db }) => withSchema(db).prepare(sql).get();
  cases[`iterate: ${sql}`] = ({ db }) => [...withSchema(db).prepare(sql).iterate()];
  cases[`columns: ${sql}`] = ({ db }) => withSchema(db).prepare(sql).columns();
  cases[`run: ${sql}`] = ({ db }) => withSchema(db).prepare(sql).run();
}
for (const sql of COMMANDS) {
  cases[`run: ${sql}`] = ({ db, attempt }) => {
    const statement = withSchema(db).prepare(sql);
    const { reader, readonly, source, busy } = statement;
    return [reader, readonly, source, busy, attempt(() => statement.run()), attempt(() => statement.run()), db.inTransaction];
  };
  cases[`run with safe integers: ${sql}`] = ({ db }) => withSchema(db).prepare(sql).safeIntegers().run();
  for (const method of ['get', 'all', 'iterate', 'columns', 'pluck']) {
    cases[`${method}: ${sql}`] = ({ db }) => {
      const result = withSchema(db).prepare(sql)[method]();
      return method === 'iterate' ? [...result] : method === 'pluck' ? 'plucked' : result;
    };
  }
}
for (const sql of ERRORS) {
  cases[`prepare: ${sql}`] = ({ db }) => withSchema(db).prepare(sql).source;
  cases[`execution: ${sql}`] = ({ db }) => withSchema(db).prepare(sql).run();
  cases[`exec: ${sql}`] = ({ db }) => withSchema(db).exec(sql).prepare('SELECT count(*) FROM t').all();
}

cases['a statement after a change of the schema'] = ({ db }) => {
  const statement = withSchema(db).prepare('SELECT * FROM w');
  const before = statement.all();
  db.exec('ALTER TABLE w ADD COLUMN more DEFAULT 5');
  return [before, statement.all(), statement.get(), statement.raw().all(), statement.columns().length];
};
cases['changes of triggers and of earlier statements'] = ({ db }) => {
  withSchema(db).exec('CREATE TABLE log(x); CREATE TRIGGER lt AFTER INSERT ON log BEGIN UPDATE t SET c = 1; END');
  return [db.prepare('INSERT INTO log VALUES(1)').run(), db.prepare('SELECT 1').run(), db.prepare('CREATE TABLE z(a)').run()];
};
cases['a long text of SQL'] = ({ db }) => db.prepare(`SELECT '${'x'.repeat(200000)}' AS long, length(?)`).get('y'.repeat(300000));
cases['many rows with long values'] = ({ db }) =>
  db.prepare("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT sum(length(x)), count(*) FROM (SELECT i, printf('%.*c', 1000, 'x') AS x FROM n)").get();
cases['a megabyte'] = ({ db }) => db.prepare('SELECT length(?) AS l, ? AS v').get(Buffer.alloc(1 << 20), 'z'.repeat(70000)).v.length;

module.exports = cases;
