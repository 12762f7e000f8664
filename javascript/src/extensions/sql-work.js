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

  /**
   * @param {(request: any, store: (reply: any) => void) => any} requested Makes a request, and passes its
   *   reply to `store`: before it returns, or before the promise that it returns is fulfilled.
   */
  constructor(requested) {
    this.requested = requested;
  }

  #take(operations) {
    const all = Buffer.concat([...this.#waiting, ...operations]);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return all;
  }

  #request(operations, registered, store) {
    if (!this.isOpen) return store(failure(CODE.MISUSE, NO_SQL));
    return this.requested({ operations: this.#take(operations), function: registered }, store);
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

  /** Performs what waits at the end of a call. */
  finish(store) {
    if (this.#waiting.length === 0) return store({ tag: 0 });
    return this.requested({ operations: this.#take([]), function: null }, store);
  }

  #register(id, declared, store) {
    if (declared.kind !== KIND_SCALAR) return store(failure(CODE.MISUSE, 'only scalar functions are registered later'));
    return this.#request([], { id, function: declared }, (reply) => store(reply.tag === 0 ? { tag: 0 } : reply));
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
        return this.#request([operations], null, (reply) => REPLY.lower(instance.memory, at, reply));
      },
      'perform-later': (...flat) => {
        const [operations, at] = lifted(t.bytes, flat);
        NOTHING.lower(instance.memory, at, this.#later(operations));
      },
      'register-function': (id, ...flat) => {
        const [declared, at] = lifted(t.sqlFunction, flat);
        return this.#register(id >>> 0, declared, (reply) => NOTHING.lower(instance.memory, at, reply));
      },
    };
  }
}

module.exports = { SqlWork };
