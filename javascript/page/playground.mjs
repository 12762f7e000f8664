// The playground: the page on the engine in a worker, and SQLite's own shell on the same files.

import { App } from './app.mjs';
import { button, element } from './dom.mjs';
import { EngineSource } from './engine-source.mjs';
import { ShellView } from './shell-view.mjs';

const MEMORY = ':memory:';
const DEFAULT = 'playground.db';
const LAST = 'database';
/** Milliseconds after which the page says why it shows nothing. */
const PATIENCE = 1000;

/** The databases in the root of OPFS. */
async function databases() {
  const names = [];
  const root = await navigator.storage.getDirectory();
  for await (const [name, handle] of root.entries()) if (handle.kind === 'file' && !/-(journal|wal|super)$/.test(name)) names.push(name);
  return names.sort();
}

/** A field to choose the database, or to name a new one. */
async function chooser(current) {
  const names = new Set([...(await databases()), DEFAULT, current]);
  names.delete(MEMORY);
  const select = element('select', { attributes: { 'aria-label': 'database' } },
    ...[...names, MEMORY].map((name) => element('option', { value: name, textContent: name === MEMORY ? 'in memory' : name, selected: name === current })),
    element('option', { value: '', textContent: 'new …' }));
  select.addEventListener('change', () => {
    const name = select.value || prompt('Name of the database', 'new.db');
    if (!name) select.value = current;
    else {
      localStorage.setItem(LAST, name);
      location.reload();
    }
  });
  return select;
}

async function importInto(app) {
  const input = element('input', { type: 'file', multiple: true });
  input.addEventListener('change', () => app.importFiles([...input.files]));
  input.click();
}

async function main() {
  const { open } = await import(new URL('browser/index.js', document.baseURI).href);
  const name = localStorage.getItem(LAST) ?? DEFAULT;
  const source = new EngineSource(open, name);
  const root = document.getElementById('app');
  const shell = new ShellView(source);
  const choose = await chooser(name);
  let app = null;
  const importing = button('Import …', () => importInto(app));
  app = new App(root, source, { extra: [choose, importing], views: { Shell: shell } });
  const waiting = setTimeout(() => app.report('waiting for another tab, whose shell has the database open'), PATIENCE);
  try {
    await source.start();
    clearTimeout(waiting);
    await app.start();
  } catch (error) {
    clearTimeout(waiting);
    app.report('', error);
  }
  // Then the page opens without its file server too.
  navigator.serviceWorker?.register('offline.js').catch(() => {});
}

main();
