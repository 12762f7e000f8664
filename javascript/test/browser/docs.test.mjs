// The page of docs/browser.md as it is, beside the files of the package.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { launch, serve } from './support.mjs';

const DOCUMENT = path.join(import.meta.dirname, '../../../docs/browser.md');

test('the page of the document shows rows that survive a reload', async () => {
  const [, html] = /```html\n([\s\S]*?)```/.exec(fs.readFileSync(DOCUMENT, 'utf8'));
  assert.ok(html.trim().split('\n').length <= 16);
  const server = await serve({ '/page.html': html });
  const { browser, remove } = await launch();
  try {
    const page = await browser.newPage();
    for (const count of [1, 2]) {
      await page.goto(`${server.url}/page.html`);
      await page.waitForFunction(() => document.getElementById('rows').textContent !== '');
      const rows = JSON.parse(await page.$eval('#rows', (shown) => shown.textContent));
      assert.equal(rows.length, count);
      assert.ok(rows.every(({ hash, length }) => /^[0-9A-F]{64}$/.test(hash) && length === 2));
    }
  } finally {
    await browser.close();
    remove();
    server.close();
  }
});
