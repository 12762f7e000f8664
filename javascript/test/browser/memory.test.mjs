// The memory of a tab that scrolls through a table of a million rows: what its process has for itself alone.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';

import { LONG, serve } from './support.mjs';
import { session, startServer } from './user.mjs';

const ROWS = LONG ? 1_000_000 : 100_000;
const POSITIONS = LONG ? 300 : 40;
const MAX_MEGABYTES = 150;

/** The private memory of the largest process that renders pages. */
async function megabytes(browser) {
  const { processInfo } = await (await browser.target().createCDPSession()).send('SystemInfo.getProcessInfo');
  const privateOf = ({ id }) => {
    const lines = [...fs.readFileSync(`/proc/${id}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)];
    return lines.reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1024;
  };
  return Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(privateOf));
}

async function scrolled({ user, url }) {
  const { page } = user;
  await page.goto(url);
  await page.waitForSelector('.tabs');
  const part = 50_000;
  await user.run('CREATE TABLE big(id INTEGER PRIMARY KEY, name TEXT, value REAL, note TEXT)');
  for (let start = 0; start < ROWS; start += part) {
    const insert = `INSERT INTO big SELECT ${start} + i, 'name ' || i, i * 1.5, 'some text of a row, number ' || i FROM n`;
    assert.match(await user.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${part}) ${insert}`), /rows changed/);
  }
  await page.reload();
  await user.open('big');
  let most = 0;
  for (let step = 1; step <= POSITIONS; step++) {
    await page.$eval('.grid', (grid, position) => { grid.scrollTop = grid.scrollHeight * position; }, ((step * 37) % 100) / 100);
    await new Promise((done) => setTimeout(done, 30));
    if (step % 20 === 0) {
      await user.until(() => !document.querySelector('.loading'));
      most = Math.max(most, await megabytes(page.browser()));
    }
  }
  return most;
}

for (const [name, start] of [['a server', startServer], ['the playground', () => serve()]]) {
  test(`the page of ${name} scrolls ${ROWS} rows in at most ${MAX_MEGABYTES} MB`, (context) => session(start, async (user, { url }) => {
    const most = await scrolled({ user, url: url.includes('#') ? url : `${url}/` });
    context.diagnostic(`${most.toFixed(0)} MB`);
    assert.ok(most > 20 && most <= MAX_MEGABYTES, `${most} MB`);
  }));
}
