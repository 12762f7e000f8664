// The client in a page: values, statements, errors, several databases, limits, extensions, and files of other programs.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { FIREFOX, PAGES, SITE, launch, openPage, serve } from './support.mjs';

const native = process.env.SQLITE3 ?? path.join(import.meta.dirname, '../../../target/native-reference/sqlite3');
const sha256 = (name) => crypto.createHash('sha256').update(fs.readFileSync(path.join(SITE, 'extensions', `${name}.wasm`))).digest('hex');

let server;
let chromium;
let page;

before(async () => {
  server = await serve(PAGES);
  chromium = await launch();
  page = await openPage(chromium.browser, `${server.url}/test.html`);
});

after(async () => {
  await chromium.browser.close();
  chromium.remove();
  server.close();
});

/** Runs a function in the page, with a database that is closed afterwards. */
async function using(name, body, ...args) {
  return page.evaluate(
    async (source, file, given) => {
      const db = await open_(file);
      try {
        return await eval(`(${source})`)(db, ...given);
      } finally {
        await db.close();
      }
    },
    body.toString(), name, args,
  );
}

test('the page has no shared memory', async () => {
  assert.equal(await page.evaluate(() => window.crossOriginIsolated), false);
});

test('values come back as they were bound', async () => {
  const shown = await using('values.db', async (db) => {
    const all = [null, 1.5, 'é\u{1f600}\0x', 9007199254740993n, -(2n ** 63n), new Uint8Array([0, 255])];
    const [{ rows }] = await db.query('SELECT ?, ?, ?, ?, ?, ?', all);
    return rows[0].map((value) => (value instanceof Uint8Array ? [...value].join() : String(value)));
  });
  assert.deepEqual(shown, ['null', '1.5', 'é\u{1f600}\0x', '9007199254740993', '-9223372036854775808', '0,255']);
});

test('rows survive closing and a reload, in rollback and WAL mode', async () => {
  for (const mode of ['delete', 'truncate', 'persist', 'wal']) {
    const set = await using(`${mode}.db`, async (db, wanted) => {
      const [{ rows }] = await db.query(`PRAGMA journal_mode = ${wanted}`);
      await db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)');
      return rows[0][0];
    }, mode);
    assert.equal(set, mode);
    await page.reload();
    await page.waitForFunction('window.ready === true');
    assert.equal(await using(`${mode}.db`, (db) => db.get('SELECT sum(a) AS s FROM t').then(({ s }) => s)), 3);
  }
});

test('an error has its code and its position in the text', async () => {
  const found = await using(':memory:', (db) =>
    db.query("SELECT 'é'; SELECT 1, nope FROM sqlite_schema").catch(({ code, message, offset }) => [code, message, offset]));
  assert.deepEqual(found, ['SQLITE_ERROR', 'no such column: nope', "SELECT 'é'; SELECT 1, ".length]);
});

test('databases are attached by their names, and a transaction is in both', async () => {
  const counts = await using('one.db', async (db) => {
    await db.exec("ATTACH 'two/other.db' AS o; CREATE TABLE t(a); CREATE TABLE o.t(a)");
    await db.exec('BEGIN; INSERT INTO t VALUES(1); INSERT INTO o.t VALUES(2); COMMIT');
    const before = await db.get('SELECT (SELECT count(*) FROM main.t) + (SELECT count(*) FROM o.t) AS n');
    await db.exec('VACUUM; VACUUM o');
    return before.n;
  });
  assert.equal(counts, 2);
  assert.equal(await using('two/other.db', (db) => db.get('SELECT a FROM t').then(({ a }) => a)), 2);
});

test('names that are no databases are refused', async () => {
  const refused = await page.evaluate(async () => {
    const tried = [];
    for (const name of ['../x', 'a/../../b', 'x.db-journal', 'x.db-wal', 'x.db-super', '/']) tried.push(await open_(name).then(() => name, () => null));
    return tried;
  });
  assert.deepEqual(refused, [null, null, null, null, null, null]);
});

test('a script of many statements and long ones, whose characters are cut nowhere', async () => {
  const [counts, failed, time] = await using(':memory:', async (db) => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `INSERT INTO t VALUES(${i}, 'é\u{1f600} ${'x'.repeat(i % 50)}; ''')`);
    const long = `INSERT INTO t VALUES(-1, '${'ü;'.repeat(40_000)}')`;
    const start = performance.now();
    await db.exec(`CREATE TABLE t(a, b); BEGIN; ${rows.join(';\n')}; ${long}; COMMIT -- the end ${'.'.repeat(20_000)}`);
    const took = performance.now() - start;
    const error = await db.query(`${rows.slice(0, 500).join(';')}; ${long}; SELECT nope`).catch(({ offset, message }) => [offset, message]);
    const { n, l, longest } = await db.get("SELECT count(*) AS n, sum(length(b)) AS l, max(length(b)) AS longest FROM t WHERE a < 20000");
    return [[n - 501, l > 0, longest], [error[0] === `${rows.slice(0, 500).join(';')}; ${long}; SELECT `.length, error[1]], took];
  });
  assert.deepEqual(counts, [20_001, true, 80_000]);
  assert.deepEqual(failed, [true, 'no such column: nope']);
  // Each statement with all that follows would be 14 GB.
  assert.ok(time < 20_000, `${time} ms`);
});

test('limits end a statement, and the database can be used afterwards', async () => {
  const ended = await page.evaluate(async () => {
    const db = await open_(':memory:', { statementTime: 200, memory: 32 << 20, temporary: 1 << 20, rows: 1000, bytes: 100_000 });
    const failure = (sql) => db.exec(sql).then(() => null, (error) => error.limit ?? error.code);
    const all = [
      await failure('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'),
      await failure('SELECT zeroblob(900000000) || 1'),
      await db.query('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1001) SELECT i FROM n').then(() => null, (error) => error.limit),
      await db.query('SELECT zeroblob(100000)').then(() => null, (error) => error.limit),
      await failure('SELECT 1'),
    ];
    await db.close();
    return all;
  });
  assert.deepEqual(ended, ['statementTime', 'memory', 'rows', 'bytes', null]);
});

test('extensions from URLs: scalar, tables, and those that run SQL', async () => {
  const found = await using('extended.db', async (db, hashes) => {
    const load = (name) => db.loadExtension(`/extensions/${name}.wasm`, { sha256: hashes[name], grants: ['sql'] });
    for (const name of Object.keys(hashes)) await load(name);
    await db.exec('CREATE VIRTUAL TABLE v USING vec0(e float[2]); INSERT INTO v(rowid, e) VALUES(1, \'[1,0]\'), (2, \'[0,1]\')');
    await db.exec("SELECT define('twice', '?1 * 2')");
    const nearest = await db.get("SELECT rowid FROM v WHERE e MATCH '[0,0.9]' AND k = 1");
    const { hash, twice } = await db.get("SELECT hex(sha3('abc')) AS hash, twice(21) AS twice");
    const evaluated = await db.get("SELECT eval('SELECT count(*) FROM v') AS n");
    return [nearest.rowid, hash.slice(0, 8), twice, String(evaluated.n)];
  }, { sha3: sha256('sha3'), vec0: sha256('vec0'), define: sha256('define') });
  assert.deepEqual(found, [2, '3A985DA7', 42, '2']);
  assert.equal(await using('extended.db', (db) => db.exec('SELECT * FROM v').catch(({ message }) => message)), 'no such module: vec0');
});

test('without JSPI an extension that runs SQL fails with one error, and others run', async () => {
  const found = await page.evaluate(async () => {
    const db = await open_(':memory:', { worker: '/without.js' });
    const load = async (name) => db.loadExtension(new Uint8Array(await (await fetch(`/extensions/${name}.wasm`)).arrayBuffer()), { grants: ['sql'] });
    const attempt = (action) => action().then(() => null, ({ message }) => message);
    await load('sha3');
    const all = [
      await attempt(() => load('define').then(() => db.get("SELECT define('twice', '?1 * 2')"))),
      (await db.get("SELECT hex(sha3('abc')) AS hash")).hash.slice(0, 8),
    ];
    await db.close();
    return all;
  });
  assert.match(found[0], /needs WebAssembly's JSPI/);
  assert.equal(found[1], '3A985DA7');
});

test('an extension is refused with another hash, without a grant, and as bytes that are none', async () => {
  const messages = await using(':memory:', async (db, hash) => {
    const failure = (source, options) => db.loadExtension(source, options).then(() => 'loaded', ({ message }) => message);
    return [
      await failure('/extensions/sha3.wasm', { sha256: '0'.repeat(64) }),
      await failure('/extensions/sha3.wasm'),
      await failure('/extensions/define.wasm', { sha256: hash }),
      await failure(new Uint8Array([0, 97, 115, 109])),
      await failure('/extensions/sha3.wasm', { grants: ['dir:/'], sha256: hash }),
    ];
  }, sha256('define'));
  assert.match(messages[0], /^the extension has the SHA-256 [0-9a-f]{64}, and not 0{64}$/);
  assert.match(messages[1], /needs the "sha256" option/);
  assert.match(messages[2], /needs SQL, which is not granted/);
  assert.ok(!messages.includes('loaded'), messages.join('\n'));
});

test('a file goes to native SQLite and back', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'exchange-'));
  const file = path.join(directory, 'x.db');
  try {
    const bytes = await using('exchange.db', async (db) => {
      await db.exec('CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO t SELECT i FROM n');
      return [...await db.serialize()];
    });
    fs.writeFileSync(file, Buffer.from(bytes));
    const sql = 'PRAGMA integrity_check; PRAGMA journal_mode = wal; INSERT INTO t VALUES(0); SELECT sum(a), count(*) FROM t';
    assert.equal(execFileSync(native, [file, sql], { encoding: 'utf8' }), 'ok\nwal\n500500|1001\n');
    const changed = [...fs.readFileSync(file)];
    const back = await using('exchange.db', async (db, content) => {
      await db.restore(new Uint8Array(content));
      const refused = await db.restore(new Uint8Array(200)).then(() => 'restored', ({ message }) => message);
      const { n, ok } = await db.get('SELECT count(*) AS n, (SELECT * FROM pragma_integrity_check) AS ok FROM t');
      return [refused, n, ok];
    }, changed);
    assert.deepEqual(back, ['the file is not a database of SQLite', 1001, 'ok']);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

test('a damaged file replaces nothing', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'damaged-'));
  const file = path.join(directory, 'x.db');
  try {
    execFileSync(native, [file, 'CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t']);
    const whole = fs.readFileSync(file);
    const damaged = (change) => {
      const bytes = Buffer.from(whole);
      change(bytes);
      return [...bytes];
    };
    const files = [
      damaged((bytes) => bytes.writeUInt16BE(3, 16)),
      damaged((bytes) => bytes.fill(0xff, 100, 4096)),
      damaged((bytes) => bytes.write('CREATE WIEV', bytes.indexOf('CREATE VIEW'))),
    ];
    const found = await using('undamaged.db', async (db, all) => {
      await db.exec('DROP TABLE IF EXISTS kept; CREATE TABLE kept(a); INSERT INTO kept VALUES(1)');
      const messages = [];
      for (const bytes of all) messages.push(await db.restore(new Uint8Array(bytes)).then(() => 'restored', ({ message }) => message));
      return [...messages, (await db.get('SELECT a FROM kept')).a];
    }, files);
    assert.deepEqual(found, [
      'the file is damaged: file is not a database',
      'the file is damaged: database disk image is malformed',
      'the file is damaged: malformed database schema (v) - near "WIEV": syntax error',
      1,
    ]);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

/** Puts a file into OPFS as another program has left it. As text, since the protocol has an object for each number. */
const put = (file, content) => page.evaluate(async (name, base64) => {
  const root = await navigator.storage.getDirectory();
  const stream = await (await root.getFileHandle(name, { create: true })).createWritable();
  await stream.write(Uint8Array.fromBase64(base64));
  await stream.close();
}, file, content.toString('base64'));

/** The bytes of a file in OPFS. */
async function fetched(file) {
  const base64 = await page.evaluate(async (name) => {
    const root = await navigator.storage.getDirectory();
    const content = await (await root.getFileHandle(name)).getFile();
    return new Uint8Array(await content.arrayBuffer()).toBase64();
  }, file);
  return Buffer.from(base64, 'base64');
}

test('the hot journal of native SQLite is rolled back', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hot-'));
  const file = path.join(directory, 'hot.db');
  try {
    execFileSync(native, [file, "CREATE TABLE t(a); INSERT INTO t VALUES('committed')"]);
    // The pages are spilled to the file in the middle of the transaction, which the copy of both files ends.
    const spill = 'PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET a = \'half\';' +
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) INSERT INTO t SELECT hex(randomblob(500)) FROM n;\n' +
      `.shell cp ${file} ${file}.copy; cp ${file}-journal ${file}.copy-journal\n`;
    execFileSync(native, [file], { input: spill });
    const content = (name) => fs.readFileSync(`${file}.copy${name}`);
    assert.ok(content('').length > 100_000 && content('-journal').length > 512);
    for (const name of ['', '-journal']) await put(`hot.db${name}`, content(name));
    const found = await using('hot.db', async (db) => [await db.all('SELECT a FROM t'), await db.get('PRAGMA integrity_check')]);
    assert.deepEqual(found, [[{ a: 'committed' }], { integrity_check: 'ok' }]);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

test('the WAL of a worker that ended is replayed, here and by native SQLite', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'replayed-'));
  const other = await openPage(chromium.browser, `${server.url}/test.html`);
  try {
    await other.evaluate(async () => {
      const db = await open_('replayed.db');
      await db.exec('PRAGMA journal_mode = wal; CREATE TABLE t(a INTEGER)');
      for (let i = 1; i <= 100; i++) await db.run('INSERT INTO t VALUES(?)', i);
    });
    await other.close();
    for (const name of ['replayed.db', 'replayed.db-wal']) fs.writeFileSync(path.join(directory, name), await fetched(name));
    const sql = 'SELECT count(*), sum(a) FROM t; PRAGMA integrity_check';
    assert.equal(execFileSync(native, [path.join(directory, 'replayed.db'), sql], { encoding: 'utf8' }), '100|5050\nok\n');
    const found = await using('replayed.db', async (db) => {
      const before = await db.get('SELECT count(*) AS n FROM t');
      const [{ rows }] = await db.query('PRAGMA wal_checkpoint(TRUNCATE)');
      await db.run('INSERT INTO t VALUES(101)');
      return [before.n, rows[0], (await db.get('SELECT sum(a) AS s FROM t')).s];
    });
    assert.deepEqual(found, [100, [0, 0, 0], 5151]);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

// Only Chromium's protocol sets the quota of an origin.
if (!FIREFOX) for (const mode of ['delete', 'wal']) test(`a full quota is SQLITE_FULL, and nothing is lost, in mode ${mode}`, async () => {
  const name = `full-${mode}.db`;
  const session = await page.createCDPSession();
  const quota = (bytes) => session.send('Storage.overrideQuotaForOrigin', { origin: server.url, ...bytes });
  try {
    const setUp = await using(name, (db, wanted) => db.exec(`PRAGMA journal_mode = ${wanted}; CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000))`).then(() => 'ok'), mode);
    assert.equal(setUp, 'ok');
    const { usage } = await page.evaluate(() => navigator.storage.estimate());
    await quota({ quotaSize: usage + 2_000_000 });
    const [code, n, ok] = await using(name, async (db) => {
      let ended = null;
      for (let turn = 0; turn < 100 && !ended; turn++) {
        ended = await db.exec('INSERT INTO t VALUES(randomblob(100000))').then(() => null, (error) => error.code);
      }
      const { n: rows } = await db.get('SELECT count(*) AS n FROM t');
      return [ended, rows, (await db.get('PRAGMA integrity_check')).integrity_check];
    });
    assert.equal(code, 'SQLITE_FULL');
    assert.ok(n > 1);
    assert.equal(ok, 'ok');
    await quota({});
    const [again, more] = await using(name, async (db) => {
      const { n: rows } = await db.get('SELECT count(*) AS n FROM t');
      await db.exec('INSERT INTO t VALUES(zeroblob(3000000))');
      return [rows, (await db.get('SELECT count(*) AS n FROM t')).n];
    });
    assert.deepEqual([again, more], [n, n + 1]);
  } finally {
    await quota({});
  }
});
