// Parts of the page that need no browser: how a text is divided into statements, and what files become.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSchema } from '../../page/schema.mjs';
import { statements } from '../../page/sql.mjs';
import { importRows, parseCsv, parseFile } from '../../page/transfer.mjs';

const texts = (sql) => statements(sql).map((statement) => statement.sql);

test('statements end at semicolons outside of texts, names and comments', () => {
  assert.deepEqual(texts(" SELECT ';' ; ; SELECT \";\" -- ;\n, [;], `;` /* ; */;SELECT 3 "), ["SELECT ';' ", 'SELECT ";" -- ;\n, [;], `;` /* ; */', 'SELECT 3 ']);
});

test('the statement of a trigger ends with `; END`, and nothing else does', () => {
  const trigger = 'CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT CASE a WHEN 1 THEN 2 END; SELECT "end"; END';
  assert.deepEqual(texts(`${trigger}; DELETE FROM t`), [trigger, 'DELETE FROM t']);
  assert.deepEqual(texts(`EXPLAIN QUERY PLAN ${trigger}; DELETE FROM t`), [`EXPLAIN QUERY PLAN ${trigger}`, 'DELETE FROM t']);
  // What a plan is asked for is one statement; a second one would run. BEGIN and TRIGGER can be names.
  for (const first of ['CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT begin FROM x; END', 'CREATE TABLE trigger(a)', 'CREATE TABLE t(trigger, begin)', 'CREATE INDEX trigger ON t(a)']) {
    assert.deepEqual(texts(`${first}; DELETE FROM t`), [first, 'DELETE FROM t']);
  }
});

/** What a source is asked to run, and fails to from the n-th query on. */
function recorder(failing = Infinity) {
  const queries = [];
  const query = async (sql, params = []) => {
    queries.push({ sql, params });
    if (queries.length >= failing && !sql.startsWith('DROP')) throw new Error('full');
    return [{ rows: [] }];
  };
  return { query, queries };
}

test('hostile files become tables with distinct columns and plain values', async () => {
  const { names, rows } = parseFile('x.json', '[{"__proto__": 1, "constructor": null, "a": {"b": [true]}}, {"toString": "x"}, {"a": true}]');
  assert.deepEqual(names, ['__proto__', 'constructor', 'a', 'toString']);
  assert.deepEqual(rows, [[1, null, '{"b":[true]}', null], [null, null, null, 'x'], [null, null, 1, null]]);
  for (const text of ['[1]', '[[1]]', '[null]', '3', 'null']) assert.throws(() => parseFile('x.json', text), /an array of objects/);
  const source = recorder();
  const head = Array.from({ length: 2000 }, () => 'A"\'').map((name) => `"${name.replaceAll('"', '""')}"`).join();
  const { table } = await importRows(source, 'a"); DROP TABLE t; --.csv', parseFile('x.csv', `${head}\n1\n`), new Set());
  assert.equal(table, 'a"); DROP TABLE t; --');
  assert.ok(source.queries[0].sql.startsWith('CREATE TABLE "a""); DROP TABLE t; --"("A""\'" INTEGER, "A""\'_2" TEXT, '));
  assert.equal(new Set(source.queries[0].sql.split(', ')).size, 2000);
  await assert.rejects(importRows(source, 'x.csv', parseFile('x.csv', `${head},b\n`), new Set()), /2001 columns/);
});

test('CSV with quotes that do not end, separators and ends of all kinds', () => {
  assert.deepEqual(parseCsv('a;b\r\n"x;""\r\ny";2\n\n'), [['a', 'b'], ['x;"\r\ny', '2'], ['']]);
  assert.deepEqual(parseCsv('\ufeffa,b,\n"1'), [['a', 'b', ''], ['1']]);
  assert.deepEqual(parseCsv('a\tb\n"1"x\t\0'), [['a', 'b'], ['1', '\0']]);
  assert.deepEqual(parseCsv(''), []);
});

test('a file of which a part cannot be imported leaves no table', async () => {
  const source = recorder(3);
  const rows = Array.from({ length: 6000 }, (_, index) => [index]);
  await assert.rejects(importRows(source, 'x.csv', { names: ['a'], rows }, new Set()), /full/);
  assert.equal(source.queries.at(-1).sql, 'DROP TABLE "x"');
});

test('one view that cannot be read leaves the columns of all others', async () => {
  const objects = [['table', 't', 't', 'CREATE TABLE t(a)'], ['view', 'v', 'v', 'CREATE VIEW v AS SELECT * FROM missing']];
  const query = async (sql, [name] = []) => {
    if (!sql.includes('pragma_table_xinfo')) return [{ rows: sql.includes('pragma_table_list') ? [] : objects }];
    if (sql.includes('AND true') || name === 'v') throw new Error('no such table: main.missing');
    return [{ rows: [['t', 'a', 'INT', 0, null, 0, 0]] }];
  };
  const { tables } = await readSchema({ query });
  assert.deepEqual(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]), [['t', ['a']], ['v', []]]);
});
