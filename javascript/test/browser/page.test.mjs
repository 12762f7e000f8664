// One session on both forms of the page, the server's and the playground's: the same steps, by mouse and keyboard. Hostile
// text is in names, values and errors.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { serve } from './support.mjs';
import { session, startServer } from './user.mjs';

const HOSTILE = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const TABLE = `page "${HOSTILE}`;
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
const DOWNLOAD_TIME = 10_000;

async function editingCells(user) {
  await user.page.focus('.grid');
  await user.page.keyboard.press('ArrowRight');
  await user.page.keyboard.press('ArrowRight');
  await user.page.keyboard.press('Enter');
  await user.page.keyboard.press('Backspace');
  await user.page.keyboard.type('7.25');
  await user.page.keyboard.press('Enter');
  await user.until(() => document.querySelector('.grid .rows .row').children[2].textContent === '7.25');
  await user.click('New row');
  await user.until(() => document.querySelector('.status').textContent.startsWith('3 rows'));
  await user.page.focus('.grid');
  await user.press('Control', 'End');
  user.page.once('dialog', (dialog) => dialog.accept());
  await user.click('Delete row');
  await user.until(() => document.querySelector('.status').textContent.startsWith('2 rows'));
}

/** A text of several lines stays what it is, and a view that cannot be read takes no columns from others. */
async function unusualTables(user) {
  await user.run("CREATE TABLE lines(a, n); INSERT INTO lines VALUES('one' || char(10) || 'two' || char(13), 5); CREATE TABLE gone(a); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone");
  await user.open('lines');
  const text = () => user.page.$eval('.grid .rows .row', (row) => row.firstChild.textContent);
  const edit = async () => {
    await user.page.focus('.grid');
    await user.page.keyboard.press('Home');
    await user.page.keyboard.press('Enter');
    await user.page.waitForSelector('.grid textarea');
  };
  await edit();
  await user.page.keyboard.press('Enter');
  await user.until(() => !document.querySelector('.grid textarea'));
  assert.equal(await text(), 'one\ntwo\r');
  await edit();
  await user.page.keyboard.press('End');
  await user.press('Shift', 'Enter');
  await user.page.keyboard.type('three');
  await user.page.keyboard.press('Enter');
  await user.until(() => /three/.test(document.querySelector('.grid .rows .row').firstChild.textContent));
  assert.match(await text(), /^one\ntwo\n+three$/);
  await user.page.focus('.grid');
  await user.page.keyboard.press('End');
  await user.page.keyboard.press('Enter');
  await user.page.keyboard.type('6');
  await user.page.keyboard.press('Enter');
  await user.until(() => document.querySelector('.grid .rows .row').children[1].textContent === '6');
  await user.run("SELECT typeof(n), 'of a column without a type' FROM lines");
  assert.equal((await user.cells('.result .grid'))[0][0], 'integer');
  await user.run('DROP VIEW broken; DROP TABLE lines');
}

/** What is scrolled past is not loaded, and its elements are used again; a click into a field leaves it open. */
async function scrolling(user) {
  await user.run('CREATE TABLE big(a INTEGER PRIMARY KEY, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) INSERT INTO big SELECT i, hex(i) FROM n');
  await user.open('big');
  await user.until(() => document.querySelector('.grid').scrollHeight > 1_000_000);
  await user.page.$eval('.grid', (grid) => { window.rowsBefore = new Set(grid.querySelectorAll('.rows .row')); });
  for (let step = 1; step <= 60; step++) {
    await user.page.$eval('.grid', (grid, part) => { grid.scrollTop = grid.scrollHeight * part; }, step / 60);
    await new Promise((done) => setTimeout(done, 10));
  }
  await user.until(() => !document.querySelector('.loading') && [...document.querySelectorAll('.grid .rows .row')].at(-1).firstChild.textContent === '100000');
  assert.deepEqual(await user.page.$$eval('.grid .rows .row', (rows) => [rows.length > 5, rows.every((row) => window.rowsBefore.has(row))]), [true, true]);
  const cell = await user.page.evaluateHandle(() => [...document.querySelectorAll('.grid .rows .row')].at(-2).lastChild);
  await cell.click({ count: 2 });
  await user.page.waitForSelector('.grid input:focus');
  await (await user.page.$('.grid .rows input')).click();
  await user.page.keyboard.type('!');
  await user.page.keyboard.press('Enter');
  await user.until(() => /!/.test([...document.querySelectorAll('.grid .rows .row')].at(-2).textContent));
  await user.run('DROP TABLE big');
}

/** A statement without an end is stopped by the keyboard, or by the button. */
async function stopping(user, name) {
  const { page } = user;
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
  await user.run('CREATE TABLE kept(a); INSERT INTO kept VALUES(1)');
  for (const stop of [() => user.press('Alt', '0'), async () => { await page.focus('.running button'); await page.keyboard.press('Enter'); }]) {
    await user.type(`INSERT INTO kept ${endless}`);
    await page.keyboard.press('Escape');
    await user.press('Control', 'Enter');
    await user.until(() => /Alt\+0 stops it/.test(document.querySelector('.running [role=status]').textContent));
    assert.deepEqual(await user.barriers(), []);
    await user.picture(`${name}-stop`);
    await stop();
    await user.until(() => /^the statement was stopped/.test(document.querySelector('.error[role=alert]').textContent));
    await user.until(() => document.querySelector('.running button').hidden);
    assert.ok(await page.evaluate(() => document.activeElement.classList.contains('editor')), 'the focus is lost');
  }
  assert.match(await user.run('SELECT a FROM kept'), /^1 rows/);
  await user.run('DROP TABLE kept');
}

async function sortingAndFilters(user) {
  const first = () => user.page.$eval('.grid .rows .row', (row) => row.firstChild.textContent);
  assert.equal(await first(), '2');
  await user.page.click('.head .cell:first-child button');
  await user.page.waitForSelector('[aria-sort=ascending]');
  await user.page.click('.head .cell:first-child button');
  await user.page.waitForSelector('[aria-sort=descending]');
  await user.until(() => document.querySelector('.grid .rows .row')?.firstChild.textContent === '9007199254740993');
  await user.page.type('.filters .cell:first-child input', '<= 5');
  await user.page.keyboard.press('Enter');
  await user.until(() => document.querySelector('.status').textContent.startsWith('1 rows'));
  assert.equal(await first(), '2');
}

async function imports(user) {
  await user.drop('people.csv', `name;age\n"A;""n"", ${HOSTILE.replaceAll('"', '""')}";31\nBo;\n`);
  await user.until(() => document.querySelector('.status').textContent.includes('2 rows are in people'));
  await user.drop('things.json', '[{"a": 1, "b": [true]}, {"a": null, "c": "x"}]');
  await user.until(() => document.querySelector('.status').textContent.includes('2 rows are in things'));
  await user.open('people');
  assert.deepEqual(await user.cells(), [[`A;"n", ${HOSTILE}`, '31'], ['Bo', 'NULL']]);
  await user.drop('x.csv', '');
  await user.until(() => /x\.csv: it has 0 columns/.test(document.querySelector('.error').textContent));
}

async function exports_(user, directory) {
  const session = await user.page.createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: directory });
  const file = async (label, name) => {
    await user.click(label, '.content');
    const end = Date.now() + DOWNLOAD_TIME;
    while (!fs.existsSync(path.join(directory, name))) {
      assert.ok(Date.now() < end, `${name} was not written`);
      await new Promise((done) => setTimeout(done, 50));
    }
    return fs.readFileSync(path.join(directory, name), 'utf8');
  };
  assert.equal(await file('CSV', 'people.csv'), `name,age\r\n"A;""n"", ${HOSTILE.replaceAll('"', '""')}",31\r\nBo,\r\n`);
  assert.deepEqual(JSON.parse(await file('JSON', 'people.json'))[1], { name: 'Bo', age: null });
}

/** The session. */
async function tried(user, url, name) {
  const { page } = user;
  await page.goto(url);
  await page.waitForSelector('.tabs');
  assert.ok(!page.url().includes('token'), 'the token stays in the address');

  assert.match(await user.run(`CREATE TABLE ${quoted(TABLE)}(id INTEGER PRIMARY KEY, ${quoted(HOSTILE)}, b REAL)`), /0 rows changed/);
  assert.match(await user.run(`INSERT INTO ${quoted(TABLE)} VALUES (2, NULL, 1.5), (9007199254740993, '${HOSTILE}', x'00ff00')`), /2 rows changed/);
  await user.open(TABLE);
  const [, second] = await user.cells();
  assert.deepEqual(second, ['9007199254740993', HOSTILE, 'blob, 3 bytes']);
  assert.deepEqual(await user.barriers(), []);
  await user.picture(`${name}-hostile`);
  await editingCells(user);
  await sortingAndFilters(user);
  await unusualTables(user);
  await scrolling(user);
  await stopping(user, name);

  assert.match(await user.run(`CREATE INDEX by_b ON ${quoted(TABLE)}(b); CREATE TRIGGER trig AFTER INSERT ON ${quoted(TABLE)} BEGIN SELECT 1; SELECT 2; END; SELECT 1`), /1 rows/);
  await user.click(TABLE, '.tables');
  await user.tab('Structure');
  await page.waitForSelector('.structure table');
  for (const part of ['INTEGER', 'by_b', 'trig', 'primary 1', HOSTILE]) assert.ok((await user.text('.structure')).includes(part), part);
  assert.deepEqual(await user.barriers(), []);

  const failed = await user.run(`SELECT 'é';\nSELECT nope, '${HOSTILE}' FROM sqlite_schema`);
  assert.match(failed, /no such column: nope/);
  const marked = await page.evaluate(() => document.querySelector('.editor').shadowRoot.querySelector('.error-mark')?.textContent);
  assert.equal(marked, 'nope');
  assert.match(await user.run(`SELECT * FROM ${quoted(HOSTILE)}`), /no such table: <img/);

  await user.tab('Query');
  await user.type(`SELECT * FROM ${quoted(TABLE)} WHERE id = 1 OR b IN (SELECT b FROM ${quoted(TABLE)})`);
  await user.click('Plan');
  await page.waitForSelector('.plan li');
  assert.match(await user.text('.plan'), /SEARCH|SCAN/);
  await page.keyboard.press('Escape');
  assert.deepEqual(await user.barriers(), []);
  await user.type(`CREATE TRIGGER t AFTER INSERT ON ${quoted(TABLE)} BEGIN SELECT begin FROM x; END; DELETE FROM ${quoted(TABLE)}`);
  await user.click('Plan');
  await user.until(() => document.querySelector('.status').textContent === 'Plan' || document.querySelector('.error').textContent);
  // Nothing of what has a plan was run.
  assert.match(await user.run(`SELECT id FROM ${quoted(TABLE)}`), /^2 rows/);
  await user.picture(`${name}-plan`);

  assert.match(await user.run('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i, i * i % 97 AS y FROM n; SELECT 2'), /^500 rows; 1 rows/);
  assert.equal(await page.$$eval('.result', (all) => all.length), 2);
  await user.click('Chart', '.result');
  await page.waitForSelector('.plot canvas');
  assert.deepEqual(await user.barriers(), []);
  await user.picture(`${name}-chart`);

  await user.type('SELECT i FROM peop');
  const link = await page.evaluate(() => document.querySelector('select[aria-label=history]').options.length);
  assert.ok(link > 4);
  await imports(user);
  await exports_(user, user.downloads);

  // Names are completed.
  await user.tab('Query');
  await user.type('');
  await page.keyboard.type('SELECT * FROM peo', { delay: 20 });
  await user.until(() => /people/.test(document.querySelector('.editor').shadowRoot.querySelector('.cm-tooltip-autocomplete')?.textContent ?? ''));
  await page.keyboard.press('Escape');

  // A link fills the editor, and runs nothing.
  await user.type('DELETE FROM people');
  await user.click('Copy link');
  await user.until(() => location.hash.startsWith('#sql=DELETE'));
  await page.reload();
  await user.until(() => /came with the link/.test(document.querySelector('.status')?.textContent ?? ''));
  await user.open('people');
  assert.equal((await user.cells()).length, 2);

  // By the keyboard alone.
  await page.focus('.tabs button');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Structure');
  await user.press('Alt', '4');
  await page.waitForSelector('.structure h2');
  assert.deepEqual(await user.barriers(), []);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await user.tab('Data');
  await page.waitForSelector('.grid');
  await user.picture(`${name}-dark`);

  assert.equal(await page.evaluate(() => window.attacked), undefined);
  assert.equal(await page.$$eval('img, .cell script, nav script', (all) => all.length), 0);
  assert.deepEqual(user.wrong, []);
  assert.deepEqual(user.outside, []);
}

test('the page of a server', () => session(startServer, async (user, { url }) => {
  await tried(user, url, 'server');
  // Without the token the page asks for it.
  await user.page.evaluate(() => sessionStorage.clear());
  await user.page.goto(url.split('#')[0]);
  await user.page.waitForSelector('#login');
  await user.page.type('#token', url.split('#token=')[1]);
  await user.page.keyboard.press('Enter');
  await user.page.waitForSelector('.tabs');
}));

test('the page shows what another client commits', async () => {
  await session(startServer, async (user, { url }) => {
    const [, base, token] = /^(http:\S+?)#token=(\S+)$/.exec(url);
    const run = async (sql) => {
      const body = JSON.stringify({ requests: [{ type: 'execute', stmt: { sql } }, { type: 'close' }] });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const reply = await (await fetch(`${base}v3/pipeline`, { method: 'POST', headers, body })).json();
      assert.equal(reply.results[0].type, 'ok', JSON.stringify(reply));
    };
    await run('CREATE TABLE seen(id INTEGER PRIMARY KEY, name)');
    await run("INSERT INTO seen VALUES (1, 'one'), (2, 'two')");
    await user.page.goto(url);
    await user.open('seen');
    await run("INSERT INTO seen VALUES (3, 'three')");
    await user.until(() => document.querySelector('.status').textContent.startsWith('3 rows in seen'));
    assert.deepEqual((await user.cells())[2], ['3', 'three']);
    await run("UPDATE seen SET name = 'new' WHERE id = 1");
    await user.until(() => document.querySelector('.grid .rows .row').children[1].textContent === 'new');
    await run('CREATE TABLE later(a)');
    await user.until(() => [...document.querySelectorAll('.tables button')].some((one) => one.textContent === 'later'));
  });
});

test('the page of a server that only reads', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'read-'));
  const first = await startServer(directory);
  const send = (stmt) => ({ type: 'execute', stmt: { sql: stmt } });
  const headers = { authorization: `Bearer ${first.url.split('#token=')[1]}`, 'content-type': 'application/json' };
  const requests = ['CREATE TABLE t(a, b)', "INSERT INTO t VALUES(1, 'x')"].map(send);
  const reply = await fetch(`${new URL(first.url).origin}/v3/pipeline`, { method: 'POST', headers, body: JSON.stringify({ baton: null, requests: [...requests, { type: 'close' }] }) });
  assert.equal(reply.status, 200);
  await first.close();
  await session(() => startServer(directory, '--read-only'), async (user, { url }) => {
    await user.page.goto(url);
    await user.shown('t, read-only');
    assert.deepEqual(await user.cells(), [['1', 'x']]);
    const labels = await user.page.$$eval('.bar button', (all) => all.map((one) => one.textContent));
    assert.deepEqual(labels, ['CSV', 'JSON']);
    assert.match(await user.run('DELETE FROM t'), /attempt to write/);
    assert.match(await user.run('SELECT count(*) FROM t'), /^1 rows/);
  });
  fs.rmSync(directory, { recursive: true });
});

test('the playground', () => session(() => serve(), async (user, { url }) => {
  await tried(user, `${url}/`, 'playground');
  await user.tab('Extensions');
  await user.click('sha3', '.content');
  await user.until(() => document.querySelector('.status').textContent === '' && [...document.querySelectorAll('.content button')].some((one) => one.textContent === 'sha3 ✓'));
  assert.match(await user.run("SELECT hex(sha3('abc'))"), /^1 rows/);
  await user.tab('Shell');
  await user.until(() => /sqlite>/.test(document.querySelector('.xterm-accessibility-tree, .xterm-rows')?.textContent ?? ''));
  await user.page.keyboard.type('.mode list\rINSERT INTO people VALUES(\'shell\', 40 + 2);\r.load uuid\rSELECT count(*), length(uuid4()) FROM people;\r');
  await user.until(() => /3\|36/.test(document.querySelector('.terminal').textContent));
  // A line of two rows, which is changed at its beginning, is not repeated.
  await user.page.keyboard.type(`.print ${'long '.repeat(40)}end`);
  await user.page.keyboard.press('Home');
  await user.page.keyboard.press('ArrowRight');
  await user.page.keyboard.type('pp');
  await user.page.keyboard.press('Backspace');
  await user.page.keyboard.press('Delete');
  await user.page.keyboard.press('Enter');
  await user.until(() => /end *sqlite> $/.test(document.querySelector('.terminal .xterm-accessibility-tree').innerText.replaceAll(/[\n\u00a0]/g, ' ').trimEnd() + ' '));
  const screen = (await user.text('.terminal .xterm-accessibility-tree')).replaceAll(/[\n\u00a0]/g, '');
  assert.equal(screen.split('.print').length, 2, screen);
  assert.equal(screen.split('long end').length, 3, screen);
  await user.page.keyboard.type('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;\r');
  await new Promise((done) => setTimeout(done, 1000));
  await user.press('Control', 'c');
  await user.until(() => /interrupted[^]*sqlite> *$/.test(document.querySelector('.terminal .xterm-accessibility-tree').textContent.trimEnd() + ' '));
  assert.deepEqual(await user.barriers(), []);
  await user.picture('playground-shell');
  await user.tab('Data');
  await user.click('people', '.tables');
  await user.until(() => document.querySelectorAll('.grid .rows .row').length === 3);
  assert.deepEqual(user.outside, []);
}));
