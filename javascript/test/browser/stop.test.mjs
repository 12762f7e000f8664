// Statements that the user stops: with JSPI, by which a worker reads messages meanwhile, and without, where it ends.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { FIREFOX, PAGES, launch, openPage, serve } from './support.mjs';

/** Without an end. */
const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ';

let server;
let chromium;

before(async () => {
  server = await serve(PAGES);
  chromium = await launch();
});

after(async () => {
  await chromium.browser.close();
  chromium.remove();
  server.close();
});

/** A page with `db`, and what is left of a query that is stopped after some milliseconds. */
async function opened(name, options = {}) {
  const page = await openPage(chromium.browser, `${server.url}/test.html`);
  await page.evaluate(async (file, given) => {
    window.db = await open_(file, given);
    window.rows = (sql) => db.query(sql).then((results) => results.at(-1).rows);
    window.stopped = async (sql, milliseconds) => {
      const end = new AbortController();
      setTimeout(() => end.abort(), milliseconds);
      const began = performance.now();
      const error = await db.query(sql, [], { signal: end.signal }).then(() => 'it has ended', ({ code, message }) => `${code}: ${message}`);
      return [error, performance.now() - began - milliseconds];
    };
  }, name, options);
  return page;
}

const HAS_JSPI = !FIREFOX;

if (HAS_JSPI) test('a statement is stopped, and what it has changed is undone', async () => {
  for (const name of ['stop.db', ':memory:']) {
    const page = await opened(name);
    const [results, rows] = await page.evaluate(async (endless) => {
      await db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1)');
      return [[
        await stopped(`${endless} SELECT count(*) FROM n`, 300),
        await stopped(`${endless} INSERT INTO t SELECT i FROM n`, 300),
        await stopped(`BEGIN; INSERT INTO t VALUES(2); ${endless} SELECT count(*) FROM n`, 300),
        // Still in that transaction.
        await stopped(`${endless} INSERT INTO t SELECT i FROM n`, 300),
        await stopped('SELECT 1', 0),
        await stopped(`INSERT INTO t VALUES(5); ${endless} SELECT count(*) FROM n`, 300),
      ], await rows('SELECT a FROM t')];
    }, ENDLESS);
    assert.deepEqual(results.map(([error]) => error), [
      'SQLITE_INTERRUPT: the statement was stopped, and has changed nothing',
      'SQLITE_INTERRUPT: the statement was stopped, and has changed nothing',
      'SQLITE_INTERRUPT: the statement was stopped; the transaction is still open',
      'SQLITE_INTERRUPT: the statement was stopped; the transaction was rolled back',
      'it has ended',
      'SQLITE_INTERRUPT: the statement was stopped, and has changed nothing',
    ]);
    assert.deepEqual(rows, [[1], [5]]);
    for (const [, late] of results) assert.ok(late < 5000, `stopped after ${late} ms`);
    await page.close();
  }
});

if (HAS_JSPI) test('a statement that waits is not begun, and others go on', async () => {
  const [first, second] = [await opened('turns.db'), await opened('turns.db')];
  const endless = first.evaluate((sql) => stopped(sql, 2500), `${ENDLESS} SELECT count(*) FROM n`);
  await new Promise((done) => setTimeout(done, 200));
  const others = second.evaluate(async () => Promise.all([stopped('CREATE TABLE never(a)', 500), rows('SELECT count(*) FROM sqlite_schema')]));
  assert.match((await endless)[0], /changed nothing$/);
  const [[error], rows] = await others;
  assert.equal(error, 'SQLITE_INTERRUPT: the statement was stopped before it began');
  assert.deepEqual(rows, [[0]]);
  // The statement of a tab that does not own the database.
  assert.equal(await second.evaluate(() => db.isOwner()), false);
  assert.match((await second.evaluate((sql) => stopped(sql, 300), `${ENDLESS} SELECT count(*) FROM n`))[0], /changed nothing$/);
  await first.close();
  await second.close();
});

test('without JSPI the worker ends, and another one has what was committed', async () => {
  const page = await opened('ends.db', { worker: '/without.js' });
  const [[error], [again], rows] = await page.evaluate(async (endless) => {
    await db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1)');
    await db.loadExtension(new Uint8Array(await (await fetch('/extensions/sha3.wasm')).arrayBuffer()));
    const first = await stopped(`BEGIN; INSERT INTO t VALUES(2); ${endless} INSERT INTO t SELECT i FROM n`, 300);
    await rows('SELECT 1');
    return [first, await stopped(`${endless} SELECT count(*) FROM n`, 300), await rows("SELECT a, hex(sha3('abc')) LIKE '3A985DA7%', (SELECT * FROM pragma_integrity_check) FROM t")];
  }, ENDLESS);
  for (const one of [error, again]) assert.equal(one, 'SQLITE_INTERRUPT: the statement was stopped with its worker; what was not committed is rolled back');
  assert.deepEqual(rows, [[1, 1, 'ok']]);
  await page.close();
});
