'use strict';
// Rows in the forms that a program can choose: objects, one value, objects by table, arrays.

const { readValue } = require('../wire/values.js');

const MODE = Object.freeze({ FLAT: 0, PLUCK: 1, EXPAND: 2, RAW: 3 });

/** The table of columns that belong to none. */
const NO_TABLE = '$';

/** Sets an own property, also where the name is `__proto__`, which comes from SQL. */
function setOwn(object, name, value) {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
}

/** Reads the values of a row. */
function readRaw(reader, width, safeIntegers) {
  const row = new Array(width);
  for (let index = 0; index < width; index++) row[index] = readValue(reader, safeIntegers);
  return row;
}

function readFlat(reader, names, safeIntegers) {
  const row = {};
  for (let index = 0; index < names.length; index++) setOwn(row, names[index], readValue(reader, safeIntegers));
  return row;
}

/** An object from values. Columns with the same name leave the last one. */
function flat(values, names) {
  const row = {};
  names.forEach((name, index) => setOwn(row, name, values[index]));
  return row;
}

/** An object of objects, one for each table. */
function expanded(values, names, tables) {
  const row = {};
  names.forEach((name, index) => {
    const table = tables[index] ?? NO_TABLE;
    if (!Object.hasOwn(row, table)) setOwn(row, table, {});
    setOwn(row[table], name, values[index]);
  });
  return row;
}

/** A row in the form of `mode` from its values. */
function formed(mode, values, names, tables) {
  switch (mode) {
    case MODE.PLUCK:
      return values[0];
    case MODE.EXPAND:
      return expanded(values, names, tables);
    case MODE.RAW:
      return values;
    default:
      return flat(values, names);
  }
}

/** Reads `count` rows straight into objects, arrays or values. */
function readRows(reader, count, width, mode, names, safeIntegers, rows) {
  for (let index = 0; index < count; index++) {
    if (mode === MODE.FLAT) {
      rows.push(readFlat(reader, names, safeIntegers));
    } else if (mode === MODE.PLUCK && width === 1) {
      rows.push(readValue(reader, safeIntegers));
    } else {
      const values = readRaw(reader, width, safeIntegers);
      rows.push(mode === MODE.RAW ? values : values[0]);
    }
  }
}

module.exports = { MODE, formed, readRaw, readRows };
