'use strict';
// The same cases on better-sqlite3 and on this package. What better-sqlite3 does is recorded; `peer/record.test.js`
// compares the record with it.

const assert = require('node:assert');
const { test } = require('node:test');

const differences = require('./compat/differences.js');
const { hashOf, recorded } = require('./compat/record.js');
const { runAll } = require('./compat/run.js');
const Database = require('../src/index.js');

const isListed = (name) => differences.some(({ cases }) => cases.test(name));

test('all cases have the outcome of better-sqlite3, but for the listed ones', async () => {
  const expected = recorded();
  const ours = await runAll(Database);
  assert.ok(ours.size >= 400);
  assert.deepStrictEqual([...expected.keys()], [...ours.keys()], 'run test/compat/record.js');
  const other = [...ours].filter(([name, outcome]) => hashOf(outcome) !== expected.get(name));
  const unlisted = other.filter(([name]) => !isListed(name));
  assert.deepStrictEqual(Object.fromEntries(unlisted), {});
  for (const { cases } of differences) {
    assert.ok(other.some(([name]) => cases.test(name)), `${cases} is listed and does not differ`);
  }
});
