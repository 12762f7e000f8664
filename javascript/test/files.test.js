'use strict';
// Files beside other programs: locks, journals, WAL, kills. The native shell is the judge.

const assert = require('node:assert');
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { describe, test } = require('node:test');

const Database = require('../src/index.js');
const { system } = require('../src/files/system.js');
const { NATIVE, RUNNER, directory } = require('./support.js');

/** For each of the journal modes. */
const KILLS = Number(process.env.KILLS ?? 7);
/** Rows that each of the other writers inserts meanwhile. */
const OTHERS = 20 * KILLS;
const STEPS = Number(process.env.STEPS ?? 25);

const native = (file, sql) => execFileSync(NATIVE, [file], { input: `.timeout 60000\n${sql}`, encoding: 'utf8' }).trim();

/** Runs a program to its end. */
function finished(program, args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (bytes) => { output += bytes; });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${program} ended with ${code}`))));
    child.stdin.end(input ?? '');
  });
}

const script = (name) => path.join(__dirname, 'programs', name);

/** SQL that does what programs/counter.js does. */
const counting = (count) =>
  `.timeout 120000\n${'BEGIN IMMEDIATE; INSERT INTO step(who, n) SELECT 0, n FROM counter; UPDATE counter SET n = n + 1; COMMIT;\n'.repeat(count)}`;

/** SQL of another writer. */
const inserting = (count) => `.timeout 120000\n${'INSERT INTO other VALUES(randomblob(3000));\n'.repeat(count)}`;

function counter(file, mode) {
  native(file, `PRAGMA journal_mode = ${mode}; CREATE TABLE counter(n INTEGER); INSERT INTO counter VALUES(0); CREATE TABLE step(who INTEGER, n INTEGER)`);
}

function checkCounter(file, total) {
  assert.strictEqual(native(file, 'SELECT n FROM counter; SELECT count(*), count(DISTINCT n) FROM step; PRAGMA integrity_check'),
    `${total}\n${total}|${total}\nok`);
}

for (const mode of ['delete', 'truncate', 'persist', 'wal']) {
  test(`a crowd of native shells, our shell and this package in mode ${mode}`, async (t) => {
    const file = path.join(directory(t), 'crowd.db');
    counter(file, mode);
    await Promise.all([
      finished(process.execPath, [script('counter.js'), file, STEPS]),
      finished(process.execPath, [script('counter.js'), file, STEPS]),
      finished(NATIVE, [file], counting(STEPS)),
      finished(RUNNER, [file], counting(STEPS)),
    ]);
    checkCounter(file, 4 * STEPS);
  });

  test(`a writer is killed ${KILLS} times beside a native shell and our shell in mode ${mode}`, async (t) => {
    const file = path.join(directory(t), 'killed.db');
    native(file, `PRAGMA journal_mode = ${mode}; CREATE TABLE other(x); CREATE TABLE item(n INTEGER PRIMARY KEY, x); INSERT INTO item VALUES(0, 0); CREATE TABLE total(n); INSERT INTO total VALUES(1)`);
    const others = Promise.all([NATIVE, RUNNER].map((program) => finished(program, [file], inserting(OTHERS))));
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await killed(file, mode, kill);
      const [count, last, total, sound] = native(file, 'SELECT count(*) FROM item; SELECT max(n) FROM item; SELECT n FROM total; PRAGMA integrity_check').split('\n');
      assert.strictEqual(sound, 'ok');
      assert.ok(Number(last) >= acknowledged, `row ${acknowledged} is lost, the last one is ${last}`);
      assert.deepStrictEqual([count, total], [String(Number(last) + 1), String(Number(last) + 1)]);
    }
    await others;
    assert.strictEqual(native(file, 'SELECT count(*) FROM other; PRAGMA integrity_check'), `${2 * OTHERS}\nok`);
  });
}

/** Starts a writer, and kills it after some rows. Returns the last row that it has reported. */
function killed(file, mode, kill) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script('writer.js'), file, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (bytes) => {
      output += bytes;
      // Another moment each time.
      if (output.split('\n').length > 3 + kill) setTimeout(() => child.kill('SIGKILL'), kill % 7);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL') return reject(new Error(`the writer ended with ${code}`));
      const rows = output.split('\n').slice(0, -1);
      return resolve(Number(rows.at(-1)));
    });
  });
}

test('a killed writer of the native shell is recovered', (t) => {
  const file = path.join(directory(t), 'hot.db');
  native(file, 'CREATE TABLE t(a); INSERT INTO t VALUES(1)');
  // The journal of a transaction that was not committed.
  const other = new Database(file);
  other.exec("PRAGMA cache_size = 1; BEGIN; INSERT INTO t SELECT randomblob(5000) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i FROM n)");
  for (const name of ['hot.db', 'hot.db-journal']) fs.copyFileSync(file.replace('hot.db', name), file.replace('hot.db', `copy${name.slice(3)}`));
  other.close();
  const copy = new Database(file.replace('hot.db', 'copy.db'));
  assert.deepStrictEqual(copy.prepare('SELECT a FROM t').all(), [{ a: 1 }]);
  assert.strictEqual(copy.pragma('integrity_check', { simple: true }), 'ok');
  copy.close();
});

describe('locks', () => {
  test('exclude a native writer, and are excluded by one', (t) => {
    const file = path.join(directory(t), 'lock.db');
    const db = new Database(file, { timeout: 0 });
    db.exec('CREATE TABLE t(a); BEGIN IMMEDIATE');
    assert.throws(() => execFileSync(NATIVE, [file, 'BEGIN IMMEDIATE'], { stdio: 'pipe' }), /locked/);
    db.exec('COMMIT');
    assert.strictEqual(native(file, 'BEGIN IMMEDIATE; INSERT INTO t VALUES(1); COMMIT; SELECT * FROM t'), '1');
    db.close();
  });

  test('stay when another descriptor of the file is closed', (t) => {
    const file = path.join(directory(t), 'closed.db');
    const db = new Database(file, { timeout: 0 });
    db.exec('CREATE TABLE t(a); BEGIN IMMEDIATE');
    fs.readFileSync(file);
    new Database(file).close();
    assert.throws(() => execFileSync(NATIVE, [file, 'BEGIN IMMEDIATE'], { stdio: 'pipe' }), /locked/);
    db.close();
    native(file, 'BEGIN IMMEDIATE');
  });

  test('end with a connection that has trapped', (t) => {
    const file = path.join(directory(t), 'trapped.db');
    const db = new Database(file, { timeout: 0 });
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES(1)');
    db.function('trap', () => { throw new Error('no trap'); });
    trap(db);
    assert.throws(() => db.prepare('SELECT 1'), { code: 'SQLITE_INTERNAL' });
    assert.strictEqual(native(file, 'BEGIN IMMEDIATE; SELECT count(*) FROM t; COMMIT; PRAGMA integrity_check'), '0\nok');
  });

  test('end with a database that nobody closes', async (t) => {
    const file = path.join(directory(t), 'forgotten.db');
    (() => new Database(file).exec('CREATE TABLE t(a); BEGIN IMMEDIATE'))();
    for (let turn = 0; turn < 20; turn++) {
      global.gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    native(file, 'BEGIN IMMEDIATE');
  });
});

/** Ends an engine as a trap does: its bytes ask for a file that is not open. */
function trap(db) {
  const { Connection } = require('../src/api/connection.js');
  const original = Connection.prototype.calls;
  Connection.prototype.calls = function calls() {
    this.engine.end(new Error('trapped by the test'));
    return original.call(this);
  };
  try {
    assert.throws(() => db.prepare('SELECT 1'));
  } finally {
    Connection.prototype.calls = original;
  }
}

describe('WAL', () => {
  test('is shared: each side sees what the other has written, without a checkpoint', (t) => {
    const file = path.join(directory(t), 'wal.db');
    const db = new Database(file);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a)');
    for (let row = 0; row < 20; row++) {
      db.prepare('INSERT INTO t VALUES(?)').run(row);
      assert.strictEqual(native(file, 'PRAGMA wal_autocheckpoint = 0; INSERT INTO t SELECT count(*) FROM t; SELECT count(*) FROM t').split('\n').at(-1), String(2 * row + 2));
      assert.strictEqual(db.prepare('SELECT count(*) FROM t').pluck().get(), 2 * row + 2);
    }
    assert.ok(fs.existsSync(`${file}-wal`));
    db.close();
    // The last connection copies the log, and removes it.
    assert.ok(!fs.existsSync(`${file}-wal`) && !fs.existsSync(`${file}-shm`));
  });

  test('keeps its mapping while memory grows', (t) => {
    const file = path.join(directory(t), 'grow.db');
    const db = new Database(file);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(a)');
    for (let size = 1 << 20; size <= 64 << 20; size *= 4) {
      assert.strictEqual(db.prepare('SELECT length(zeroblob(?))').pluck().get(size), size);
      db.prepare('INSERT INTO t VALUES(zeroblob(?))').run(size / 16);
      assert.strictEqual(native(file, 'SELECT count(*) FROM t'), String(db.prepare('SELECT count(*) FROM t').pluck().get()));
    }
    assert.strictEqual(native(file, 'PRAGMA integrity_check'), 'ok');
    db.close();
  });

  test('grows beyond one unit of the wal-index', (t) => {
    const file = path.join(directory(t), 'long.db');
    const db = new Database(file);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA page_size = 512; PRAGMA synchronous = OFF; CREATE TABLE t(a)');
    const insert = db.prepare('INSERT INTO t VALUES(zeroblob(3000000))');
    for (let turn = 0; turn < 12; turn++) insert.run();
    assert.ok(fs.statSync(`${file}-shm`).size > 64 << 10);
    assert.strictEqual(native(file, 'SELECT count(*), sum(length(a)) FROM t; PRAGMA integrity_check'), '12|36000000\nok');
    db.close();
  });
});

test('journals have the permissions of their database', (t) => {
  const file = path.join(directory(t), 'mode.db');
  native(file, 'CREATE TABLE t(a)');
  fs.chmodSync(file, 0o660);
  const db = new Database(file);
  db.exec('BEGIN; INSERT INTO t VALUES(1)');
  assert.strictEqual(fs.statSync(`${file}-journal`).mode & 0o777, 0o660);
  db.close();
});

test('the module for locks loads', () => assert.ok(system));
