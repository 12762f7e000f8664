// The playground by the file server that the document names, and without it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';

import { FIREFOX, SITE } from './support.mjs';
import { session } from './user.mjs';

/** `python3 -m http.server` on the playground. */
async function startFileServer() {
  const child = spawn('python3', ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '--directory', SITE], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((done) => child.on('exit', done));
  const port = await new Promise((found, failed) => {
    child.stdout.on('data', (data) => {
      const line = /port (\d+)/.exec(data);
      if (line) found(line[1]);
    });
    child.on('error', failed);
    child.on('exit', (code) => failed(new Error(`the file server has ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}`, close: () => (child.kill(), ended) };
}

if (!FIREFOX) test('the playground opens after its file server has ended, with extensions and the shell', () => session(startFileServer, async (user, server) => {
  const { page } = user;
  const opened = () => user.until(() => document.querySelector('.tabs button[aria-selected=true]'));
  await page.goto(`${server.url}/`);
  await opened();
  assert.match(await user.run('CREATE TABLE kept(a); INSERT INTO kept VALUES(1), (2)'), /2 rows changed/);
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await server.close();
  await page.reload();
  await opened();
  await user.open('kept');
  assert.deepEqual(await user.cells(), [['1'], ['2']]);
  await user.tab('Extensions');
  await user.click('sha3', '.content');
  await user.until(() => [...document.querySelectorAll('.content button')].some((one) => one.textContent === 'sha3 ✓'));
  assert.match(await user.run("SELECT hex(sha3('abc'))"), /^1 rows/);
  await user.tab('Shell');
  await user.until(() => /sqlite>/.test(document.querySelector('.terminal')?.textContent ?? ''));
  await page.keyboard.type('.load uuid\rSELECT count(*), length(uuid4()) FROM kept;\r');
  await user.until(() => /2\|36/.test(document.querySelector('.terminal').textContent));
  assert.deepEqual(user.outside, []);
}));
