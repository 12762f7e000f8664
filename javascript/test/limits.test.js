'use strict';
// The limits of a connection: each ends the statement by an error that names it, and the connection goes on.

const assert = require('node:assert');
const { test } = require('node:test');

const Database = require('../src/index.js');

const { LimitError, SqliteError } = Database;

const counting = (count) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`;

function reached(db, limit, action) {
  assert.throws(action, (error) => {
    assert.ok(error instanceof LimitError && error instanceof SqliteError, error.stack);
    assert.strictEqual(error.limit, limit);
    assert.strictEqual(error.name, 'LimitError');
    assert.match(error.message, /limit of \d+/);
    return true;
  });
  assert.strictEqual(db.prepare('SELECT 1').pluck().get(), 1);
}

test('rows', () => {
  const db = new Database(':memory:', { rows: 100 });
  assert.strictEqual(db.prepare(counting(100)).all().length, 100);
  reached(db, 'rows', () => db.prepare(counting(101)).all());
  reached(db, 'rows', () => [...db.prepare(counting(101)).iterate()]);
  assert.strictEqual([...db.prepare(counting(100)).iterate()].length, 100);
  db.close();
});

test('bytes', () => {
  const db = new Database(':memory:', { bytes: 10_000 });
  assert.strictEqual(db.prepare('SELECT zeroblob(9000) AS b').get().b.length, 9000);
  reached(db, 'bytes', () => db.prepare('SELECT zeroblob(10000)').get());
  reached(db, 'bytes', () => db.prepare(`SELECT zeroblob(100) FROM (${counting(200)})`).all());
  reached(db, 'bytes', () => [...db.prepare(`SELECT zeroblob(100) FROM (${counting(200)})`).iterate()]);
  db.close();
});

test('time', () => {
  const db = new Database(':memory:', { statementTime: 50 });
  reached(db, 'statementTime', () => db.prepare(`SELECT count(*) FROM (${counting(1e12)})`).get());
  reached(db, 'statementTime', () => db.exec(`CREATE TABLE t AS ${counting(1e12)}`));
  db.exec('CREATE TABLE u(a)');
  const insert = db.prepare(`INSERT INTO u ${counting(1e12)}`);
  reached(db, 'statementTime', () => insert.run());
  assert.strictEqual(db.prepare('SELECT count(*) FROM u').pluck().get(), 0);
  db.close();
});

test('memory', () => {
  const db = new Database(':memory:', { memory: 32 << 20 });
  assert.strictEqual(db.prepare('SELECT length(zeroblob(1000000))').pluck().get(), 1_000_000);
  reached(db, 'memory', () => db.prepare('SELECT length(randomblob(100000000))').get());
  reached(db, 'memory', () => db.prepare('SELECT length(?)').get(Buffer.alloc(50 << 20)));
  db.exec('CREATE TABLE t(a)');
  reached(db, 'memory', () => db.exec(`INSERT INTO t SELECT randomblob(100000) FROM (${counting(1000)})`));
  assert.strictEqual(db.prepare('SELECT count(*) FROM t').pluck().get(), 0);
  db.close();
  assert.throws(() => new Database(':memory:', { memory: 1000 }));
});

test('limits are checked', () => {
  for (const limit of ['memory', 'statementTime', 'rows', 'bytes']) {
    for (const value of [0, -1, NaN, '5', true, {}]) {
      assert.throws(() => new Database(':memory:', { [limit]: value }), TypeError, `${limit} ${value}`);
    }
    new Database(':memory:', { [limit]: undefined }).close();
  }
});

test('memory that is too little to start', () => {
  assert.throws(() => new Database(':memory:', { memory: 1 }), { name: 'RangeError', message: /^a limit of 1 is too low: it needs \d+ bytes/ });
});
