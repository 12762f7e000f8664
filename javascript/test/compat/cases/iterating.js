'use strict';
// Iterators, what is refused while they are open, transactions, and the end of a connection.

const NUMBERS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n';
const filled = (db) => db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1), (2), (3)');

const cases = {
  'next step by step': ({ db }) => {
    const iterator = filled(db).prepare('SELECT * FROM t').iterate();
    return [1, 2, 3, 4, 5].map(() => iterator.next());
  },
  'return in the middle': ({ db }) => {
    const statement = filled(db).prepare('SELECT * FROM t');
    const iterator = statement.iterate();
    return [iterator.next(), statement.busy, iterator.return(), statement.busy, iterator.next(), iterator.return()];
  },
  'return before the first row': ({ db }) => {
    const iterator = filled(db).prepare('SELECT * FROM t').iterate();
    return [iterator.return(), iterator.next()];
  },
  'the iterator is its own iterator': ({ db }) => {
    const iterator = filled(db).prepare('SELECT * FROM t').iterate();
    return [iterator[Symbol.iterator]() === iterator, iterator.statement.source, iterator.return().done];
  },
  'break frees the statement': ({ db }) => {
    const statement = filled(db).prepare('SELECT * FROM t');
    for (const _ of statement.iterate()) break;
    return [statement.busy, statement.all()];
  },
  'throw frees the statement': ({ db, attempt }) => {
    const statement = filled(db).prepare('SELECT * FROM t');
    const outcome = attempt(() => {
      for (const _ of statement.iterate()) throw new Error('out');
    });
    return [outcome, statement.busy, statement.all()];
  },
  'an error in the middle': ({ db, attempt }) => {
    const statement = filled(db).prepare("SELECT CASE a WHEN 3 THEN json('{') ELSE a END AS x FROM t");
    const seen = [];
    return [attempt(() => { for (const row of statement.iterate()) seen.push(row); }), seen.length <= 2, statement.busy];
  },
  'reads inside an iteration': ({ db }) => {
    const other = filled(db).prepare('SELECT count(*) AS c FROM t');
    return [...db.prepare('SELECT a FROM t').iterate()].map(() => other.get());
  },
  'iterations inside an iteration': ({ db }) => {
    const [outer, inner] = [filled(db).prepare('SELECT a FROM t').pluck(), db.prepare('SELECT a FROM t').pluck()];
    const pairs = [];
    for (const x of outer.iterate()) for (const y of inner.iterate()) pairs.push([x, y]);
    return pairs;
  },
  'two hundred rows': ({ db }) => [...db.prepare(NUMBERS.replace('10', '200')).pluck().iterate()],
};

const REFUSED = {
  run: (db) => db.prepare('INSERT INTO t VALUES(4)').run(),
  'run of a query': (db) => db.prepare('SELECT 1').run(),
  exec: (db) => db.exec('INSERT INTO t VALUES(4)'),
  pragma: (db) => db.pragma('user_version'),
  close: (db) => db.close(),
  function: (db) => db.function('f', () => 1),
  aggregate: (db) => db.aggregate('f', { step() {} }),
  table: (db) => db.table('f', { columns: ['a'], *rows() {} }),
  serialize: (db) => db.serialize(),
  transaction: (db) => db.transaction(() => 1)(),
  prepare: (db) => db.prepare('SELECT 1 AS one').get(),
  'get that writes': (db) => db.prepare('INSERT INTO t VALUES(5) RETURNING a').get(),
  defaultSafeIntegers: (db) => db.defaultSafeIntegers().open,
};
for (const [name, action] of Object.entries(REFUSED)) {
  cases[`while iterating: ${name}`] = ({ db, attempt }) => {
    const iterator = filled(db).prepare('SELECT a FROM t').iterate();
    iterator.next();
    const outcome = attempt(() => { const result = action(db); return result === db ? 'db' : result; });
    iterator.return();
    return [outcome, db.prepare('SELECT a FROM t').all()];
  };
  cases[`while iterating in unsafe mode: ${name}`] = ({ db, attempt }) => {
    const iterator = filled(db).unsafeMode().prepare('SELECT a FROM t').iterate();
    iterator.next();
    const outcome = attempt(() => { const result = action(db); return result === db ? 'db' : result; });
    if (db.open) iterator.return();
    return outcome;
  };
  cases[`inside a function: ${name}`] = ({ db, attempt }) => {
    let outcome;
    filled(db).function('call', () => {
      outcome = attempt(() => { const result = action(db); return result === db ? 'db' : result; });
      return 1;
    });
    return [db.prepare('SELECT call()').pluck().get(), outcome];
  };
  cases[`after close: ${name}`] = ({ db, attempt }) => {
    filled(db).close();
    return attempt(() => { const result = action(db); return result === db ? 'db' : result; });
  };
}

for (const method of ['run', 'get', 'all', 'iterate', 'bind', 'pluck', 'raw', 'expand', 'safeIntegers', 'columns']) {
  cases[`a statement after close: ${method}`] = ({ db, attempt }) => {
    const statement = filled(db).prepare('SELECT a FROM t');
    db.close();
    return [attempt(() => { const result = statement[method](); return result === statement ? 'statement' : result; }), statement.busy, db.open, db.inTransaction];
  };
  cases[`a busy statement: ${method}`] = ({ db, attempt }) => {
    const statement = filled(db).prepare('SELECT a FROM t');
    const iterator = statement.iterate();
    iterator.next();
    const outcome = attempt(() => { const result = statement[method](); return result === statement ? 'statement' : result; });
    iterator.return();
    return [outcome, statement.all()];
  };
}

for (const kind of ['default', 'deferred', 'immediate', 'exclusive']) {
  cases[`transaction ${kind}`] = ({ db, attempt }) => {
    filled(db);
    const insert = db.prepare('INSERT INTO t VALUES(?)');
    const good = db.transaction((x) => { insert.run(x); return db.inTransaction; })[kind];
    const bad = db.transaction((x) => { insert.run(x); throw new Error('no'); })[kind];
    return [good(5), attempt(() => bad(6)), db.inTransaction, db.prepare('SELECT a FROM t').pluck().all()];
  };
  cases[`nested transaction ${kind}`] = ({ db, attempt }) => {
    filled(db);
    const insert = db.prepare('INSERT INTO t VALUES(?)');
    const inner = db.transaction((x) => { insert.run(x); if (x === 8) throw new Error('inner'); })[kind];
    const outer = db.transaction(() => { insert.run(7); const caught = attempt(() => inner(8)); inner(9); return caught; });
    return [outer(), db.prepare('SELECT a FROM t').pluck().all()];
  };
}
Object.assign(cases, {
  'transaction: this and arguments': ({ db }) => {
    const object = { fn: db.transaction(function (...args) { return [this === object, args]; }) };
    return object.fn(1, 'b');
  },
  'transaction: a promise': ({ db, attempt }) => [attempt(() => db.transaction(async () => 1)()), db.inTransaction],
  'transaction: properties': ({ db }) => {
    const fn = db.transaction(() => 1);
    return [fn.database === db, typeof fn.immediate, fn.default === fn, fn.immediate.deferred === fn.deferred, Object.keys(fn)];
  },
  'transaction: rolled back by SQL': ({ db, attempt }) => {
    filled(db);
    return [attempt(() => db.transaction(() => { db.exec('ROLLBACK'); throw new Error('x'); })()), db.inTransaction];
  },
  'transaction: committed by SQL': ({ db, attempt }) => [attempt(() => db.transaction(() => db.exec('COMMIT'))()), db.inTransaction],
  'transaction: throws no error': ({ db, attempt }) => attempt(() => db.transaction(() => { throw null; })()),
  'close twice': ({ db }) => [db.close().open, db.close().open],
  'close rolls back': ({ Database, file }) => {
    const path = file('rollback.db');
    const first = new Database(path).exec('CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES(1)');
    first.close();
    const second = new Database(path);
    const rows = second.prepare('SELECT * FROM t').all();
    second.close();
    return rows;
  },
  'two connections: busy': ({ Database, file, attempt }) => {
    const path = file('busy.db');
    const [a, b] = [new Database(path, { timeout: 0 }), new Database(path, { timeout: 0 })];
    a.exec('CREATE TABLE t(a); BEGIN IMMEDIATE');
    const outcome = [attempt(() => b.exec('BEGIN IMMEDIATE')), b.prepare('SELECT * FROM t').all()];
    a.exec('INSERT INTO t VALUES(1); COMMIT');
    outcome.push(b.prepare('SELECT * FROM t').all());
    a.close();
    b.close();
    return outcome;
  },
  'two connections: WAL': ({ Database, file, attempt }) => {
    const path = file('wal.db');
    const [a, b] = [new Database(path, { timeout: 0 }), new Database(path, { timeout: 0 })];
    const outcome = [a.pragma('journal_mode = WAL')];
    a.exec('CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES(1)');
    outcome.push(b.prepare('SELECT * FROM t').all(), attempt(() => b.exec('INSERT INTO t VALUES(2)')));
    a.exec('COMMIT');
    outcome.push(b.prepare('SELECT * FROM t').all(), b.prepare('INSERT INTO t VALUES(2)').run(), a.prepare('SELECT * FROM t').all());
    a.close();
    b.close();
    return outcome;
  },
  'journal modes of a file': ({ Database, file }) => {
    const db = new Database(file('modes.db'));
    const modes = ['delete', 'truncate', 'persist', 'memory', 'wal', 'off', 'delete'].map((mode) => {
      const set = db.pragma(`journal_mode = ${mode}`, { simple: true });
      db.exec('CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES(1)');
      return set;
    });
    const count = db.prepare('SELECT count(*) FROM t').pluck().get();
    db.close();
    return [modes, count];
  },
});

module.exports = cases;
