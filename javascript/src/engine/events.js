'use strict';
// `callbacks` of wit/database: the engine calls the program, with bytes as components/shared/wire/c/calls.h
// defines them. One callback serves all events of a connection.

const { TAG } = require('../opcodes.js');
const { Reader } = require('../wire/reader.js');
const { Writer } = require('../wire/writer.js');

/** Longest reply that is returned in the mailbox. */
const MAX_INLINE = 64;
/** Where the bytes of an inline value begin. */
const INLINE_WORDS = 8;

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

  /** Calls the program. Returns whether the reply is an inline value at `target`. */
  #call(pointer, length, target) {
    const { memory } = this.engine;
    if (this.#depth === MAX_DEPTH) {
      this.#reply = Buffer.alloc(0);
      return false;
    }
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
    if (reply.length > MAX_INLINE) {
      this.#reply = Buffer.from(reply);
      return false;
    }
    memory.view.setUint32(target, TAG.BLOB | (reply.length << 8), true);
    memory.u8.set(reply, target + INLINE_WORDS);
    return true;
  }

  /** The value that `last-outcome` returns: a blob. */
  #lastOutcome(result) {
    const { memory } = this.engine;
    const reply = this.#reply ?? Buffer.alloc(0);
    this.#reply = null;
    const start = memory.allocate(reply.length + 6);
    const { u8, view } = memory;
    u8[start] = TAG.BLOB;
    view.setUint32(start + 1, reply.length, true);
    u8.set(reply, start + 5);
    u8[start + 5 + reply.length] = 0;
    // The outcome `returned`, and in it no failure.
    u8[result] = 0;
    u8[result + 4] = 0;
    view.setUint32(result + 8, start, true);
    view.setUint32(result + 12, reply.length + 6, true);
  }

  /** The imports of `sqlite-wasm:database/callbacks`. */
  imports() {
    return {
      call: (_callback, _event, pointer, length, result) => {
        const isInline = this.#call(pointer >>> 0, length >>> 0, result + 8);
        this.engine.memory.u8[result] = isInline ? 1 : 0;
      },
      'call-in-mailbox': (_callback, _event, count) => {
        const { events } = this.engine.mailboxes;
        return this.#call(events, count >>> 0, events) ? 1 : 0;
      },
      'measure-outcome': (result) => {
        this.engine.memory.view.setUint32(result, (this.#reply?.length ?? 0) + 6, true);
        this.engine.memory.u8[result + 4] = 0;
      },
      'last-outcome': (result) => this.#lastOutcome(result),
      resume: () => {
        throw new Error('no callback waits');
      },
      release: () => {},
    };
  }
}

module.exports = { Events };
