'use strict';
// `table`: a definition of a virtual table, as the program gives it.

const MAX_PARAMETERS = 32;

const GeneratorFunction = Object.getPrototypeOf(function* () {});
const identifier = (name) => `"${name.replaceAll('"', '""')}"`;

/** A checked definition of a table. */
class TableDefinition {
  /**
   * @param {object} definition Of the program.
   * @param {string} verb What was done with it, for messages.
   * @param {string} name Of the module.
   */
  constructor(definition, verb, name) {
    this.subject = `Virtual table module "${name}"`;
    const has = (key) => Object.hasOwn(definition, key);
    const refuse = (what, Type = TypeError) => new Type(`${this.subject} ${verb} a table definition with ${what}`);
    for (const key of ['rows', 'columns']) {
      if (!has(key)) throw new TypeError(`${this.subject} ${verb} a table definition without a "${key}" property`);
    }
    this.rows = definition.rows;
    if (typeof this.rows !== 'function' || Object.getPrototypeOf(this.rows) !== GeneratorFunction) {
      throw refuse('an invalid "rows" property (should be a generator function)');
    }
    this.columns = names(definition.columns, 'columns', refuse);
    if (new Set(this.columns).size !== this.columns.length) throw refuse('duplicate column names');
    if (this.columns.length === 0) throw refuse('zero columns', RangeError);
    this.parameters = has('parameters')
      ? names(definition.parameters, 'parameters', refuse)
      : numbered(this.rows);
    this.#checkParameters(refuse);
    this.safeIntegers = flag(definition, 'safeIntegers', refuse);
    this.isDirectOnly = flag(definition, 'directOnly', refuse) ?? false;
    this.positions = new Map(this.columns.map((column, index) => [column, index]));
  }

  #checkParameters(refuse) {
    if (new Set(this.parameters).size !== this.parameters.length) throw refuse('duplicate parameter names');
    if (this.parameters.length > MAX_PARAMETERS) {
      throw refuse(`more than the maximum number of ${MAX_PARAMETERS} parameters`, RangeError);
    }
    const ambiguous = this.parameters.find((parameter) => this.columns.includes(parameter));
    if (ambiguous !== undefined) {
      throw refuse(`column "${ambiguous}" which was ambiguously defined as both a column and parameter`);
    }
  }

  /** The declaration for SQLite: parameters are hidden columns. */
  get declaration() {
    const hidden = this.parameters.map((name) => `${identifier(name)} HIDDEN`);
    return `CREATE TABLE x(${[...hidden, ...this.columns.map(identifier)].join(', ')});`;
  }

  /** The values of a row that the generator has yielded, in the order of the columns. */
  valuesOf(row) {
    if (Array.isArray(row)) {
      if (row.length !== this.columns.length) {
        throw new TypeError(`${this.subject} yielded a row with an incorrect number of columns`);
      }
      return [...row];
    }
    if (typeof row !== 'object' || row === null) {
      throw new TypeError(`${this.subject} yielded something that isn't a valid row object`);
    }
    const keys = Object.keys(row);
    const values = new Array(this.columns.length).fill(null);
    for (const key of keys) {
      const position = this.positions.get(key);
      if (position === undefined) {
        throw new TypeError(`${this.subject} yielded a row with an undeclared column "${key}"`);
      }
      values[position] = row[key];
    }
    if (keys.length !== this.columns.length) {
      throw new TypeError(`${this.subject} yielded a row with missing columns`);
    }
    return values;
  }
}

function names(value, key, refuse) {
  const copy = Array.isArray(value) ? [...value] : null;
  if (!copy?.every((name) => typeof name === 'string')) {
    throw refuse(`an invalid "${key}" property (should be an array of strings)`);
  }
  return copy;
}

function numbered({ length }) {
  if (!Number.isInteger(length) || length < 0) {
    throw new TypeError('Expected function.length to be a positive integer');
  }
  return Array.from({ length }, (_, index) => `$${index + 1}`);
}

function flag(definition, key, refuse) {
  if (!Object.hasOwn(definition, key)) return undefined;
  const value = definition[key];
  if (typeof value !== 'boolean') throw refuse(`an invalid "${key}" property (should be a boolean)`);
  return value;
}

/** Makes definitions: always the same one, or one for each table of a factory. */
function definitionSource(name, factory) {
  if (typeof factory === 'object' && factory !== null) {
    const definition = new TableDefinition(factory, 'used', name);
    return { isEponymous: true, make: () => definition };
  }
  if (typeof factory !== 'function') {
    throw new TypeError('Expected second argument to be a function or a table definition object');
  }
  const make = (module, database, table, ...args) => {
    const definition = Reflect.apply(factory, { module, database, table }, args);
    if (typeof definition !== 'object' || definition === null) {
      throw new TypeError(`Virtual table module "${module}" did not return a table definition object`);
    }
    return new TableDefinition(definition, 'returned', module);
  };
  return { isEponymous: false, make };
}

module.exports = { TableDefinition, definitionSource };
