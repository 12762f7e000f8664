'use strict';
// `node:sqlite` itself, of Node 26, against what is recorded of it.

const assert = require('node:assert');
const { test } = require('node:test');

const { recorded, runAll } = require('../node-sqlite/run.js');

test('the record is what node:sqlite does', async () => {
  assert.deepStrictEqual(await runAll(require('node:sqlite')), recorded());
});
