// This package beside wa-sqlite and the official package in the same browser: the median of neighbouring runs.
//
//   node bench/browser/run.mjs MODULES   with the peers in MODULES

import fs from 'node:fs';
import path from 'node:path';

import { SITE, launch, serve } from '../../test/browser/support.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ENGINES = ['ours', 'wa', 'official'];
const modules = path.resolve(process.argv[2]);

/** All files of the peers, and the workers. */
function pages() {
  const found = { '/bench.html': '<!doctype html><title>bench</title>' };
  for (const file of fs.readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const name = path.join(file.parentPath ?? file.path, file.name);
    found[`/peers/${path.relative(modules, name)}`] = fs.readFileSync(name);
  }
  for (const name of ['workload', ...ENGINES]) found[`/bench/${name}.js`] = fs.readFileSync(path.join(import.meta.dirname, `${name}.js`));
  return found;
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

const server = await serve(pages(), SITE);
const all = Object.fromEntries(ENGINES.map((name) => [name, { commits: [], reads: [] }]));
for (let round = 0; round < ROUNDS; round++) {
  for (const name of ENGINES) {
    // Files of a profile that is new.
    const { browser, remove } = await launch();
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/bench.html`);
      const measured = await page.evaluate((engine) => new Promise((resolve, reject) => {
        const worker = new Worker(`/bench/${engine}.js`, { type: 'module' });
        worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data));
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(null);
      }), name);
      all[name].commits.push(measured.commits);
      all[name].reads.push(measured.reads);
    } finally {
      await browser.close();
      remove();
    }
  }
}
server.close();
const shown = (name, kind) => median(all[name][kind]);
for (const kind of ['commits', 'reads']) {
  const best = Math.min(...ENGINES.slice(1).map((name) => shown(name, kind)));
  const times = ENGINES.map((name) => `${name} ${shown(name, kind).toFixed(0)} ms`).join(', ');
  console.log(`${kind}: ${times}; ours by the best ${(shown('ours', kind) / best).toFixed(2)}`);
}
