// Several tabs: one owner, hand-over, and kills of workers, tabs and the browser in the middle of commits.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { FIREFOX, LONG, PAGE, launch, openPage, serve } from './support.mjs';

const KILLS = Number(process.env.BROWSER_KILLS ?? (LONG ? 100 : 9));

let server;

before(async () => {
  server = await serve({ '/test.html': PAGE });
});

after(() => server.close());

const tab = async (browser, options = {}) => {
  const page = await openPage(browser, `${server.url}/test.html`);
  await page.evaluate(async (given) => { window.db = await open_('tabs.db', given); }, options);
  return page;
};
const get = (page, sql) => page.evaluate((text) => db.query(text).then((results) => results.at(-1).rows, ({ code, message }) => `${code}: ${message}`), sql);

test('one tab owns the database, and the next one follows', async () => {
  const { browser, remove } = await launch();
  try {
    const [first, second, third] = [await tab(browser), await tab(browser), await tab(browser)];
    const owners = async (...pages) => Promise.all(pages.map((page) => page.evaluate(() => db.isOwner())));
    assert.deepEqual(await owners(first, second, third), [true, false, false]);
    await get(second, 'CREATE TABLE t(a)');
    await Promise.all([first, second, third].map((page) =>
      page.evaluate(async () => { for (let i = 0; i < 50; i++) await db.run('INSERT INTO t VALUES(?)', i); })));
    assert.deepEqual(await get(third, 'SELECT count(*) FROM t'), [[150]]);
    assert.equal(await get(second, 'SELECT nope'), 'SQLITE_ERROR: no such column: nope');

    // While one tab is in a transaction the others wait, and see none of it.
    await get(second, 'BEGIN; INSERT INTO t VALUES(1000)');
    const waiting = get(third, 'SELECT count(*) FROM t');
    assert.equal(await Promise.race([waiting, new Promise((done) => setTimeout(done, 300, 'waits'))]), 'waits');
    await second.close();
    assert.deepEqual(await waiting, [[150]]);

    await first.close();
    await third.waitForFunction(() => db.isOwner(), { polling: 50 });
    assert.deepEqual(await get(third, 'INSERT INTO t VALUES(1); SELECT count(*) FROM t'), [[151]]);
    const fourth = await tab(browser);
    await third.evaluate(() => db.close());
    assert.deepEqual(await get(fourth, 'SELECT count(*) FROM t'), [[151]]);
    assert.deepEqual(await owners(fourth), [true]);
  } finally {
    await browser.close();
    remove();
  }
});

test('a transaction whose owner closes is reported once, and what waits for its turn is run by the next owner', async () => {
  const { browser, remove } = await launch();
  try {
    const [first, second, third] = [await tab(browser), await tab(browser), await tab(browser)];
    await get(first, 'CREATE TABLE t(a)');
    await third.evaluate(async () => {
      await db.loadExtension(new Uint8Array(await (await fetch('/extensions/sha3.wasm')).arrayBuffer()));
    });
    await get(second, 'BEGIN; INSERT INTO t VALUES(1)');
    const waiting = Promise.all(Array.from({ length: 20 }, (_, index) => get(third, `INSERT INTO t VALUES(${index + 100}); SELECT 1`)));
    await new Promise((done) => setTimeout(done, 200));
    await first.evaluate(() => db.close());
    assert.deepEqual(new Set((await waiting).flat(2)), new Set([1]));
    assert.match(await get(second, 'INSERT INTO t VALUES(2)'), /^SQLITE_SANDBOX_OWNER_LOST: .* was rolled back$/);
    assert.deepEqual(await get(second, 'SELECT count(*), min(a) FROM t'), [[20, 100]]);
    assert.deepEqual(await get(third, "SELECT hex(sha3_224('')) <> ''"), [[1]]);
    await get(second, 'BEGIN; INSERT INTO t VALUES(3)');
    assert.equal(await get(second, 'COMMIT; SELECT count(*) FROM t').then(([[count]]) => count), 21);
  } finally {
    await browser.close();
    remove();
  }
});

/** Runs the shell in the page. Returns its exit code, or why it has none, and what it prints. */
const shell = async (name, sql) => {
  const worker = new Worker('/browser/shell.js', { type: 'module' });
  const chunks = [];
  const { code, message } = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => (data.kind === 'output' ? chunks.push(data.bytes) : resolve(data));
    worker.postMessage({ kind: 'start', arguments: [name], input: new TextEncoder().encode(sql) });
  });
  worker.terminate();
  return [code ?? message, await new Blob(chunks).text()];
};

// The shell needs JSPI, which this Firefox may lack.
if (!FIREFOX) test('the shell opens no other database where a tab has it', async () => {
  const { browser, remove } = await launch();
  try {
    const page = await tab(browser);
    await get(page, 'CREATE TABLE t(a); INSERT INTO t VALUES(7)');
    const run = (sql) => page.evaluate(shell, 'tabs.db', sql);
    const [, said] = await run('CREATE TABLE lost(a);\n');
    assert.match(said, /^\/tabs\.db: another tab or program of this origin has the database open$/m);
    assert.match(said, /unable to open database/);
    await page.evaluate(() => db.close());
    assert.deepEqual(await run('SELECT a FROM t;\n'), [0, '7\n']);
  } finally {
    await browser.close();
    remove();
  }
});

/** Commits pairs of rows in two tables, and reports each to `committed`. */
const commits = async (start) => {
  for (let i = start; ; i++) {
    await db.exec(`BEGIN; INSERT INTO a VALUES(${i}, randomblob(3000)); INSERT INTO b VALUES(${i}, randomblob(3000)); COMMIT`);
    await committed(i);
  }
};

test(`${KILLS} kills of worker, tab and browser in the middle of commits lose nothing and leave nothing half`, async () => {
  let chromium = await launch();
  let last = 0;
  const { profile } = chromium;
  const checked = async (page) => {
    const [[a, b, most, ok]] = await get(page,
      'SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT max(i) FROM a), (SELECT * FROM pragma_integrity_check)');
    assert.equal(ok, 'ok');
    assert.equal(a, b);
    assert.ok((most ?? 0) >= last, `row ${last} was committed, and the last one is ${most}`);
    return (most ?? 0) + 1;
  };
  try {
    let page = await tab(chromium.browser);
    await get(page, 'CREATE TABLE a(i INTEGER PRIMARY KEY, x); CREATE TABLE b(i INTEGER PRIMARY KEY, x)');
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill === Math.floor(KILLS / 2)) await get(page, 'PRAGMA journal_mode = wal');
      const start = await checked(page);
      await page.exposeFunction('committed', (i) => { last = Math.max(last, i); });
      const running = page.evaluate(`(${commits})(${start})`).catch(() => {});
      const seen = last;
      while (last < seen + 3) await new Promise((done) => setTimeout(done, 5));
      await new Promise((done) => setTimeout(done, Math.random() * 20));
      if (kill % 3 === 0) {
        // The worker ends with its page, which another replaces.
        await page.goto('about:blank');
        await page.close();
      } else if (kill % 3 === 1) {
        const other = await tab(chromium.browser);
        await page.close();
        await other.waitForFunction(() => db.isOwner(), { polling: 50 });
        await other.evaluate(() => db.close());
        await other.close();
      } else {
        chromium.browser.process().kill('SIGKILL');
        await new Promise((done) => setTimeout(done, 200));
        chromium = await launch({ profile });
      }
      await running;
      page = await tab(chromium.browser);
    }
    await checked(page);
  } finally {
    await chromium.browser.close();
    chromium.remove();
  }
});
