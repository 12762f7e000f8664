// A headless browser, Chromium or FIREFOX, and a file server for the tests of browsers. BROWSER_MODULES has what ../../browser/package.json lists.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../..');
const MODULES = process.env.BROWSER_MODULES ?? path.join(ROOT, 'target/browser/node_modules');
const require = createRequire(path.join(MODULES, 'x.js'));

/** A file of a package, which pages of tests are given. */
export const moduleFile = (name) => path.join(MODULES, name);

/** What `tooling/browser build` has made. */
export const SITE = process.env.SITE ?? path.join(ROOT, 'target/browser/site');
export const LONG = process.env.LONG === '1';

const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };

/** Serves a directory, and pages that a test gives: no COOP, no COEP unless `headers` has them. */
export async function serve(pages = {}, directory = SITE, headers = {}) {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const type = TYPES[path.extname(name)] ?? 'text/html; charset=utf-8';
    try {
      const body = Object.hasOwn(pages, name) ? pages[name] : fs.readFileSync(path.join(directory, name.endsWith('/') ? `${name}index.html` : name));
      response.writeHead(200, { 'content-type': type, ...headers }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, close: () => server.close() };
}

const executable = () => process.env.CHROMIUM ?? spawnSync('sh', ['-c', 'command -v chromium chromium-browser google-chrome | head -1'], { encoding: 'utf8' }).stdout.trim();

/** The path of Firefox, if the tests are for it. */
export const { FIREFOX } = process.env;

// Root has no sandbox in Chromium; the pages are ours.
const CHROMIUM_ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--window-size=1280,800'];

/** A browser with a profile of its own, or an old one. */
export async function launch({ profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-')) } = {}) {
  const { default: puppeteer } = await import(require.resolve('puppeteer-core').replace(/\/cjs\//, '/esm/'));
  const browser = await puppeteer.launch({
    ...(FIREFOX ? { browser: 'firefox', executablePath: FIREFOX } : { executablePath: executable(), args: CHROMIUM_ARGUMENTS }),
    userDataDir: profile,
    defaultViewport: { width: 1280, height: 800 },
  });
  // Firefox replies before it ends, and writes to its profile meanwhile.
  const ended = once(browser.process(), 'exit');
  const { close } = browser;
  browser.close = () => close.call(browser).then(() => ended);
  const remove = () => fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  return { browser, profile, remove };
}

/** A page whose scripts see the client as `open`. */
export const PAGE = `<!doctype html><meta charset="utf-8"><title>test</title><script type="module">
import { open } from '/browser/index.js';
window.open_ = open;
window.ready = true;
</script>`;

/** Files of a test's server: that page, and a worker as in a browser without JSPI. */
export const PAGES = {
  '/test.html': PAGE,
  '/no-jspi.js': 'delete WebAssembly.Suspending; delete WebAssembly.promising;',
  '/without.js': "import '/no-jspi.js'; import '/browser/worker.js';",
};

export async function openPage(browser, url) {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error('page:', error.message));
  await page.goto(url);
  // Not by frames, which a page in the background does not draw.
  await page.waitForFunction('window.ready === true', { polling: 50, timeout: 60_000 });
  return page;
}
