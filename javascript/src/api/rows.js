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

/** Reads a row straight into an object, an array or a value. */
function readRow(reader, width, mode, names, safeIntegers) {
  if (mode === MODE.FLAT) return readFlat(reader, names, safeIntegers);
  if (mode === MODE.PLUCK && width === 1) return readValue(reader, safeIntegers);
  const values = readRaw(reader, width, safeIntegers);
  return mode === MODE.RAW ? values : values[0];
}

module.exports = { MODE, formed, readRaw, readRow };
