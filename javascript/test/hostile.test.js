'use strict';
// What a hostile database, statement, object or reply of the engine could do.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { afterEach, beforeEach, describe, test } = require('node:test');

const Database = require('../src/index.js');
const { NATIVE, directory } = require('./support.js');
const { execFileSync } = require('node:child_process');

let db;
beforeEach(() => { db = new Database(':memory:'); });
afterEach(() => db.close());

const value = (sql, ...args) => db.prepare(sql).pluck().get(...args);

describe('names', () => {
  const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'then', ''];

  test('columns are own properties, and no prototype changes', () => {
    const sql = `SELECT ${NAMES.map((name, index) => `${index} AS "${name}"`)}`;
    for (const row of [db.prepare(sql).get(), db.prepare(sql).all()[0], [...db.prepare(sql).iterate()][0], db.prepare(sql).expand().get().$]) {
      assert.strictEqual(Object.getPrototypeOf(row), Object.prototype);
      NAMES.forEach((name, index) => assert.strictEqual(Object.getOwnPropertyDescriptor(row, name).value, index));
    }
    assert.strictEqual({}.polluted, undefined);
    assert.strictEqual(Object.prototype.constructor, Object);
  });

  test('tables are own properties of expanded rows', () => {
    db.exec('CREATE TABLE "__proto__"(polluted); INSERT INTO "__proto__" VALUES(1)');
    const row = db.prepare('SELECT polluted FROM "__proto__"').expand().get();
    assert.deepStrictEqual(Object.getOwnPropertyDescriptor(row, '__proto__').value, { polluted: 1 });
    assert.strictEqual({}.polluted, undefined);
  });

  test('parameters are own properties only', () => {
    for (const name of NAMES.filter((it) => /^\w+$/.test(it))) {
      assert.throws(() => db.prepare(`SELECT @${name}`).get({}), RangeError);
      assert.strictEqual(value(`SELECT @${name}`, JSON.parse(`{"${name}": 5}`)), 5);
    }
  });

  test('functions and tables', () => {
    for (const name of NAMES.filter(Boolean)) {
      db.function(name, () => name);
      assert.strictEqual(value(`SELECT "${name}"()`), name);
    }
    db.table('g', { columns: ['__proto__', 'constructor'], *rows() { yield JSON.parse('{"__proto__": 1, "constructor": 2}'); } });
    assert.deepStrictEqual(db.prepare('SELECT * FROM g').raw().get(), [1, 2]);
  });

  test('a changed Object.prototype has no effect', () => {
    Object.prototype.readonly = true; // eslint-disable-line no-extend-native
    Object.prototype.a = 5; // eslint-disable-line no-extend-native
    try {
      assert.throws(() => db.prepare('SELECT @a').get({}), RangeError);
    } finally {
      delete Object.prototype.readonly;
      delete Object.prototype.a;
    }
  });
});

describe('code of the program in the middle of a call', () => {
  test('getters that use the database, close it, or throw', () => {
    const statement = db.prepare('SELECT @a AS a, @b AS b');
    const seen = statement.get({ get a() { return value('SELECT 7'); }, get b() { return db.prepare('SELECT ?').pluck().get('x'.repeat(200_000)).length; } });
    assert.deepStrictEqual(seen, { a: 7, b: 200_000 });
    const other = new Database(':memory:');
    const closing = other.prepare('SELECT @a');
    assert.throws(() => closing.get({ get a() { other.close(); return 1; } }), /not open/);
    assert.throws(() => statement.get({ a: 1, get b() { throw new Error('getter'); } }), /getter/);
    assert.deepStrictEqual(statement.get({ a: 1, b: 2 }), { a: 1, b: 2 });
  });

  test('a getter that iterates over the same statement', () => {
    const statement = db.prepare('SELECT @a AS a');
    let iterator;
    assert.throws(() => statement.get({ get a() { iterator = statement.iterate({ a: 1 }); iterator.next(); return 2; } }), /busy/);
    iterator.return();
    assert.deepStrictEqual(statement.get({ a: 3 }), { a: 3 });
  });

  test('proxies, arrays with getters, and views that change', () => {
    const array = [1];
    Object.defineProperty(array, 0, { get() { return value('SELECT 5'); } });
    assert.strictEqual(value('SELECT ?', array), 5);
    assert.throws(() => value('SELECT ?', new Proxy({}, {})), /can only bind|Named parameters|Too few/);
    assert.throws(() => value('SELECT @a', new Proxy({ a: 1 }, { getOwnPropertyDescriptor() { throw new Error('trap'); } })), /trap/);
    const shared = new Uint8Array(new SharedArrayBuffer(4));
    assert.deepStrictEqual(value('SELECT ?', shared), Buffer.alloc(4));
    const detached = new Uint8Array(8);
    structuredClone(detached, { transfer: [detached.buffer] });
    assert.deepStrictEqual(value('SELECT ?', detached), Buffer.alloc(0));
  });

  test('functions that call the database again', () => {
    const statement = db.prepare('SELECT 1');
    const attempts = { prepare: () => db.prepare('SELECT 1'), get: () => statement.get(), exec: () => db.exec('SELECT 1'), close: () => db.close(), iterate: () => statement.iterate().next() };
    for (const [name, attempt] of Object.entries(attempts)) {
      db.function(`again_${name}`, attempt);
      assert.throws(() => value(`SELECT again_${name}()`), /busy/);
    }
    assert.strictEqual(value('SELECT 1'), 1);
  });

  test('functions of two databases that call each other', () => {
    const other = new Database(':memory:');
    let depth = 0;
    db.function('f', () => (++depth < 50 ? other.prepare('SELECT g()').pluck().get() : depth));
    other.function('g', () => 1);
    assert.strictEqual(value('SELECT f()'), 1);
    other.function('g2', () => { db.prepare('SELECT 1'); });
    db.function('f2', () => other.prepare('SELECT g2()').get());
    assert.throws(() => value('SELECT f2()'), /busy/);
    other.close();
  });

  test('a function that recurses without end', () => {
    db.function('deep', function deep() { return deep(); });
    assert.throws(() => value('SELECT deep()'), RangeError);
    assert.strictEqual(value('SELECT 1'), 1);
  });

  test('an iterator that is used after its database', () => {
    const other = new Database(':memory:');
    const iterator = other.prepare('SELECT 1').iterate();
    assert.throws(() => other.close(), /busy/);
    iterator.return();
    other.close();
    assert.deepStrictEqual(iterator.next(), { value: undefined, done: true });
  });
});

describe('SQL', () => {
  test('that is nested deeply is an error, or ends its connection only', () => {
    const texts = [
      `SELECT ${'('.repeat(900)}1${')'.repeat(900)}`, `SELECT ${'-'.repeat(0)}${'NOT '.repeat(5000)}1`, `SELECT ${'1+'.repeat(5000)}1`,
      `SELECT ${'('.repeat(100_000)}`, `SELECT json('${'['.repeat(100_000)}')`, `SELECT ${Array(3000).fill('1').join(' UNION ALL SELECT ')}`,
      `${'SELECT * FROM ('.repeat(300)}SELECT 1${')'.repeat(300)}`, `SELECT 'a' LIKE '${'%a'.repeat(20_000)}'`,
      `WITH ${Array.from({ length: 400 }, (_, i) => `t${i} AS (SELECT * FROM ${i ? `t${i - 1}` : '(SELECT 1)'})`)} SELECT * FROM t399`,
    ];
    for (const text of texts) {
      const other = new Database(':memory:', { statementTime: 5000 });
      try {
        other.prepare(text).all();
      } catch (error) {
        assert.ok(error instanceof Database.SqliteError, error.stack);
      }
      try { other.close(); } catch { /* It has ended. */ }
      assert.strictEqual(value('SELECT 1'), 1);
    }
  });

  test('triggers that recurse', () => {
    db.exec('PRAGMA recursive_triggers = 1; CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t VALUES(new.a + 1); END');
    const other = db;
    try { other.exec('INSERT INTO t VALUES(1)'); } catch (error) { assert.ok(error instanceof Database.SqliteError); }
    db = new Database(':memory:');
    try { other.close(); } catch { /* It has ended. */ }
  });

  test('reaches no file that is not granted', (t) => {
    const root = directory(t);
    const file = path.join(root, 'own.db');
    fs.writeFileSync(path.join(root, 'other.db'), '');
    fs.symlinkSync(path.join(root, 'other.db'), path.join(root, 'link.db'));
    const own = new Database(file);
    own.exec('CREATE TABLE t(a)');
    for (const name of ['other.db', 'new.db', 'link.db', '../x.db', 'own.db-other', 'own.db/../other.db']) {
      for (const sql of [`ATTACH '${path.join(root, name)}' AS o`, `VACUUM INTO '${path.join(root, name)}'`]) {
        assert.throws(() => own.exec(sql), { code: /CANTOPEN|ERROR/ }, sql);
      }
    }
    for (const name of ['/etc/passwd', '/proc/self/mem', '/dev/zero', '/proc/self/environ', 'file:/etc/passwd?mode=ro']) {
      assert.throws(() => own.exec(`ATTACH '${name}' AS o; SELECT * FROM o.sqlite_master`), { code: /CANTOPEN|NOTADB/ });
    }
    own.close();
    assert.deepStrictEqual(fs.readdirSync(root).sort(), ['link.db', 'other.db', 'own.db']);
  });

  test('reaches what is granted, and no more', (t) => {
    const root = directory(t);
    for (const name of ['rw', 'rw/ro', 'out']) fs.mkdirSync(path.join(root, name));
    const at = (...parts) => path.join(root, ...parts);
    for (const name of ['rw/a.db', 'rw/ro/b.db', 'out/c.db']) execFileSync(NATIVE, [at(name), 'CREATE TABLE t(a); INSERT INTO t VALUES(1)']);
    fs.symlinkSync(at('out/c.db'), at('rw/link.db'));
    fs.symlinkSync(at('out'), at('rw/away'));
    fs.symlinkSync(at('rw/a.db'), at('rw/inside.db'));
    fs.symlinkSync(at('out/made.db'), at('rw/dangling.db'));
    const own = new Database(':memory:', { directories: [at('rw'), { path: at('rw/ro'), readonly: true }] });
    const attach = (name) => own.prepare('ATTACH ? AS x').run(name);
    const detach = () => own.exec('DETACH x');
    for (const name of ['rw/a.db', 'rw/inside.db', 'rw/new.db', 'rw/ro/../a.db']) {
      attach(at(name));
      own.exec('CREATE TABLE IF NOT EXISTS x.t(a); INSERT INTO x.t VALUES(2)');
      detach();
    }
    attach(at('rw/ro/b.db'));
    assert.throws(() => own.exec('INSERT INTO x.t VALUES(2)'), { code: 'SQLITE_READONLY' });
    detach();
    for (const name of ['rw/link.db', 'rw/away/c.db', 'rw/dangling.db', 'out/c.db', 'rw/../out/c.db', 'rw/ro/new.db']) {
      assert.throws(() => { attach(at(name)); own.prepare('SELECT * FROM x.t').all(); }, { code: /CANTOPEN|ERROR/ }, name);
    }
    own.close();
    assert.ok(!fs.existsSync(at('out/made.db')));
    assert.throws(() => new Database(':memory:', { directories: ['/proc'] }), /kernel/);
    assert.throws(() => new Database(':memory:', { directories: [at('rw/a.db')] }), /not a directory/);
  });
});

describe('databases', () => {
  test('with changed bytes are errors, or are read', () => {
    const whole = db.exec('CREATE TABLE t(a PRIMARY KEY, b); CREATE INDEX i ON t(b); CREATE VIRTUAL TABLE f USING fts5(x)')
      .exec("INSERT INTO t SELECT i, hex(i) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n); INSERT INTO f SELECT b FROM t").serialize();
    let seed = 7;
    const random = (limit) => { seed = (seed * 48271) % 0x7fffffff; return seed % limit; };
    for (let turn = 0; turn < 40; turn++) {
      const bytes = Buffer.from(whole);
      for (let change = 0; change < 8; change++) bytes[random(change < 3 ? 200 : bytes.length)] = random(256);
      try {
        const other = new Database(bytes, { statementTime: 2000, memory: 64 << 20 });
        for (const sql of ['SELECT * FROM t ORDER BY b', "SELECT * FROM f WHERE x MATCH '31*'", 'PRAGMA integrity_check', 'DELETE FROM t WHERE a % 2']) {
          try { other.prepare(sql).all(); } catch (error) { assert.ok(error instanceof Error); }
        }
        other.close();
      } catch (error) {
        assert.ok(error instanceof Error);
      }
      assert.strictEqual(value('SELECT 1'), 1);
    }
  });

  test('with hostile schemas run no function of the program that is only for direct use', () => {
    let called = 0;
    db.function('danger', { directOnly: true }, () => ++called);
    db.unsafeMode().exec("PRAGMA writable_schema = ON; CREATE VIEW v AS SELECT 1; UPDATE sqlite_schema SET sql = 'CREATE VIEW v AS SELECT danger()'");
    const copy = new Database(db.serialize());
    copy.function('danger', { directOnly: true }, () => ++called);
    assert.throws(() => copy.prepare('SELECT * FROM v').all(), /unsafe use/);
    assert.strictEqual(called, 0);
    copy.close();
  });
});

describe('replies of an engine that was taken over', () => {
  const { Reader, MalformedReply } = require('../src/wire/reader.js');
  const { readHead } = require('../src/engine/engine.js');
  const { readValue } = require('../src/wire/values.js');

  test('are read inside their bounds', () => {
    let seed = 3;
    const random = (limit) => { seed = (seed * 48271) % 0x7fffffff; return seed % limit; };
    for (let turn = 0; turn < 3000; turn++) {
      const bytes = Buffer.from(Array.from({ length: random(120) }, () => (random(3) ? random(12) : random(256))));
      const reader = Reader.of(bytes);
      try {
        readHead(reader);
        for (let index = 0; index < 100; index++) readValue(reader, true);
        assert.fail('so many values are not there');
      } catch (error) {
        assert.ok(error instanceof MalformedReply || error instanceof RangeError, error.stack);
      }
    }
  });

  test('end the connection, and close its files', (t) => {
    const file = path.join(directory(t), 'taken.db');
    const own = new Database(file).exec('CREATE TABLE t(a)');
    const { Engine } = require('../src/engine/engine.js');
    const original = Engine.prototype.perform;
    Engine.prototype.perform = function perform(...args) {
      original.apply(this, args);
      return Reader.of(Buffer.from([1, 2, 3]));
    };
    try {
      assert.throws(() => own.prepare('SELECT 1'), { code: 'SQLITE_INTERNAL' });
    } finally {
      Engine.prototype.perform = original;
    }
    assert.throws(() => own.prepare('SELECT 1'), { code: 'SQLITE_INTERNAL' });
    own.close();
    const open = fs.readdirSync('/proc/self/fd').map((name) => { try { return fs.readlinkSync(`/proc/self/fd/${name}`); } catch { return ''; } });
    assert.ok(!open.includes(file));
  });
});

test('a backup that is locked out fails, and the file can be used', async (t) => {
  const root = directory(t);
  const [file, target] = ['own.db', 'target.db'].map((name) => path.join(root, name));
  const own = new Database(file).exec('CREATE TABLE t(a); INSERT INTO t VALUES(1)');
  await assert.rejects(own.backup(file), { code: 'SQLITE_BUSY' });
  const writer = new Database(target).exec('BEGIN IMMEDIATE; CREATE TABLE t(a)');
  await assert.rejects(own.backup(target), { code: 'SQLITE_BUSY' });
  writer.exec('COMMIT').close();
  assert.strictEqual((await own.backup(target)).remainingPages, 0);
  for (const name of [file, target]) {
    const copy = new Database(name);
    assert.strictEqual(copy.exec('INSERT INTO t VALUES(2)').prepare('SELECT count(*) FROM t').pluck().get(), 2);
    copy.close();
  }
  own.close();
});

test('what is not a file is no extension', (t) => {
  const root = directory(t);
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  for (const name of [path.join(root, 'pipe'), '/dev/zero', root, '.', '']) assert.throws(() => db.loadExtension(name), /not a file/, name);
  const long = path.join(root, 'long.wasm');
  fs.closeSync(fs.openSync(long, 'w'));
  fs.truncateSync(long, (256 << 20) + 1);
  assert.throws(() => db.loadExtension(long), /more than 268435456 bytes/);
});

test('use after close', () => {
  const other = new Database(':memory:');
  const statement = other.prepare('SELECT 1');
  const transaction = other.transaction(() => 1);
  other.close();
  for (const use of [() => statement.get(), () => transaction(), () => other.prepare('SELECT 1'), () => other.exec(''), () => other.pragma('user_version'), () => other.serialize(), () => other.function('f', () => 1), () => other.loadExtension('uuid'), () => other.table('t', { columns: ['a'], *rows() {} })]) {
    assert.throws(use, /not open/);
  }
});
