// The scripts of cli-smokes through SQLite's shell in a worker of the page: what it prints, and its exit code.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { LONG, launch, serve } from './support.mjs';

const SMOKES = path.join(import.meta.dirname, '../../../cli-smokes');
const DIRECTORY = '/dir';

/** What a page does not have. */
const EXCLUDED = {
  archive: 'directories',
  'archive-command-line': 'directories',
  'databases-cd': 'directories',
  'export-once': 'directories',
  'ext-ann_read': 'grants',
  'ext-csv': 'grants',
  'ext-load': 'options of the native program',
  'file-functions': 'permissions and directories',
  'journal-modes': 'WAL without PRAGMA locking_mode = EXCLUSIVE',
  open: 'directories',
  'temp-spill': 'directories',
};

/** Words with quotes, as in a shell of POSIX. */
const words = (text) => [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double?.replace(/\\(.)/g, '$1') ?? single ?? plain);

/** The arguments with the database that is appended. */
const argumentsOf = (text) => {
  const given = words(text);
  return given.length === 0 || given.at(-1).startsWith('-') ? [...given, 'test.db'] : given;
};

function parse(name) {
  const script = fs.readFileSync(path.join(SMOKES, `${name}.sql`), 'utf8');
  const head = [];
  for (const line of script.split('\n')) {
    if (!line.startsWith('--')) break;
    head.push(line.slice(2).trim());
  }
  const directive = (key) => head.filter((line) => line.startsWith(`${key}:`)).map((line) => line.slice(key.length + 1));
  return { script, before: directive('before').map(argumentsOf), args: argumentsOf(directive('args')[0] ?? '') };
}

/** In the page: runs shells one after the other in the same directory. */
async function perform(runs, directory) {
  let files = {};
  const performed = [];
  for (const { args, input } of runs) {
    const worker = new Worker('/browser/shell.js', { type: 'module' });
    const chunks = { output: [], errors: [] };
    const ended = await new Promise((resolve) => {
      worker.onmessage = ({ data }) => {
        if (data.kind === 'output') chunks[data.isError ? 'errors' : 'output'].push(data.bytes);
        else resolve(data);
      };
      worker.onerror = (event) => resolve({ message: event.message });
      worker.postMessage({ kind: 'start', arguments: args, files, directory, isPersistent: false, input: new TextEncoder().encode(input) });
    });
    worker.terminate();
    const text = (parts) => new Blob(parts).text();
    files = ended.files ?? files;
    const errors = (await text(chunks.errors)) + (ended.message ? `ended: ${ended.message}\n` : '');
    performed.push({ output: await text(chunks.output), errors, code: ended.code ?? 1 });
  }
  return performed;
}

const transcript = (performed) => {
  let text = '';
  const mark = (line) => { text += text === '' || text.endsWith('\n') ? line : `\n${line}`; };
  for (const { output, errors, code } of performed) {
    text += output;
    if (errors) mark(`-- stderr --\n${errors}`);
    if (code !== 0) mark(`-- exit ${code} --\n`);
  }
  return text.replaceAll(`${DIRECTORY}/`, '$DIR/').replaceAll(DIRECTORY, '$DIR');
};

let server;
let chromium;
let page;

before(async () => {
  server = await serve({ '/test.html': '<!doctype html><title>test</title>' });
  chromium = await launch();
  page = await chromium.browser.newPage();
  await page.goto(`${server.url}/test.html`);
});

after(async () => {
  await chromium.browser.close();
  chromium.remove();
  server.close();
});

const names = fs.readdirSync(SMOKES).filter((file) => file.endsWith('.sql')).map((file) => path.basename(file, '.sql'));

test('each exclusion names a script', () => {
  assert.deepEqual(Object.keys(EXCLUDED).filter((name) => !names.includes(name)), []);
});

/** Of the scripts in the order of their names each third one, or with `LONG=1` all: a shell takes more than a second here. */
const STEP = LONG ? 1 : 3;

for (const name of names.filter((one, index) => !Object.hasOwn(EXCLUDED, one) && index % STEP === 0)) {
  test(name, async () => {
    const { script, before: first, args } = parse(name);
    const runs = [...first.map((given) => ({ args: given, input: '' })), { args, input: script }];
    const expected = fs.readFileSync(path.join(SMOKES, `${name}.expected`), 'utf8');
    assert.equal(transcript(await page.evaluate(perform, runs, DIRECTORY)), expected);
  });
}
