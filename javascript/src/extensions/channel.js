'use strict';
// Messages between two threads that wait for each other. Both sides block: a call of SQLite cannot
// return to the event loop.

const v8 = require('node:v8');

/** The indexes of the message counters, and of the last message's length. */
const SENT = Object.freeze({ main: 0, worker: 1 });
const LENGTH_AT = 2;
const HEAD_BYTES = 16;

/** Longest message that is copied by shared memory. */
const SHARED_BYTES = 256 << 10;

class Channel {
  #side;
  #other;
  #words;
  #bytes;
  #port;
  #received = 0;
  #receive;

  /**
   * @param {'main' | 'worker'} side
   * @param {SharedArrayBuffer} shared
   * @param {import('node:worker_threads').MessagePort} port For longer messages.
   * @param {Function} receive `receiveMessageOnPort`.
   */
  constructor(side, shared, port, receive) {
    this.#side = SENT[side];
    this.#other = SENT[side === 'main' ? 'worker' : 'main'];
    this.#words = new Int32Array(shared, 0, HEAD_BYTES / 4);
    this.#bytes = new Uint8Array(shared, HEAD_BYTES);
    this.#port = port;
    this.#receive = receive;
  }

  static memory() {
    return new SharedArrayBuffer(HEAD_BYTES + SHARED_BYTES);
  }

  send(message) {
    const bytes = v8.serialize(message);
    if (bytes.length <= SHARED_BYTES) this.#bytes.set(bytes);
    else this.#port.postMessage(bytes);
    this.#words[LENGTH_AT] = bytes.length;
    Atomics.add(this.#words, this.#side, 1);
    Atomics.notify(this.#words, this.#side);
  }

  /** The next message; undefined if there is none in so many milliseconds. */
  receive(milliseconds = Infinity) {
    const outcome = Atomics.wait(this.#words, this.#other, this.#received, milliseconds);
    if (outcome === 'timed-out') return undefined;
    this.#received = Atomics.load(this.#words, this.#other);
    const length = this.#words[LENGTH_AT];
    if (length > SHARED_BYTES) return v8.deserialize(this.#receive(this.#port).message);
    return v8.deserialize(this.#bytes.slice(0, length));
  }
}

module.exports = { Channel };
