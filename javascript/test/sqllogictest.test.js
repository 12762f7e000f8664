'use strict';
// Generated files of sqllogictest, with the results of the native shell.

const assert = require('node:assert');
const { test } = require('node:test');

const Database = require('../src/index.js');
const { generate } = require('./sqllogictest/generate.js');
const { run } = require('./sqllogictest/runner.js');
const { NATIVE } = require('./support.js');

const FILES = Number(process.env.FILES ?? 4);
const QUERIES = 250;

test(`${FILES} files have the results of the native shell`, () => {
  for (let seed = 1; seed <= FILES; seed++) {
    const text = generate(NATIVE, seed, QUERIES);
    const { count, failures } = run(new Database(':memory:'), text);
    assert.ok(count > QUERIES);
    assert.deepStrictEqual(failures, []);
  }
});

test('the runner finds wrong results, missing errors and errors', () => {
  const text = [
    'statement ok\nCREATE TABLE t(a)',
    'statement error\nINSERT INTO t VALUES(1)',
    'statement ok\nINSERT INTO none VALUES(1)',
    'query I nosort\nSELECT a FROM t\n----\n2',
    'query R nosort\nSELECT 1\n----\n1.000',
    'skipif sqlite\nstatement ok\nx',
  ].join('\n\n');
  const { count, failures } = run(new Database(':memory:'), text);
  assert.strictEqual(count, 5);
  assert.deepStrictEqual(failures, ['INSERT INTO t VALUES(1): no error', 'INSERT INTO none VALUES(1): no such table: none', 'SELECT a FROM t: 1 instead of 2']);
});
