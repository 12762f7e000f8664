'use strict';
// What the package contains, and what is generated.

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const { generate } = require('../scripts/opcodes.js');
const { sections } = require('../src/wasm/binary.js');
const { FUNCTIONS, OTHERS, RESUMES } = require('../src/extensions/contract.js');
const t = require('../src/extensions/types.js');
const { BUILT, ROOT, directory } = require('./support.js');

const PACKAGE = path.join(__dirname, '..');
const read = (name) => fs.readFileSync(path.join(ROOT, name), 'utf8');

test('the engine has the bytes of the module in the component, without its custom sections', () => {
  const engine = fs.readFileSync(path.join(PACKAGE, 'engine/engine.wasm'));
  const component = fs.readFileSync(path.join(BUILT, 'database.wasm'));
  assert.ok(engine.length > 1 << 20);
  let behind = component.indexOf(engine.subarray(0, 200));
  assert.ok(behind > 0);
  for (const { header, end } of sections(engine, 0, engine.length)) {
    const found = component.indexOf(engine.subarray(header, end), behind);
    assert.ok(found > 0);
    behind = found + end - header;
  }
});

test('the extensions are those that are built', () => {
  for (const name of fs.readdirSync(path.join(BUILT, 'extensions')).filter((file) => file.endsWith('.wasm'))) {
    const built = fs.readFileSync(path.join(BUILT, 'extensions', name));
    assert.ok(fs.readFileSync(path.join(PACKAGE, 'extensions', name)).equals(built), name);
  }
});

test('the opcodes are generated from the tables', () => {
  assert.strictEqual(fs.readFileSync(path.join(PACKAGE, 'src/opcodes.js'), 'utf8'), generate());
});

test('every function of dispatch is implemented, with as many parameters', () => {
  const wit = read('wit/host/dispatch.wit').replace(/\/\/\/.*$/gm, '');
  const known = { ...FUNCTIONS, ...OTHERS };
  const found = [...wit.matchAll(/^ {2}([a-z-]+): func\(([^;]*?)\)\s*(?:->|;)/gm)];
  assert.ok(found.length > 35);
  const special = ['load', 'attach', 'disconnect', 'connect', 'statistics', 'embedded', 'inline-call', 'inline-pending-result'];
  for (const [, name, parameters] of found) {
    if (special.includes(name)) continue;
    if (name.startsWith('resume-')) {
      assert.ok(name in RESUMES, name);
      continue;
    }
    assert.ok(name in known, name);
    const count = parameters.split(/,\s*(?=[a-z%-]+:)/).length - 1;
    assert.strictEqual(known[name].params.length, count, name);
  }
});

test('types are laid out as the canonical ABI has them', () => {
  const sizes = { manifest: [60, 4], value: [16, 8], output: [24, 8], batch: [52, 4], indexPlan: [48, 8], request: [36, 4], connected: [16, 4] };
  for (const [name, [size, align]] of Object.entries(sizes)) {
    assert.deepStrictEqual([t[name].size, t[name].align], [size, align], name);
  }
});

test('the examples of the documentation run', (t) => {
  const blocks = [...read('docs/javascript.md').matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
  assert.strictEqual(blocks.length, 4);
  const outputs = blocks.map((code) => {
    const file = path.join(directory(t), 'example.js');
    const names = { "'sqlite-sandbox'": PACKAGE, "'sqlite-sandbox/node-sqlite'": path.join(PACKAGE, 'src/node-sqlite.js') };
    fs.writeFileSync(file, code.replace(/'sqlite-sandbox.*?'/g, (name) => JSON.stringify(names[name])));
    return execFileSync(process.execPath, [file], { cwd: path.dirname(file), encoding: 'utf8' });
  });
  assert.match(outputs[0], /\{ total: 16\.5 \}\n\{\s+hash: '3A985DA7/);
  assert.strictEqual(outputs[1], 'true statementTime SQLITE_INTERRUPT\n');
  assert.strictEqual(outputs[2], '{ answer: 42 }\n');
  assert.strictEqual(outputs[3], 'tea\n');
});

test('no file has more than 400 lines', () => {
  const files = fs.readdirSync(PACKAGE, { recursive: true }).filter((name) => /\.(m?js|ts|c)$/.test(name));
  const long = files
    .filter((name) => !name.startsWith('node_modules'))
    .filter((name) => fs.readFileSync(path.join(PACKAGE, name), 'utf8').split('\n').length > 401);
  assert.deepStrictEqual(long, []);
});
