// This package beside wa-sqlite and the official package in the same browser, each of them with those of its VFSs for
// OPFS that are fastest: medians of runs in turn.
//
//   node bench/browser/run.mjs MODULES   with the peers in MODULES
//
// ROUNDS is how often each runs, COMMITS how many commits. TMPDIR=/dev/shm takes the disk out, where flushes cost most.

import fs from 'node:fs';
import path from 'node:path';

import { SITE, launch, serve } from '../../test/browser/support.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const COMMITS = Number(process.env.COMMITS ?? 1000);
const ENGINES = [
  { name: 'ours', script: 'ours' },
  ...['AccessHandlePoolVFS', 'OPFSCoopSyncVFS'].map((vfs) => ({ name: `wa-sqlite ${vfs}`, script: 'wa', vfs })),
  // Its log is its own, below a SQLite that believes in a rollback journal.
  { name: 'wa-sqlite OPFSWriteAheadVFS', script: 'wa', vfs: 'OPFSWriteAheadVFS', logs: true },
  { name: 'official opfs-sahpool', script: 'official', vfs: 'opfs-sahpool' },
  // It waits for another worker in each call, and needs minutes for all commits.
  { name: 'official opfs', script: 'official', vfs: 'opfs', most: 20 },
];
const JOURNALS = ['delete', 'wal'];
/** Of shared memory, which the VFS `opfs` needs. */
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const modules = path.resolve(process.argv[2]);

/** All files of the peers, and the workers. */
function pages() {
  const found = { '/bench.html': '<!doctype html><title>bench</title>' };
  for (const file of fs.readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const name = path.join(file.parentPath ?? file.path, file.name);
    found[`/peers/${path.relative(modules, name)}`] = fs.readFileSync(name);
  }
  for (const name of ['workload', ...ENGINES.map(({ script }) => script)]) {
    found[`/bench/${name}.js`] = fs.readFileSync(path.join(import.meta.dirname, `${name}.js`));
  }
  return found;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** One run, on the files of a profile that is new. */
async function measure(url, { script, vfs, most = COMMITS }, journal) {
  const { browser, remove } = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/bench.html`);
    return await page.evaluate((name, options) => new Promise((resolve) => {
      const worker = new Worker(`/bench/${name}.js`, { type: 'module' });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => resolve({ error: message ?? 'the worker did not load' });
      worker.postMessage(options);
    }), script, { vfs, journal, commits: Math.min(most, COMMITS) });
  } finally {
    await browser.close();
    remove();
  }
}

/** The runs of one journal mode: all engines in each round. */
async function rounds(url, journal) {
  const engines = ENGINES.filter(({ logs }) => !logs || journal === 'wal');
  const runs = new Map(engines.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const engine of engines) {
      const run = await measure(url, engine, engine.logs ? 'delete' : journal);
      if (run.error && engine.name === 'ours') throw new Error(run.error);
      runs.get(engine.name).push(run);
    }
  }
  return runs;
}

function report(journal, runs) {
  const times = (name, kind) => runs.get(name).filter(({ error }) => !error).map((run) => run[kind]);
  console.log(`PRAGMA page_size = 4096; cache_size = -2000; journal_mode = ${journal}; locking_mode = exclusive; synchronous = full`);
  const best = { commits: Infinity, reads: Infinity };
  for (const name of runs.keys()) {
    const done = runs.get(name).filter(({ error }) => !error);
    if (done.length < ROUNDS) {
      console.log(`  ${name}: ${runs.get(name).find(({ error }) => error).error}`);
      continue;
    }
    const [commits, reads] = ['commits', 'reads'].map((kind) => median(times(name, kind)));
    console.log(`  ${name}: 1,000 commits ${commits.toFixed(0)} ms with ${done[0].flushed.toFixed(2)} flushes each, 20,000 point reads ${reads.toFixed(0)} ms (mode ${done[0].mode})`);
    if (name !== 'ours') {
      best.commits = Math.min(best.commits, commits);
      best.reads = Math.min(best.reads, reads);
    }
  }
  const ratio = (kind) => (median(times('ours', kind)) / best[kind]).toFixed(2);
  console.log(`  ours by the best: commits ${ratio('commits')}, reads ${ratio('reads')}`);
}

const server = await serve(pages(), SITE, ISOLATED);
try {
  for (const journal of JOURNALS) report(journal, await rounds(server.url, journal));
} finally {
  server.close();
}
