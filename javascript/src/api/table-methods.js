'use strict';
// The methods of SQLite's modules on tables of the program.

const { CALL, CODE, METHOD } = require('../opcodes.js');
const { readValue } = require('../wire/values.js');
const { NO_TEXT } = require('../wire/writer.js');
const { putReturned } = require('./callbacks.js');
const { definitionSource } = require('./table-definition.js');

/** `SQLITE_VTAB_DIRECTONLY`. */
const VTAB_DIRECT_ONLY = 3;

/** `SQLITE_INDEX_CONSTRAINT_…`. */
const OPERATOR = Object.freeze({ EQUAL: 2, LIMIT: 73, OFFSET: 74 });

/** The cost of a scan without arguments: so high that SQLite avoids to repeat it. */
const HIGH_COST = 1_000_000_000;

const SEAL_BYTES = 8;
const NO_SEAL = new Uint8Array(SEAL_BYTES);

class Module {
  constructor(name, source) {
    this.name = name;
    this.source = source;
  }
}

class Table {
  constructor(definition, safeIntegers) {
    this.definition = definition;
    this.safeIntegers = safeIntegers;
  }
}

class Cursor {
  iterator = null;
  values = [];
  rowId = 0;
  isDone = true;

  constructor(table) {
    this.table = table;
  }
}

/** A failure of a method with a message of its own. */
function refuse(reply, code, message) {
  reply.u32(code);
  reply.optionalText(message);
}

function connect(callbacks, module, reader, reply) {
  const { connection } = callbacks;
  const args = Array.from({ length: reader.count(4) }, () => reader.text());
  const definition = module.source.make(...args);
  const declared = connection.request((writer) => {
    writer.u8(CALL.DECLARE_VTAB);
    writer.text(definition.declaration);
  });
  const configured = definition.isDirectOnly
    ? connection.request((writer) => {
        writer.u8(CALL.VTAB_CONFIG);
        writer.u32(VTAB_DIRECT_ONLY);
        writer.u32(1);
      })
    : declared;
  if (declared.head.code !== CODE.OK || configured.head.code !== CODE.OK) {
    refuse(reply, CODE.ERROR, `failed to declare virtual table "${args[2]}"`);
    return;
  }
  const safeIntegers = definition.safeIntegers ?? connection.safeIntegers;
  reply.u32(CODE.OK);
  reply.u32(callbacks.add(new Table(definition, safeIntegers)));
}

/** The constraints that SQLite would like to use. */
function readConstraints(reader) {
  // The address of the plan, the columns that are used, cost and rows.
  reader.take(4 + 8 + 8 + 8);
  return Array.from({ length: reader.count(6) }, () => ({
    column: reader.i32(),
    operator: reader.u8(),
    isUsable: reader.u8() !== 0,
  }));
}

function bestIndex(_callbacks, { definition }, reader, reply) {
  const constraints = readConstraints(reader);
  const { parameters } = definition;
  const isParameter = ({ column, operator }) =>
    operator !== OPERATOR.LIMIT && operator !== OPERATOR.OFFSET && column >= 0 && column < parameters.length;
  for (const constraint of constraints.filter(isParameter)) {
    if (constraint.operator !== OPERATOR.EQUAL) {
      const name = parameters[constraint.column];
      refuse(reply, CODE.ERROR, `virtual table parameter "${name}" can only be constrained by the '=' operator`);
      return;
    }
    // A plan without an argument that was passed would read other rows.
    if (!constraint.isUsable) {
      refuse(reply, CODE.CONSTRAINT, null);
      return;
    }
  }
  const used = new Map();
  constraints.forEach((constraint, index) => {
    if (isParameter(constraint) && !used.has(constraint.column)) used.set(constraint.column, index);
  });
  const columns = [...used.keys()].sort((a, b) => a - b);
  const argumentOf = new Map(columns.map((column, index) => [used.get(column), index + 1]));
  reply.u32(CODE.OK);
  constraints.forEach((_, index) => {
    reply.u32(argumentOf.get(index) ?? 0);
    reply.u8(argumentOf.has(index) ? 1 : 0);
  });
  const cost = Math.floor(HIGH_COST / (columns.length + 1));
  reply.u32(columns.reduce((mask, column) => mask | (1 << column), 0));
  reply.u8(0);
  reply.f64(cost);
  reply.i64(cost);
  reply.u32(0);
  reply.u32(NO_TEXT);
  reply.raw(NO_SEAL);
}

function filter(_callbacks, cursor, reader, reply) {
  const { definition, safeIntegers } = cursor.table;
  const mask = reader.u32();
  reader.optionalText();
  reader.take(SEAL_BYTES);
  const values = Array.from({ length: reader.count(1) }, () => readValue(reader, safeIntegers));
  let position = 0;
  const args = definition.parameters.map((_, index) => (mask & (1 << index) ? values[position++] : undefined));
  cursor.isDone = true;
  // A comparison with NULL is never true.
  if (args.includes(null)) {
    reply.u32(CODE.OK);
    reply.u8(1);
    return;
  }
  // The generator may change a buffer, which is also the value of a hidden column.
  const copies = args.map((value) => (Buffer.isBuffer(value) ? Buffer.from(value) : value));
  cursor.hidden = args;
  cursor.iterator = Reflect.apply(definition.rows, undefined, copies);
  cursor.rowId = 0;
  advance(cursor, reply);
}

function advance(cursor, reply) {
  const { value, done } = cursor.iterator.next();
  cursor.isDone = Boolean(done);
  if (!cursor.isDone) cursor.values = [...cursor.hidden, ...cursor.table.definition.valuesOf(value)];
  cursor.rowId++;
  reply.u32(CODE.OK);
  reply.u8(cursor.isDone ? 1 : 0);
}

function column(_callbacks, cursor, reader, reply) {
  const index = reader.u32();
  reply.u32(CODE.OK);
  reply.u8(0);
  putReturned(reply, cursor.values[index], `${cursor.table.definition.subject} yielded`);
}

const opened = (callbacks, table, _reader, reply) => {
  reply.u32(CODE.OK);
  reply.u32(callbacks.add(new Cursor(table)));
};

const rowId = (_callbacks, cursor, _reader, reply) => {
  reply.u32(CODE.OK);
  reply.i64(cursor.rowId);
};

/** The kind of the object of a method, the function, and whether the object ends with it. */
const METHODS = new Map([
  [METHOD.CREATE, [Module, connect]],
  [METHOD.CONNECT, [Module, connect]],
  [METHOD.BEST_INDEX, [Table, bestIndex]],
  [METHOD.DISCONNECT, [Table, null]],
  [METHOD.DESTROY, [Table, null]],
  [METHOD.OPEN, [Table, opened]],
  [METHOD.CLOSE, [Cursor, null]],
  [METHOD.FILTER, [Cursor, filter]],
  [METHOD.NEXT, [Cursor, (_callbacks, cursor, _reader, reply) => advance(cursor, reply)]],
  [METHOD.COLUMN, [Cursor, column]],
  [METHOD.ROWID, [Cursor, rowId]],
]);

/** The bits of the methods that a module has: SQLite asks for the end with FILTER and NEXT. */
const BITS = [...METHODS.keys(), METHOD.EOF].reduce((bits, method) => bits | (1 << method), 0);

/** Calls a method for the engine. */
function callMethod(callbacks, reader, reply) {
  const method = METHODS.get(reader.u8());
  const number = reader.u32();
  if (!method) {
    refuse(reply, CODE.INTERNAL, null);
    return;
  }
  const [kind, call] = method;
  const object = callbacks.find(number, kind);
  if (call) {
    call(callbacks, object, reader, reply);
    return;
  }
  callbacks.remove(number);
  reply.u32(CODE.OK);
}

/** `db.table(name, factory)` */
function defineTable(connection, callbacks, name, factory) {
  if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
  if (!name) throw new TypeError('Virtual table module name cannot be an empty string');
  const source = definitionSource(name, factory);
  connection.checkIdle();
  connection.hasFunctions = true;
  const number = callbacks.add(new Module(name, source));
  // An eponymous table cannot be created.
  const bits = source.isEponymous ? BITS & ~(1 << METHOD.CREATE) : BITS;
  connection.run(() =>
    connection.call((writer) => {
      writer.u8(CALL.CREATE_MODULE);
      writer.text(name);
      writer.u32(0);
      writer.u32(bits);
      writer.u32(number);
    }),
  );
}

module.exports = { callMethod, defineTable };
