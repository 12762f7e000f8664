'use strict';
// The same cases on better-sqlite3 and on this package. What better-sqlite3 does is recorded; where it is
// installed with its native module, it is run too.

const assert = require('node:assert');
const { test } = require('node:test');

const differences = require('./compat/differences.js');
const { hashOf, recorded } = require('./compat/record.js');
const { runAll } = require('./compat/run.js');
const Database = require('../src/index.js');

/** better-sqlite3, if it can be used here. */
function peer() {
  try {
    const Peer = require('better-sqlite3');
    new Peer(':memory:').close();
    return Peer;
  } catch {
    return null;
  }
}

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

test('the record is what better-sqlite3 does', { skip: !peer() && 'better-sqlite3 has no native module here' }, async () => {
  const expected = recorded();
  const theirs = await runAll(peer());
  const other = [...theirs].filter(([name, outcome]) => hashOf(outcome) !== expected.get(name));
  assert.deepStrictEqual(Object.fromEntries(other), {});
});
