'use strict';
// Drizzle, Knex and Kysely with their drivers for better-sqlite3. What they do there is recorded; `peer/record.test.js`
// compares the record with it.

const assert = require('node:assert');
const { test } = require('node:test');

const { LIBRARIES, recorded, runAll } = require('./libraries/record.js');
const Database = require('../src/index.js');

test('libraries do what they do on better-sqlite3', async () => {
  const ours = await runAll(Database);
  for (const name of LIBRARIES) {
    assert.ok(ours[name].length >= 15, name);
    assert.deepStrictEqual(ours[name], recorded()[name], name);
  }
});
