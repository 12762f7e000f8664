'use strict';
// Runs files of sqllogictest, which SQLite's documentation describes (sqlite.org/sqllogictest): statements, and queries
// with their results, in full or as a hash. By hand: `node runner.js FILE...`.

const crypto = require('node:crypto');
const fs = require('node:fs');

/** A value as the files have it, by the type of its column: integer, real, or text. */
function formatted(value, type) {
  if (value === null) return 'NULL';
  const text = Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
  if (type === 'I') return String(Math.trunc(typeof value === 'bigint' ? Number(value) : Number.parseFloat(text) || 0));
  if (type === 'R') return (Number.parseFloat(text) || 0).toFixed(3);
  return text === '' ? '(empty)' : text.replace(/[^ -~]/g, '@');
}

/** The values of rows in the order that a query asks for. */
function sorted(rows, order) {
  if (order === 'rowsort') return [...rows].sort((a, b) => (a.join('\0') < b.join('\0') ? -1 : 1)).flat();
  const values = rows.flat();
  return order === 'valuesort' ? values.sort() : values;
}

const hashed = (values) => crypto.createHash('md5').update(values.map((value) => `${value}\n`).join('')).digest('hex');

/** The lines that are expected: few values as they are, many as their hash. */
const summary = (values, threshold) =>
  threshold > 0 && values.length > threshold ? [`${values.length} values hashing to ${hashed(values)}`] : values;

/** The values of a query by the types of its columns; `rows` are arrays. */
const resultOf = (rows, types, order) => sorted(rows.map((row) => row.map((value, index) => formatted(value, types[index]))), order);

/** Whether the conditions in front of a record are those of SQLite. */
const applies = (conditions) => conditions.every(([kind, name]) => (kind === 'onlyif') === (name === 'sqlite'));

/** The records of a file. */
function* records(text) {
  for (const block of text.split(/\n[ \t\r]*\n+/)) {
    const lines = block.split('\n').map((line) => line.replace(/\r$/, '')).filter((line) => !line.startsWith('#'));
    const conditions = [];
    while (/^(?:skipif|onlyif) /.test(lines[0])) conditions.push(lines.shift().split(/\s+/));
    if (lines.length === 0 || lines[0].trim() === '' || !applies(conditions)) continue;
    const [kind, ...words] = lines[0].trim().split(/\s+/);
    const at = lines.indexOf('----');
    const sql = lines.slice(1, at < 0 ? undefined : at).join('\n');
    yield { kind, words, sql, expected: at < 0 ? [] : lines.slice(at + 1).filter((line) => line !== '') };
  }
}

/**
 * Runs the records of a file on a database.
 * @returns {{ count: number, failures: string[] }}
 */
function run(db, text) {
  const failures = [];
  let count = 0;
  let threshold = 0;
  for (const { kind, words, sql, expected } of records(text)) {
    if (kind === 'halt') break;
    if (kind === 'hash-threshold') {
      threshold = Number(words[0]);
      continue;
    }
    count++;
    try {
      if (kind === 'statement') {
        db.exec(sql);
        if (words[0] === 'error') failures.push(`${sql}: no error`);
      } else if (kind === 'query') {
        const rows = db.prepare(sql).raw().safeIntegers().all();
        const found = summary(resultOf(rows, words[0], words[1]), threshold);
        if (found.join('\n') !== expected.join('\n')) failures.push(`${sql}: ${found} instead of ${expected}`);
      } else {
        failures.push(`an unknown record: ${kind}`);
      }
    } catch (error) {
      if (words[0] !== 'error') failures.push(`${sql}: ${error.message}`);
    }
  }
  return { count, failures };
}

module.exports = { resultOf, run, summary };

if (require.main === module) {
  const Database = require('../../src/index.js');
  for (const file of process.argv.slice(2)) {
    const { count, failures } = run(new Database(':memory:'), fs.readFileSync(file, 'utf8'));
    console.log(`${file}: ${count} records, ${failures.length} failures`, ...failures.slice(0, 3));
    if (failures.length > 0) process.exitCode = 1;
  }
}
