// Import of CSV and JSON into a table, and export of a result as either.

import { quoted } from './sql.mjs';
import { whole } from './values.mjs';

/** SQLite's limit for parameters of a statement is 32766. */
const MAX_PARAMETERS = 5000;
const MAX_COLUMNS = 2000;

/** The records of RFC 4180; the separator is the one of the first line. */
export function parseCsv(text) {
  const source = text.replace(/^\ufeff/, '');
  const head = /^[^\n"]*/.exec(source)[0];
  const separator = [',', ';', '\t'].reduce((best, one) => (head.split(one).length > head.split(best).length ? one : best));
  const records = [];
  let record = [];
  let position = 0;
  const field = () => {
    if (source[position] !== '"') {
      const start = position;
      while (position < source.length && source[position] !== separator && source[position] !== '\n') position++;
      return source.slice(start, position).replace(/\r$/, '');
    }
    let value = '';
    for (;;) {
      const end = source.indexOf('"', position + 1);
      if (end < 0) {
        value += source.slice(position + 1);
        position = source.length;
        return value;
      }
      value += source.slice(position + 1, end);
      position = end + 1;
      if (source[position] !== '"') break;
      value += '"';
    }
    while (position < source.length && source[position] !== separator && source[position] !== '\n') position++;
    return value;
  };
  while (position < source.length) {
    record.push(field());
    if (source[position] === separator) {
      position++;
      if (position === source.length) record.push('');
      else continue;
    }
    records.push(record);
    record = [];
    position++;
  }
  return records;
}

const isNumeric = (text) => /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) && !/^[+-]?0\d/.test(text);

/** The narrowest type of a column's texts. */
function typeOf(texts) {
  const some = texts.filter((text) => text !== '' && text !== null && text !== undefined);
  if (some.length === 0 || !some.every((value) => typeof value === 'number' || isNumeric(String(value)))) return 'TEXT';
  return some.every((value) => /^[+-]?\d+$/.test(String(value))) ? 'INTEGER' : 'REAL';
}

/** Columns and rows of a file. */
export function parseFile(name, text) {
  if (/\.csv$|\.tsv$/i.test(name)) {
    const [head = [], ...records] = parseCsv(text);
    return { names: head, rows: records.map((record) => head.map((_, index) => (record[index] === undefined || record[index] === '' ? null : record[index]))) };
  }
  const parsed = JSON.parse(text);
  const objects = Array.isArray(parsed) ? parsed : [parsed];
  if (!objects.every((object) => object !== null && typeof object === 'object' && !Array.isArray(object))) throw new Error(`${name}: an array of objects is expected`);
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const plain = (value) => (typeof value === 'boolean' ? Number(value) : value !== null && typeof value === 'object' ? JSON.stringify(value) : value);
  return { names, rows: objects.map((object) => names.map((key) => plain(Object.hasOwn(object, key) ? object[key] : null))) };
}

/** Names of columns that are there and differ. */
function distinct(names) {
  const seen = new Set();
  return names.map((name, index) => {
    const wanted = name.trim() || `column${index + 1}`;
    let unique = wanted;
    for (let count = index + 1; seen.has(unique.toLowerCase()); count++) unique = `${wanted}_${count}`;
    seen.add(unique.toLowerCase());
    return unique;
  });
}

/** Creates a table for the rows of a file: all of them, or none. Returns the table's name and how many rows it has. */
export async function importRows(source, name, { names, rows }, taken) {
  if (names.length === 0 || names.length > MAX_COLUMNS) throw new Error(`${name}: it has ${names.length} columns`);
  let table = name.replace(/\.[^.]*$/, '') || 'imported';
  while (taken.has(table.toLowerCase())) table += '_';
  const columns = distinct(names).map((column, index) => `${quoted(column)} ${typeOf(rows.map((row) => row[index]))}`);
  await source.query(`CREATE TABLE ${quoted(table)}(${columns.join(', ')})`);
  const atOnce = Math.max(1, Math.floor(MAX_PARAMETERS / names.length));
  const one = `(${names.map(() => '?').join(', ')})`;
  try {
    for (let start = 0; start < rows.length; start += atOnce) {
      const part = rows.slice(start, start + atOnce);
      await source.query(`INSERT INTO ${quoted(table)} VALUES ${part.map(() => one).join(', ')}`, part.flat());
    }
  } catch (error) {
    await source.query(`DROP TABLE ${quoted(table)}`).catch(() => {});
    throw error;
  }
  return { table, count: rows.length };
}

const csvField = (value) => {
  const text = whole(value);
  return /[",\r\n]/.test(text) || (text === '' && value !== null) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = ({ columns, rows }) =>
  [columns.map(({ name }) => csvField(name)), ...rows.map((row) => row.map(csvField))].map((record) => `${record.join(',')}\r\n`).join('');

/** Integers that JSON's readers would round are texts, and so are blobs. */
const jsonValue = (value) => (typeof value === 'bigint' || value instanceof Uint8Array ? whole(value) : value);

export const toJson = ({ columns, rows }) =>
  `${JSON.stringify(rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, jsonValue(row[index])]))), null, 1)}\n`;
