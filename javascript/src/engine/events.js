'use strict';
// `callbacks` of wit/database: the engine calls the program, with bytes as components/shared/wire/src/callbacks.rs
// defines them. One callback serves all events of a connection.

const { Reader } = require('../wire/reader.js');
const { Writer } = require('../wire/writer.js');

/** The length of a reply that is not in the mailbox: more than any length. */
const ELSEWHERE = 0xffffffff;

/** Deepest nesting of callbacks, each of which uses the stack. */
const MAX_DEPTH = 16;

class Events {
  /** @type {(event: number, reader: Reader, reply: Writer) => void} */
  handler = () => {};
  #reply = null;
  #depth = 0;
  /** One for each depth that was reached. */
  #writers = [];

  /** @param {import('./engine.js').Engine} engine */
  constructor(engine) {
    this.engine = engine;
  }

  /** Calls the program. Returns the length of the reply, if that is in the mailbox. */
  #call(pointer, length) {
    const { memory } = this.engine;
    if (this.#depth === MAX_DEPTH) return 0;
    memory.check(pointer, length);
    const reader = new Reader(memory.u8, memory.view, pointer, pointer + length);
    const event = reader.u8();
    // There is one connection.
    reader.u32();
    const writer = (this.#writers[this.#depth++] ??= new Writer());
    writer.begin();
    try {
      this.handler(event, reader, writer);
    } finally {
      this.#depth--;
    }
    this.engine.checkAlive();
    const reply = writer.written();
    const { events, bytes } = this.engine.mailboxes;
    if (reply.length > bytes) {
      this.#reply = Buffer.from(reply);
      return ELSEWHERE;
    }
    memory.u8.set(reply, events);
    return reply.length;
  }

  /** The outcome `returned`, with the reply that was too long for the mailbox. */
  #lastOutcome(result) {
    const { memory } = this.engine;
    const reply = this.#reply ?? Buffer.alloc(0);
    this.#reply = null;
    const start = memory.store(reply);
    memory.u8[result] = 0;
    memory.view.setUint32(result + 4, start, true);
    memory.view.setUint32(result + 8, reply.length, true);
  }

  /** The imports of `sqlite-wasm:database/callbacks`. */
  imports() {
    return {
      call: (_callback, pointer, length) => this.#call(pointer >>> 0, length >>> 0),
      'call-in-mailbox': (_callback, count) => this.#call(this.engine.mailboxes.events, count >>> 0),
      'measure-outcome': (result) => {
        this.engine.memory.view.setUint32(result, this.#reply?.length ?? 0, true);
        this.engine.memory.u8[result + 4] = 0;
      },
      'last-outcome': (result) => this.#lastOutcome(result),
      resume: () => {
        throw new Error('no callback waits');
      },
    };
  }
}

module.exports = { Events };
