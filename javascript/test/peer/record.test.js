'use strict';
// better-sqlite3 itself, which takes minutes to build, against what is recorded of it.

const assert = require('node:assert');
const { test } = require('node:test');

const Database = require('better-sqlite3');

const { hashOf, recorded } = require('../compat/record.js');
const { runAll } = require('../compat/run.js');
const libraries = require('../libraries/record.js');

test('the record is what better-sqlite3 does', async () => {
  const expected = recorded();
  const theirs = await runAll(Database);
  const other = [...theirs].filter(([name, outcome]) => hashOf(outcome) !== expected.get(name));
  assert.deepStrictEqual(Object.fromEntries(other), {});
});

test('so is the record of the libraries', async () => {
  assert.deepStrictEqual(await libraries.runAll(Database), libraries.recorded());
});
