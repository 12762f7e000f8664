'use strict';
// What programs do with `node:sqlite`. Each case gets the module, a database in memory, which has a table `t`, and
// `file(name)`, a path in an empty directory.

const reads = (sql, ...args) => ({ db }) => db.prepare(sql).get(...args);
const fails = (action) => (env) => {
  try {
    return action(env);
  } catch ({ name, code, errcode, message }) {
    return { name, code, errcode, message };
  }
};
const calls = (name, ...definition) => fails(({ db }) => {
  db.function('f', ...definition);
  return db.prepare(name).get();
});
const sums = (options, sql = 'SELECT f(a) AS a FROM t') => fails(({ db }) => {
  db.aggregate('f', options);
  return db.prepare(sql).all();
});
const opens = (...args) => fails(({ DatabaseSync }) => {
  const db = new DatabaseSync(...args);
  return [db.isOpen, db.isTransaction, db.location(), db.prepare('PRAGMA foreign_keys').get(), db.prepare('PRAGMA busy_timeout').get()];
});
const using = (options, sql, ...args) => fails(({ db }) => db.prepare(sql, options).all(...args));

module.exports = {
  // Statements.
  'the first of two statements': reads('SELECT 1 AS x; SELECT 2'),
  'no statement': fails(reads(' ')),
  'a comment': fails(reads('-- x')),
  'a NUL in SQL': reads('SELECT 1 AS a\0 garbage'),
  'get of an insertion': reads('INSERT INTO t(b) VALUES(1)'),
  'all of an insertion': ({ db }) => db.prepare('INSERT INTO t(b) VALUES(1)').all(),
  'run of a query': ({ db }) => db.prepare('SELECT * FROM t').run().lastInsertRowid,
  'run of an insertion': ({ db }) => db.prepare('INSERT INTO t(b) VALUES(?)').run(1),
  'run that returns rows': ({ db }) => db.prepare('INSERT INTO t(b) VALUES(1),(2) RETURNING a').run(),
  'all that returns rows': ({ db }) => db.prepare('INSERT INTO t(b) VALUES(1),(2) RETURNING a').all(),
  'run with bigints': ({ db }) => db.prepare('INSERT INTO t(b) VALUES(1)', { readBigInts: true }).run(),
  'changes of nothing': ({ db }) => db.prepare('DELETE FROM t WHERE 0').run(),
  'changes of a definition': ({ db }) => db.prepare('CREATE TABLE u(a)').run(),
  'a syntax error': fails(({ db }) => db.exec('selec')),
  'a constraint': fails(({ db }) => db.prepare('INSERT INTO t(a) VALUES(1)').run()),
  'errstr': ({ db }) => { try { db.exec('selec'); } catch ({ errstr }) { return errstr; } },
  'what exec returns': ({ db }) => db.exec('SELECT 1'),
  'SQL that is no string': fails(({ db }) => db.prepare(5)),
  'exec of a number': fails(({ db }) => db.exec(5)),
  'a text in double quotes': fails(reads('SELECT "x"')),
  'sourceSQL and expandedSQL': ({ db }) => {
    const statement = db.prepare('SELECT ? AS a');
    statement.get("it's");
    return [statement.sourceSQL, statement.expandedSQL];
  },
  'columns': ({ db }) =>
    db.prepare('SELECT a, a + 1 AS b FROM t').columns().map(({ name, column, table, database, type }) => [name, column, table, database, type]),
  'columns of an insertion': ({ db }) => db.prepare('INSERT INTO t(b) VALUES(1)').columns(),
  'columns of a table that has changed': ({ db }) => {
    const statement = db.prepare('SELECT * FROM t');
    db.exec('ALTER TABLE t ADD COLUMN d DEFAULT 5');
    return statement.all();
  },
  'own properties': ({ db }) => Object.keys(db.prepare('SELECT 1')),
  'a constructor that nobody calls': fails(({ StatementSync }) => new StatementSync()),
  'classes': ({ db, DatabaseSync, StatementSync }) => [db instanceof DatabaseSync, db.prepare('SELECT 1') instanceof StatementSync],

  // Parameters.
  'a missing value': reads('SELECT ? AS a'),
  'missing names': reads('SELECT :a AS a, $b AS b, @c AS c', { a: 1, $b: 2 }),
  'an unknown name': fails(reads('SELECT :a AS a', { b: 1 })),
  'names and values': reads('SELECT :a AS a, ? AS b', { a: 1 }, 5),
  'names, numbers and values': reads('SELECT ? AS b, :a AS a, ?1 AS c', { a: 1 }, 5),
  'a name with its first character': reads('SELECT :a AS a', { ':a': 1 }),
  'names that differ in their first character': fails(reads('SELECT :a AS a, $a AS b', { a: 1 })),
  'numbered parameters': reads('SELECT ?2 AS a, ?1 AS b', 1, 2),
  'a number as a name': reads('SELECT ?1 AS a', { '?1': 7 }),
  'values around a name': reads('SELECT ? AS a, :n AS n, ? AS b', { n: 'n' }, 1, 2),
  'too many values': fails(reads('SELECT ? AS a', 1, 2)),
  'an array': fails(reads('SELECT ? AS a', [1])),
  'null for names': fails(reads('SELECT :a AS a', null)),
  'a getter that throws': fails(reads('SELECT :a AS a', { get a() { throw new RangeError('getter'); } })),
  'undefined': reads('SELECT ? AS a', undefined),
  'true': reads('SELECT ? AS a, typeof(?) AS b', true, false),
  'a symbol': fails(reads('SELECT ? AS a', Symbol('x'))),
  'a function': fails(reads('SELECT ? AS a', () => 1)),
  'a bigint': reads('SELECT typeof(?) AS a', 5n),
  'a bigint that is too large': fails(reads('SELECT ? AS a', 2n ** 63n)),
  'numbers': reads('SELECT typeof(?) AS a, ? AS b, ? AS c, ? AS d', 1, NaN, -0, Infinity),
  'bytes of a view': reads('SELECT hex(?) AS a', new Uint16Array([1, 2])),
  'bytes of a buffer': reads('SELECT ? AS a', new ArrayBuffer(2)),
  'a long text': reads('SELECT length(?) AS a', 'é'.repeat(1e5)),
  'no bare names': fails(({ db }) => {
    const statement = db.prepare('SELECT :a AS a');
    statement.setAllowBareNamedParameters(false);
    return statement.get({ a: 1 });
  }),
  'unknown names that are allowed': ({ db }) => {
    const statement = db.prepare('SELECT :a AS a');
    statement.setAllowUnknownNamedParameters(true);
    return statement.get({ b: 1 });
  },

  // Rows.
  'blobs': reads("SELECT x'0102' AS a, x'' AS b"),
  'a blob is a Uint8Array': ({ db }) => db.prepare("SELECT x'01' AS a").get().a.constructor.name,
  'a row has no prototype': ({ db }) => Object.getPrototypeOf(db.prepare('SELECT 1 AS a').get()),
  'a column named __proto__': ({ db }) => Object.keys(db.prepare('SELECT 1 AS "__proto__"').get()),
  'columns of one name': reads('SELECT 1 AS a, 2 AS a'),
  'an integer that is too large': fails(reads('SELECT 9007199254740993 AS a')),
  'the same as a bigint': using({ readBigInts: true }, 'SELECT 9007199254740993 AS a, 1.5 AS b'),
  'arrays': using({ returnArrays: true }, 'SELECT 1 AS a, 2 AS a'),
  'options of a statement': fails(using({ returnArrays: 1 }, 'SELECT 1')),
  'options that are no object': fails(using(5, 'SELECT 1')),
  'setters': ({ db }) => {
    const statement = db.prepare('SELECT 1 AS a');
    const returned = [statement.setReadBigInts(true), statement.setReturnArrays(true)];
    return [returned, statement.get()];
  },
  'a setter with another type': fails(({ db }) => db.prepare('SELECT 1').setReadBigInts(1)),
  'no row': reads('SELECT 1 WHERE 0'),

  // Iterators.
  'an iterator': ({ db }) => {
    const rows = db.prepare('SELECT 1 AS a UNION SELECT 2').iterate();
    return [rows.next(), rows.next(), rows.next(), rows.next(), rows.return()];
  },
  'an iterator is one': ({ db }) => [...db.prepare('SELECT a FROM t').iterate()],
  'an iterator that ends early': ({ db }) => {
    for (const _ of db.prepare('SELECT a FROM t').iterate()) break;
    return db.prepare('SELECT count(*) AS n FROM t').get();
  },
  'writing meanwhile': ({ db }) => {
    const rows = db.prepare('SELECT a FROM t').iterate();
    rows.next();
    db.exec('INSERT INTO t(b) VALUES(9)');
    return [...rows];
  },
  'an iterator of an insertion': ({ db }) => [...db.prepare('INSERT INTO t(b) VALUES(1)').iterate()],
  'an iterator after close': fails(({ db }) => {
    const rows = db.prepare('SELECT a FROM t').iterate();
    rows.next();
    db.close();
    return rows.next();
  }),
  'a statement that begins again': fails(({ db }) => {
    const statement = db.prepare('SELECT a FROM t');
    const rows = statement.iterate();
    rows.next();
    statement.get();
    return rows.next();
  }),

  // Functions of the program.
  'a function': calls('SELECT f(1, 2) AS a', (a, b) => a + b),
  'its options': calls('SELECT f(1, 2) AS a', { varargs: true, useBigIntArguments: true }, (...args) => `${args.length} ${typeof args[0]}`),
  'its exception': calls('SELECT f() AS a', () => { throw new TypeError('mine'); }),
  'it returns an object': calls('SELECT f() AS a', () => ({})),
  'it returns true': calls('SELECT f() AS a', () => true),
  'it returns a promise': calls('SELECT f() AS a', async () => 1),
  'it returns nothing': calls('SELECT f() AS a', () => {}),
  'it returns a bigint that is too large': calls('SELECT f() AS a', () => 2n ** 70n),
  'it returns bytes': calls("SELECT f(x'0102') AS a", (bytes) => bytes),
  'it gets an integer that is too large': calls('SELECT f(9007199254740993) AS a', (value) => value),
  'too few arguments': calls('SELECT f() AS a', (a) => a),
  'no function': calls('SELECT f()', {}),
  'an option of another type': calls('SELECT f()', { deterministic: 1 }, () => 1),
  'SQL inside a function': fails(({ db }) => {
    db.function('f', () => db.prepare('SELECT 5 AS x').get().x);
    return db.prepare('SELECT f() AS a').get();
  }),
  'close inside a function': fails(({ db }) => {
    db.function('f', () => db.close());
    return db.prepare('SELECT f() AS a').get();
  }),
  'an aggregate': sums({ start: 0, step: (total, value) => total + value }),
  'an aggregate of bigints': sums({ start: 0n, useBigIntArguments: true, step: (total, value) => total + value }),
  'a result and a start': sums({ start: () => [], step: (list, value) => [...list, value], result: (list) => list.join() }),
  'a step that returns nothing': sums({ start: 5, step: (total, value) => void value }),
  'a step that throws': sums({ start: 5, step: (total, value) => { throw new RangeError(`in step ${value}`); } }),
  'a window': sums(
    { start: 0, step: (total, value) => total + value, inverse: (total, value) => total - value },
    'SELECT a, f(a) OVER (ORDER BY a ROWS 1 PRECEDING) AS w FROM t',
  ),
  'a step that is no function': sums({ start: 0, step: 5 }),
  'an aggregate without a start': sums({ step: () => 1 }),

  // Databases.
  'a database in memory': opens(':memory:'),
  'no path': opens(),
  'a number as a path': opens(5),
  'a NUL in a path': opens('a\0b'),
  'options of a database': opens(':memory:', 5),
  'readOnly of another type': opens(':memory:', { readOnly: 5 }),
  'a directory that does not exist': opens('/nonexistent/a.db'),
  'a timeout': opens(':memory:', { timeout: 50 }),
  'no foreign keys': opens(':memory:', { enableForeignKeyConstraints: false }),
  'texts in double quotes': ({ DatabaseSync }) =>
    new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true }).prepare('SELECT "x" AS a').get(),
  'options for all statements': ({ DatabaseSync }) =>
    new DatabaseSync(':memory:', { readBigInts: true, returnArrays: true }).prepare('SELECT 1').get(),
  'a constructor without new': fails(({ DatabaseSync }) => DatabaseSync(':memory:')),
  'not open': fails(({ DatabaseSync }) => {
    const db = new DatabaseSync(':memory:', { open: false });
    return [db.isOpen, fails(() => db.exec(''))()];
  }),
  'open twice': fails(({ db }) => db.open()),
  'close twice': fails(({ db }) => [db.close(), db.close()]),
  'open again': ({ db }) => {
    db.close();
    db.open();
    return db.prepare('SELECT count(*) AS n FROM sqlite_schema').get();
  },
  'a statement after close': fails(({ db }) => {
    const statement = db.prepare('SELECT 1');
    db.close();
    return statement.get();
  }),
  'dispose': ({ db }) => [db[Symbol.dispose](), db[Symbol.dispose](), db.isOpen],
  'a transaction': ({ db }) => {
    const states = [db.isTransaction];
    db.exec('BEGIN');
    states.push(db.isTransaction);
    db.exec('ROLLBACK');
    return [...states, db.isTransaction];
  },
  'locations': ({ db, DatabaseSync, file }) => {
    const other = new DatabaseSync(file('a.db'));
    return [db.location(), other.location(), other.location('main'), other.location('nope')];
  },
  'a path of bytes': ({ DatabaseSync, file }) => new DatabaseSync(Buffer.from(file('b.db'))).location(),
  'a URL': ({ DatabaseSync, file }) => new DatabaseSync(new URL(`file://${file('c.db')}`)).location(),
  'writing what is read-only': fails(({ DatabaseSync, file }) => {
    new DatabaseSync(file('d.db')).exec('CREATE TABLE x(a)');
    new DatabaseSync(file('d.db'), { readOnly: true }).exec('INSERT INTO x VALUES(1)');
  }),
  'reading what does not exist': fails(({ DatabaseSync, file }) => new DatabaseSync(file('e.db'), { readOnly: true })),
  'a lock': fails(({ DatabaseSync, file }) => {
    const [first, second] = [new DatabaseSync(file('f.db')), new DatabaseSync(file('f.db'))];
    first.exec('BEGIN IMMEDIATE');
    second.exec('BEGIN IMMEDIATE');
  }),
  'an extension that is not allowed': fails(({ db }) => db.loadExtension('x')),
  'a backup': async ({ db, backup, DatabaseSync, file }) => {
    db.exec("CREATE TABLE u AS SELECT hex(zeroblob(9000)) AS x");
    const states = [];
    const pages = await backup(db, file('g.db'), { rate: 2, progress: (state) => states.push(state) });
    return [pages, states, new DatabaseSync(file('g.db')).prepare('SELECT count(*) AS n FROM t').get()];
  },
  'a backup of nothing': fails(({ backup }) => backup(5, 'x')),
  'serialize': ({ db }) => [db.serialize().length, db.serialize().constructor.name],
  'own properties of a database': ({ db }) => Object.keys(db),
  'what the module exports': ({ exports }) => exports,
};
