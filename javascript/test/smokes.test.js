'use strict';
// The scripts of `cli-smokes` that are SQL, through the package: what they print is what the shells print.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const Database = require('../src/index.js');
const { Shell } = require('./smokes/shell.js');
const { ROOT, directory } = require('./support.js');

const SMOKES = path.join(ROOT, 'cli-smokes');

/** What the shell has beside SQL, and these scripts use. */
const OTHERS = {
  collations: 'the collation uint',
  comments: 'comments as commands, and words in quotes for .print',
  'ext-sha3': 'its own sha3()',
  'file-functions': 'writefile() and others',
  math: 'decimal_add()',
  'syntax-caret': 'parameters without a value, and a line below the error',
  'temp-spill': 'sha3_query()',
};

const KNOWN = /^\.(?:print|nullvalue|separator|headers|load)\b|^\.mode list$/;

const scripts = fs.readdirSync(SMOKES).filter((name) => name.endsWith('.sql')).map((name) => name.slice(0, -4));
const textOf = (name) => fs.readFileSync(path.join(SMOKES, `${name}.sql`), 'utf8');

function isSql(name) {
  const script = textOf(name);
  const commands = script.split('\n').filter((line) => line.startsWith('.'));
  const hasArguments = /^-- (?:before|args): (?!:memory:$|test\.db$)/m.test(script);
  return commands.every((line) => KNOWN.test(line)) && !hasArguments && !Object.hasOwn(OTHERS, name);
}

/** The messages of what a shell prints as errors. */
const messages = (text) =>
  [...text.matchAll(/^(?:Parse error|Runtime error|Error)(?: near line \d+)?: (.*?)(?: \(\d+\))?$/gm)].map(([, message]) => message);

const chosen = scripts.filter(isSql);

test('most of them are SQL', () => {
  assert.ok(chosen.length >= 30, `${chosen.length}`);
  for (const name of Object.keys(OTHERS)) assert.ok(scripts.includes(name), name);
});

for (const name of chosen) {
  test(name, (t) => {
    const script = textOf(name);
    const root = directory(t);
    const db = new Database(/^-- args: :memory:$/m.test(script) ? ':memory:' : path.join(root, 'test.db'), { directories: [root] });
    // As the shell is: it has this extension in itself, and no foreign keys.
    db.pragma('foreign_keys = OFF');
    if (!/^\.load series$/m.test(script)) db.loadExtension('series');
    const shell = new Shell(db);
    shell.run(script);
    const expected = fs.readFileSync(path.join(SMOKES, `${name}.expected`), 'utf8').replace(/-- exit \d+ --\n$/, '');
    const [output, errors = ''] = expected.split('-- stderr --\n');
    assert.strictEqual(shell.output, output);
    assert.deepStrictEqual(shell.errors, messages(errors));
    db.close();
  });
}
