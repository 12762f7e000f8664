// A user of the page: what they do and see, in a browser and on a server of their own. SCREENSHOTS names a directory for
// pictures.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { launch, moduleFile } from './support.mjs';

const SERVER = process.env.SERVER ?? path.join(import.meta.dirname, '../../../target/release/sqlite-wasm-serve');

/** A server of one database, in a directory of its own. */
export async function startServer(directory, ...options) {
  const child = spawn(SERVER, [path.join(directory, 'shop.db'), '--http', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((found, failed) => {
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
      const line = /^listening at (http\S+)/m.exec(said);
      if (line) found(line[1]);
    });
    child.on('exit', (code) => failed(new Error(`the server has ended with ${code}: ${said}`)));
  });
  const ended = new Promise((done) => child.on('exit', done));
  return { url, close: () => (child.kill(), ended) };
}

/** What a user does on a page, and sees. */
class User {
  constructor(page, origin) {
    this.page = page;
    this.wrong = [];
    this.outside = [];
    page.on('pageerror', (error) => this.wrong.push(error.message));
    page.on('console', (message) => {
      // An icon that is not there is no error of the page.
      if (message.type() === 'error' && !/favicon/.test(message.location().url ?? '')) this.wrong.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(origin)) this.outside.push(request.url());
    });
  }

  text(selector) {
    return this.page.$eval(selector, (found) => found.innerText);
  }

  until(condition, ...args) {
    return this.page.waitForFunction(condition, { timeout: 30_000 }, ...args);
  }

  async click(label, within = 'body') {
    await this.until((text, place) => [...document.querySelectorAll(`${place} button`)].some((one) => one.textContent.trim() === text && !one.disabled), label, within);
    await this.page.evaluate((text, place) => [...document.querySelectorAll(`${place} button`)].find((one) => one.textContent.trim() === text).click(), label, within);
  }

  tab(name) {
    return this.click(name, '.tabs');
  }

  /** Types a text into the editor, replacing the old one. */
  async type(sql) {
    await this.page.waitForSelector('.editor');
    await this.page.evaluate(() => document.querySelector('.editor').shadowRoot.querySelector('.cm-content').focus());
    await this.press('Control', 'a');
    await this.page.keyboard.press('Backspace');
    // As a paste: brackets and completions are not added to it.
    await this.page.keyboard.sendCharacter(sql);
  }

  async press(modifier, key) {
    await this.page.keyboard.down(modifier);
    await this.page.keyboard.press(key);
    await this.page.keyboard.up(modifier);
  }

  /** Runs SQL in the editor. Returns the status, or the error. */
  async run(sql) {
    await this.tab('Query');
    await this.type(sql);
    await this.press('Control', 'Enter');
    await this.until(() => document.querySelector('.error').textContent || !['', '…'].includes(document.querySelector('.status').textContent));
    return (await this.text('.error')) || this.text('.status');
  }

  cells(selector = '.grid') {
    return this.page.$$eval(`${selector} .rows .row`, (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  }

  /** Opens a table in the list. */
  async open(name) {
    await this.click(name, '.tables');
    await this.shown(name);
  }

  /** Waits for the rows of a table: the status has their count before the grid has the size that decides how many it draws. */
  shown(name) {
    return this.until((text) => {
      const [, count] = /^([\d,]+) rows in /.exec(document.querySelector('.status')?.textContent ?? '') ?? [];
      const isOfTable = document.querySelector('.status')?.textContent.includes(`rows in ${text}`);
      const sight = document.querySelectorAll('.grid .rows .row').length;
      return isOfTable && !document.querySelector('.loading') && sight >= Math.min(2, Number(count.replaceAll(',', '')));
    }, name);
  }

  async drop(name, content) {
    await this.page.evaluate((file, text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], file));
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
    }, name, content);
  }

  /** What a screen reader or a weak eye has no access to, by axe, in light and dark. */
  async barriers() {
    const found = [];
    for (const scheme of ['dark', 'light']) {
      await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await this.page.evaluate(fs.readFileSync(moduleFile('axe-core/axe.min.js'), 'utf8'));
      found.push(...await this.page.evaluate(async (name) => {
        // Only colors differ.
        const { violations } = await axe.run(document, { resultTypes: ['violations'], ...(name === 'dark' ? { runOnly: ['color-contrast'] } : {}) });
        return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) => `${name}: ${id}: ${target.join(' ')}: ${any[0]?.message}`));
      }, scheme));
    }
    return found;
  }

  async picture(name) {
    const directory = process.env.SCREENSHOTS;
    if (directory) await this.page.screenshot({ path: path.join(directory, `${name}.png`) });
  }
}

/** Starts a server or a site, and a browser with a user of it. */
export async function session(start, use) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
  const server = await start(directory);
  const { browser, remove } = await launch();
  try {
    const user = new User(await browser.newPage(), new URL(server.url).origin);
    user.downloads = directory;
    await use(user, server, directory);
  } finally {
    await browser.close();
    remove();
    await server.close();
    fs.rmSync(directory, { recursive: true });
  }
}
