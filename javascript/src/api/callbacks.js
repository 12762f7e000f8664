'use strict';
// What the engine calls in the program: functions, aggregates and tables, by the ids that they were given. Their
// exceptions are kept, and thrown by the statement that has called them; no exception passes through the engine.

const { CODE, EVENT } = require('../opcodes.js');
const { MalformedReply } = require('../wire/reader.js');
const { putValue, readValue } = require('../wire/values.js');
const { NO_TEXT } = require('../wire/writer.js');

/** Most functions and tables of a connection: a program that registers in a loop has a mistake. */
const MAX_ENTRIES = 1 << 20;

class Callbacks {
  #entries = new Map();
  #next = 1;

  /** @param {import('./connection.js').Connection} connection */
  constructor(connection) {
    this.connection = connection;
    connection.engine.events.handler = (event, reader, reply) => this.#handle(event, reader, reply);
  }

  /** Adds something that the engine calls by the returned id. */
  add(entry) {
    if (this.#entries.size >= MAX_ENTRIES) throw new RangeError('too many functions and tables');
    while (this.#entries.has(this.#next) || this.#next === 0) this.#next = (this.#next + 1) % 2 ** 31;
    this.#entries.set(this.#next, entry);
    return this.#next++;
  }

  remove(number) {
    this.#entries.delete(number);
  }

  /** The entry with an id that the engine has sent, which must be of this kind. */
  find(number, kind) {
    const entry = this.#entries.get(number);
    if (!(entry instanceof kind)) throw new MalformedReply();
    return entry;
  }

  #handle(event, reader, reply) {
    try {
      this.#dispatch(event, reader, reply);
    } catch (error) {
      this.connection.noteThrown(error);
      reply.begin();
      reply.u32(CODE.ERROR);
      reply.u32(NO_TEXT);
    }
  }

  #dispatch(event, reader, reply) {
    switch (event) {
      case EVENT.SCALAR:
        this.find(reader.u32(), ScalarFunction).call(reader, reply);
        break;
      case EVENT.AGGREGATE_STEP:
      case EVENT.AGGREGATE_INVERSE:
        this.find(reader.u32(), AggregateFunction).step(reader, reply, event === EVENT.AGGREGATE_INVERSE);
        break;
      case EVENT.AGGREGATE_VALUE:
      case EVENT.AGGREGATE_FINAL:
        this.find(reader.u32(), AggregateFunction).value(reader, reply, event === EVENT.AGGREGATE_FINAL);
        break;
      case EVENT.METHOD:
        require('../late.js').tables.callMethod(this, reader, reply);
        break;
      case EVENT.DESTROY:
        this.remove(reader.u32());
        reply.u32(CODE.OK);
        break;
      default:
        reply.u32(CODE.OK);
    }
  }
}

/** Writes a value that the program has returned. `prefix` begins the message of a failure. */
function putReturned(reply, value, prefix) {
  const plain = ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
  if (typeof plain === 'bigint' && BigInt.asIntN(64, plain) !== plain) {
    throw new RangeError(`${prefix} a bigint that was too big`);
  }
  if (!putValue(reply, plain)) throw new TypeError(`${prefix} an invalid value`);
}

const readArguments = (reader, safeIntegers) =>
  Array.from({ length: reader.count(1) }, () => readValue(reader, safeIntegers));

class ScalarFunction {
  constructor(name, fn, safeIntegers) {
    this.prefix = `User-defined function ${name}() returned`;
    this.fn = fn;
    this.safeIntegers = safeIntegers;
  }

  call(reader, reply) {
    const args = readArguments(reader, this.safeIntegers);
    const result = Reflect.apply(this.fn, undefined, args);
    reply.u32(CODE.OK);
    putReturned(reply, result, this.prefix);
  }
}

/** The groups of an aggregate are numbered by it. A group whose function has thrown is dead. */
class AggregateFunction {
  #groups = new Map();
  #next = 1;

  constructor(name, { start, step, inverse, result }, safeIntegers) {
    this.prefix = `User-defined function ${name}() returned`;
    this.callbacks = { start, step, inverse, result };
    this.safeIntegers = safeIntegers;
  }

  #begin() {
    const { start } = this.callbacks;
    const value = typeof start === 'function' ? Reflect.apply(start, undefined, []) : start;
    return { value, isWindow: false, isDead: false };
  }

  /** The group with an id, or a new one for 0. */
  #group(number) {
    if (number !== 0) {
      const group = this.#groups.get(number);
      if (!group) throw new MalformedReply();
      return { number, group };
    }
    const added = { number: this.#next++, group: { isDead: true } };
    this.#groups.set(added.number, added.group);
    Object.assign(added.group, this.#begin());
    return added;
  }

  /** Runs a callback for a group; afterwards a group whose callback throws is dead. */
  #guarded(group, action) {
    try {
      return action();
    } catch (error) {
      group.isDead = true;
      throw error;
    }
  }

  step(reader, reply, isInverse) {
    const old = reader.u32();
    const args = readArguments(reader, this.safeIntegers);
    const { number, group } = this.#group(old);
    if (!group.isDead) {
      const fn = isInverse ? this.callbacks.inverse : this.callbacks.step;
      const value = this.#guarded(group, () => Reflect.apply(fn, undefined, [group.value, ...args]));
      if (value !== undefined) group.value = value;
    }
    reply.u32(CODE.OK);
    reply.u32(number);
  }

  value(reader, reply, isFinal) {
    const { number, group } = this.#group(reader.u32());
    if (isFinal) this.#groups.delete(number);
    let value = null;
    // The value of a window was asked for before.
    if (!group.isDead && !(isFinal && group.isWindow)) {
      const { result } = this.callbacks;
      value = result ? this.#guarded(group, () => Reflect.apply(result, undefined, [group.value])) : group.value;
    }
    group.isWindow ||= !isFinal;
    reply.u32(CODE.OK);
    putReturned(reply, value, this.prefix);
  }
}

module.exports = { AggregateFunction, Callbacks, ScalarFunction, putReturned };
