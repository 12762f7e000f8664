'use strict';
// Functions, aggregates and tables of the program; pragmas, backups, databases as bytes.

const RESULTS = {
  number: 1.5, integer: 7, bigint: 5n, bigMax: 2n ** 63n - 1n, tooBig: 2n ** 64n, string: 's', unicode: 'ž🐎', nul: 'a\0b', null: null,
  undefined: undefined, buffer: Buffer.from('b'), uint8: new Uint8Array([9]), true: true, object: {}, array: [1], symbol: Symbol('x'),
  function: () => 1, date: new Date(0), nan: NaN, infinity: Infinity, negativeZero: -0, long: 'x'.repeat(1000), longBuffer: Buffer.alloc(5000, 1),
};
const cases = {};

for (const [name, value] of Object.entries(RESULTS)) {
  cases[`a function returns ${name}`] = ({ db }) => db.function('f', () => value).prepare('SELECT f() AS v, typeof(f()) AS t').get();
  cases[`an aggregate returns ${name}`] = ({ db }) => db.aggregate('f', { start: null, step: () => value }).prepare('SELECT f() AS v').get();
  cases[`an aggregate's result is ${name}`] = ({ db }) => db.aggregate('f', { step() {}, result: () => value }).prepare('SELECT f() AS v').get();
  cases[`a table yields ${name}`] = ({ db }) => db.table('g', { columns: ['v'], *rows() { yield [value]; } }).prepare('SELECT v, typeof(v) FROM g').all();
  cases[`a function gets ${name}`] = ({ db }) => {
    let seen;
    db.function('f', (x) => { seen = x; return null; });
    db.prepare('SELECT f(?)').get(value);
    return seen;
  };
}

const THROWN = { error: new Error('thrown'), type: new TypeError('typed'), string: 'text', null: null, undefined: undefined, number: 5, object: { a: 1 } };
for (const [name, error] of Object.entries(THROWN)) {
  const caught = (run) => { try { return ['returned', run()]; } catch (thrown) { return ['thrown', thrown === error]; } };
  const boom = () => { throw error; };
  cases[`a function throws ${name}`] = ({ db }) => [caught(() => db.function('f', boom).prepare('SELECT f()').get()), db.prepare('SELECT 1').pluck().get()];
  cases[`step throws ${name}`] = ({ db }) => caught(() => db.aggregate('f', { step: boom }).prepare('SELECT f() FROM (VALUES(1), (2))').get());
  cases[`start throws ${name}`] = ({ db }) => caught(() => db.aggregate('f', { start: boom, step() {} }).prepare('SELECT f()').get());
  cases[`result throws ${name}`] = ({ db }) => caught(() => db.aggregate('f', { step() {}, result: boom }).prepare('SELECT f()').get());
  cases[`inverse throws ${name}`] = ({ db }) =>
    caught(() => db.aggregate('f', { step() {}, inverse: boom }).prepare('SELECT f() OVER (ROWS 1 PRECEDING) FROM (VALUES(1), (2), (3), (4))').all());
  cases[`rows throws ${name}`] = ({ db }) => caught(() => db.table('g', { columns: ['a'], *rows() { yield [1]; throw error; } }).prepare('SELECT * FROM g').all());
  cases[`a factory throws ${name}`] = ({ db }) => caught(() => db.table('g', boom).exec('CREATE VIRTUAL TABLE x USING g(1)'));
  cases[`verbose throws ${name}`] = ({ Database }) => caught(() => new Database(':memory:', { verbose: boom }).exec('SELECT 1'));
  cases[`a transaction throws ${name}`] = ({ db }) => [caught(db.transaction(boom)), db.inTransaction];
}

Object.assign(cases, {
  'a function with several arguments': ({ db }) => db.function('f', (a, b, c) => [a, b, c].join('-')).prepare("SELECT f(1, 'b', NULL)").pluck().get(),
  'a function with the wrong count': ({ db }) => db.function('f', (a) => a).prepare('SELECT f()').get(),
  'a variadic function': ({ db }) => db.function('f', { varargs: true }, (...args) => args.length).prepare('SELECT f(), f(1), f(1, 2, 3)').get(),
  'functions with the same name': ({ db }) => {
    db.function('f', () => 'none').function('f', (a) => `one ${a}`).function('f', (a, b) => `two ${a} ${b}`);
    return db.prepare('SELECT f(), f(1), f(1, 2)').raw().get();
  },
  'a function is replaced': ({ db }) => db.function('f', () => 1).function('f', () => 2).prepare('SELECT f()').pluck().get(),
  'a deterministic function in an index': ({ db }) => {
    db.function('f', { deterministic: true }, (x) => x * 2).exec('CREATE TABLE t(a); CREATE INDEX i ON t(f(a)); INSERT INTO t VALUES(2)');
    return db.prepare('SELECT a FROM t WHERE f(a) = 4').all();
  },
  'another function in an index': ({ db }) => db.function('f', (x) => x).exec('CREATE TABLE t(a); CREATE INDEX i ON t(f(a))').open,
  'a direct function in a view': ({ db }) => db.function('f', { directOnly: true }, () => 1).exec('CREATE VIEW v AS SELECT f() AS x').prepare('SELECT * FROM v').get(),
  'safe integers of a function': ({ db }) => db.function('f', { safeIntegers: true }, (x) => typeof x).prepare('SELECT f(1), f(1.5)').raw().get(),
  'safe integers by default': ({ db }) => db.defaultSafeIntegers().function('f', (x) => typeof x).prepare('SELECT f(1) AS f, 5 AS five').get(),
  'default safe integers off': ({ db }) => {
    db.defaultSafeIntegers();
    const statement = db.prepare('SELECT 5 AS five');
    db.defaultSafeIntegers(false);
    return [statement.get(), db.prepare('SELECT 5 AS five').get(), statement.safeIntegers(false).get()];
  },
  'a function in WHERE and ORDER BY': ({ db }) => {
    db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(3), (1), (2)').function('neg', (x) => -x);
    return db.prepare('SELECT a FROM t WHERE neg(a) < -1 ORDER BY neg(a)').pluck().all();
  },
  'a function in a trigger': ({ db }) => {
    const seen = [];
    db.function('note', (x) => { seen.push(x); }).exec('CREATE TABLE t(a); CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT note(new.a); END');
    db.prepare('INSERT INTO t VALUES(?)').run(5);
    return seen;
  },
  'the name of a function in another case': ({ db }) => db.function('MiXed', () => 1).prepare('SELECT mixed(), MIXED()').raw().get(),
  'an aggregate of groups': ({ db }) => {
    db.exec("CREATE TABLE t(g, v); INSERT INTO t VALUES('a', 1), ('b', 2), ('a', 3)").aggregate('total', { start: 0, step: (sum, v) => sum + v });
    return db.prepare('SELECT g, total(v) AS s FROM t GROUP BY g ORDER BY g').all();
  },
  'an aggregate without rows': ({ db }) => db.exec('CREATE TABLE t(a)').aggregate('f', { start: 5, step: (x) => x + 1 }).prepare('SELECT f() FROM t').pluck().get(),
  'start is called for each group': ({ db }) => {
    let starts = 0;
    db.aggregate('f', { start: () => ++starts, step() {} });
    return [db.prepare('SELECT f() FROM (VALUES(1), (2)) GROUP BY column1').pluck().all(), starts];
  },
  'step returns undefined': ({ db }) => db.aggregate('f', { start: () => [], step: (list, v) => { list.push(v); }, result: (list) => list.join() }).prepare('SELECT f(column1) FROM (VALUES(1), (2))').pluck().get(),
  'a window function': ({ db }) => {
    db.aggregate('w', { start: () => [], step: (l, v) => [...l, v], inverse: (l) => l.slice(1), result: (l) => l.join() });
    return db.prepare('SELECT w(column1) OVER (ROWS 1 PRECEDING) AS x FROM (VALUES(1), (2), (3))').pluck().all();
  },
  'a window function as an aggregate': ({ db }) => db.aggregate('w', { start: 0, step: (a, b) => a + b, inverse: (a, b) => a - b }).prepare('SELECT w(column1) FROM (VALUES(1), (2))').pluck().get(),
  'OVER without inverse': ({ db }) => db.aggregate('w', { start: 0, step: (a, b) => a + b }).prepare('SELECT w(column1) OVER () FROM (VALUES(1))').get(),
  'a variadic aggregate': ({ db }) => db.aggregate('f', { varargs: true, start: 0, step: (n, ...args) => n + args.length }).prepare('SELECT f(1, 2) FROM (VALUES(1), (2))').pluck().get(),
  'an aggregate with the wrong count': ({ db }) => db.aggregate('f', { step: (_, a) => a }).prepare('SELECT f(1, 2)').get(),
  'a table of arrays': ({ db }) => db.table('g', { columns: ['a', 'b'], *rows() { yield [1, 'x']; yield [2, 'y']; } }).prepare('SELECT *, rowid FROM g').all(),
  'a table of objects': ({ db }) => db.table('g', { columns: ['a', 'b'], *rows() { yield { b: 1, a: 2 }; } }).prepare('SELECT * FROM g').all(),
  'a table with parameters': ({ db }) => db.table('g', { columns: ['v'], parameters: ['n', 'm'], *rows(n, m) { for (let i = 0; i < n; i++) yield [`${i} ${m}`]; } }).prepare("SELECT v, n, m FROM g(2, 'x')").all(),
  'a table with a missing parameter': ({ db }) => db.table('g', { columns: ['v'], parameters: ['n', 'm'], *rows(n, m) { yield [`${typeof n} ${typeof m}`]; } }).prepare('SELECT v FROM g WHERE m = 5').all(),
  'a parameter is NULL': ({ db }) => db.table('g', { columns: ['v'], parameters: ['n'], *rows() { yield [1]; } }).prepare('SELECT * FROM g(NULL)').all(),
  'a parameter is compared otherwise': ({ db }) => db.table('g', { columns: ['v'], parameters: ['n'], *rows() { yield [1]; } }).prepare('SELECT * FROM g WHERE n > 5').all(),
  'parameters by position': ({ db }) => db.table('g', { columns: ['v'], *rows(a, b) { yield [a + b]; } }).prepare('SELECT v, "$1", "$2" FROM g(1, 2)').all(),
  'a table is joined': ({ db }) => {
    db.exec('CREATE TABLE t(n); INSERT INTO t VALUES(1), (2)').table('g', { columns: ['v'], parameters: ['k'], *rows(k) { for (let i = 0; i < k; i++) yield [i]; } });
    return db.prepare('SELECT n, v FROM t JOIN g ON k = n ORDER BY n, v').all();
  },
  'a table with LIMIT': ({ db }) => {
    let made = 0;
    db.table('g', { columns: ['v'], *rows() { for (;;) yield [++made]; } });
    return [db.prepare('SELECT v FROM g LIMIT 3').pluck().all(), made < 10];
  },
  'a row with too few columns': ({ db }) => db.table('g', { columns: ['a', 'b'], *rows() { yield [1]; } }).prepare('SELECT * FROM g').all(),
  'a row with other columns': ({ db }) => db.table('g', { columns: ['a'], *rows() { yield { z: 1 }; } }).prepare('SELECT * FROM g').all(),
  'a row with missing columns': ({ db }) => db.table('g', { columns: ['a', 'b'], *rows() { yield { a: 1 }; } }).prepare('SELECT * FROM g').all(),
  'a row that is none': ({ db }) => db.table('g', { columns: ['a'], *rows() { yield 5; } }).prepare('SELECT * FROM g').all(),
  'a table is created': ({ db }) => {
    const seen = [];
    db.table('g', function (...args) { seen.push({ ...this }, args); return { columns: ['v'], *rows() { yield [args.length]; } }; });
    db.exec("CREATE VIRTUAL TABLE x USING g(one, 'two')");
    return [db.prepare('SELECT * FROM x').all(), seen];
  },
  'an eponymous table is created': ({ db }) => db.table('g', { columns: ['v'], *rows() {} }).exec('CREATE VIRTUAL TABLE x USING g').open,
  'a factory by its name': ({ db }) => db.table('g', () => ({ columns: ['v'], *rows() {} })).prepare('SELECT * FROM g').all(),
  'a factory returns nothing': ({ db }) => db.table('g', () => {}).exec('CREATE VIRTUAL TABLE x USING g').open,
  'a factory returns another': ({ db }) => db.table('g', () => ({ columns: ['v'] })).exec('CREATE VIRTUAL TABLE x USING g').open,
  'a table is written': ({ db }) => db.table('g', { columns: ['v'], *rows() {} }).exec('INSERT INTO g VALUES(1)').open,
  'safe integers of a table': ({ db }) => db.table('g', { columns: ['v'], parameters: ['n'], safeIntegers: true, *rows(n) { yield [typeof n]; } }).prepare('SELECT v FROM g(1)').pluck().get(),
  'columns with quotes': ({ db }) => db.table('g', { columns: ['a"b', 'select', '__proto__'], *rows() { yield [1, 2, 3]; } }).prepare('SELECT * FROM g').raw().all(),
  'pragma: table': ({ db }) => db.exec('CREATE TABLE t(a)').pragma('table_info(t)'),
  'pragma: simple': ({ db }) => [db.pragma('user_version = 7'), db.pragma('user_version', { simple: true }), db.pragma('foreign_keys', { simple: true })],
  'pragma: without rows': ({ db }) => [db.pragma('user_version = 7', { simple: true }), db.pragma('nonsense'), db.pragma('optimize')],
  'pragma: several statements': ({ db }) => db.pragma('user_version; SELECT 1'),
  'pragma: error': ({ db }) => db.pragma('user_version = '),
  'pragma: encoding': ({ db }) => db.pragma('encoding', { simple: true }),
  'foreign keys hold': ({ db }) => db.exec('CREATE TABLE a(x PRIMARY KEY); CREATE TABLE b(y REFERENCES a); INSERT INTO b VALUES(1)').open,
  'double quotes are names': ({ db }) => db.prepare('SELECT "no such column"').get(),
  'double quotes in a schema': ({ db }) => db.exec('CREATE TABLE t(a CHECK (a <> "text"))').open,
  'trusted schema': ({ db }) => db.pragma('trusted_schema', { simple: true }),
  'defensive': ({ db, attempt }) => { db.exec('CREATE TABLE t(a); PRAGMA writable_schema = 1'); return attempt(() => db.exec('DELETE FROM sqlite_master').open); },
  'unsafe mode': ({ db, attempt }) => { db.unsafeMode().exec('CREATE TABLE t(a); PRAGMA writable_schema = 1'); return [attempt(() => db.exec('DELETE FROM sqlite_master').open), db.unsafeMode(false).open]; },
  'serialize and open': ({ db, Database }) => {
    const copy = new Database(db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1)').serialize());
    return [copy.prepare('SELECT * FROM t').all(), copy.memory, copy.readonly, copy.name, copy.exec('INSERT INTO t VALUES(2)').prepare('SELECT count(*) FROM t').pluck().get(), db.prepare('SELECT count(*) FROM t').pluck().get()];
  },
  'serialize and open to read': ({ db, Database, attempt }) => {
    const copy = new Database(db.exec('CREATE TABLE t(a)').serialize(), { readonly: true });
    return [copy.readonly, attempt(() => copy.exec('INSERT INTO t VALUES(2)'))];
  },
  'serialize nothing': ({ db }) => db.serialize().length,
  'verbose': ({ Database }) => {
    const lines = [];
    const db = new Database(':memory:', { verbose: (...args) => lines.push(args) });
    db.exec('CREATE TABLE t(a)');
    db.prepare('INSERT INTO t VALUES(?)').run('it');
    db.prepare('SELECT * FROM t WHERE a = @a').get({ a: 5 });
    [...db.prepare('SELECT * FROM t').iterate()];
    db.close();
    return lines;
  },
  'backup': async ({ db, Database, file }) => {
    const path = file('backup.db');
    db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(900000))');
    const states = [];
    const final = await db.backup(path, { progress: (state) => { states.push(state.remainingPages); return 100; } });
    const copy = new Database(path);
    const length = copy.prepare('SELECT length(a) FROM t').pluck().get();
    copy.close();
    return [final, states, length];
  },
  'backup to itself in steps': async ({ db, file }) => { db.exec('CREATE TABLE t(a)'); return db.backup(file('b.db'), { progress: () => 1 }); },
  'backup: progress throws': async ({ db, file }) => { db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(900000))'); return db.backup(file('c.db'), { progress() { throw new Error('progress'); } }); },
  'backup: progress returns a string': async ({ db, file }) => { db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(900000))'); return db.backup(file('d.db'), { progress: () => 'x' }); },
  'backup: no name': ({ db }) => db.backup(''),
  'backup: memory': ({ db }) => db.backup(':memory:'),
  'backup: number': ({ db }) => db.backup(5),
  'backup: missing directory': ({ db }) => db.backup('/nonexistent-directory/x.db'),
  'backup: attached number': ({ db, file }) => db.backup(file('e.db'), { attached: 5 }),
  'backup: attached empty': ({ db, file }) => db.backup(file('e.db'), { attached: '' }),
  'backup: progress number': ({ db, file }) => db.backup(file('e.db'), { progress: 5 }),
  'backup: options number': ({ db, file }) => db.backup(file('e.db'), 5),
  'backup: closed meanwhile': async ({ db, file }) => { const promise = db.exec('CREATE TABLE t(a)').backup(file('f.db')); db.close(); return promise; },
  'SqliteError': ({ Database }) => {
    const { SqliteError } = Database;
    const error = new SqliteError('m', 'C');
    return [error instanceof Error, error instanceof SqliteError, error.name, error.message, error.code, SqliteError('m', 'D').code, SqliteError.name]; // eslint-disable-line new-cap
  },
  'SqliteError without a code': ({ Database }) => new Database.SqliteError('m'),
  'errors are SqliteErrors': ({ db, Database }) => { try { db.exec('nonsense'); } catch (error) { return [error instanceof Database.SqliteError, error.constructor === Database.SqliteError]; } },
});

module.exports = cases;
