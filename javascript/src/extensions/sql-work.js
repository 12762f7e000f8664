'use strict';
// `sql-work` of wit/extension: requests of an extension for SQL on the connection that has called it.

const { CODE } = require('../opcodes.js');
const t = require('./types.js');

/** Most bytes of work that wait for the next request. */
const MAX_LATER_BYTES = 16 << 20;

const KIND_SCALAR = 0;

const REPLY = t.result(t.bytes, t.sqlError);
const NOTHING = t.result(null, t.sqlError);

const failure = (code, message) => ({ tag: 1, value: { code, message: Buffer.from(message) } });
const NO_SQL = 'there is no SQL in this call';

class SqlWork {
  /** Whether SQL can be used now. */
  isOpen = false;
  /** Operations that wait for the next request. */
  #waiting = [];
  #waitingBytes = 0;

  /** @param {(request: any) => { tag: number, value: any }} requested Makes a request. */
  constructor(requested) {
    this.requested = requested;
  }

  #take(operations) {
    const all = Buffer.concat([...this.#waiting, ...operations]);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return all;
  }

  #request(operations, registered) {
    if (!this.isOpen) return failure(CODE.MISUSE, NO_SQL);
    return this.requested({ operations: this.#take(operations), function: registered });
  }

  #later(operations) {
    if (!this.isOpen) return failure(CODE.MISUSE, NO_SQL);
    if (this.#waitingBytes + operations.length > MAX_LATER_BYTES) {
      return failure(CODE.TOOBIG, `more than ${MAX_LATER_BYTES} bytes wait to be done`);
    }
    this.#waiting.push(operations);
    this.#waitingBytes += operations.length;
    return { tag: 0 };
  }

  /** Performs what waits at the end of a call. Returns a failure, or nothing. */
  finish() {
    if (this.#waiting.length === 0) return null;
    const reply = this.requested({ operations: this.#take([]), function: null });
    return reply.tag === 0 ? null : reply.value;
  }

  #register(id, declared) {
    if (declared.kind !== KIND_SCALAR) return failure(CODE.MISUSE, 'only scalar functions are registered later');
    const reply = this.#request([], { id, function: declared });
    return reply.tag === 0 ? { tag: 0 } : reply;
  }

  /** The imports of an instance. */
  imports(instance) {
    const lifted = (type, flat) => {
      let index = 0;
      return [type.liftFlat(instance.memory, () => flat[index++]), flat[index]];
    };
    return {
      perform: (...flat) => {
        const [operations, at] = lifted(t.bytes, flat);
        REPLY.lower(instance.memory, at, this.#request([operations], null));
      },
      'perform-later': (...flat) => {
        const [operations, at] = lifted(t.bytes, flat);
        NOTHING.lower(instance.memory, at, this.#later(operations));
      },
      'register-function': (id, ...flat) => {
        const [declared, at] = lifted(t.sqlFunction, flat);
        NOTHING.lower(instance.memory, at, this.#register(id >>> 0, declared));
      },
    };
  }
}

module.exports = { SqlWork };
