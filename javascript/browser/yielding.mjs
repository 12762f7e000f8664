// A worker reads no messages while a statement runs. So what may be suspended (JSPI) lets it read them now and then, where SQLite
// asks whether the statement is to end; one of them may say so.

import { Process } from '../src/host/process.js';
import { canSuspend } from './suspendable-instance.mjs';

/** Milliseconds after which messages are read. */
const SLICE = 50;

/** When messages are read. */
export class Slices {
  /** When messages were read last. */
  #last = performance.now();
  #channel = new MessageChannel();

  begin() {
    this.#last = performance.now();
  }

  isOver() {
    return performance.now() - this.#last > SLICE;
  }

  /** Fulfilled when the messages were read that are there. */
  async next() {
    const { port1, port2 } = this.#channel;
    await new Promise((read) => {
      port1.onmessage = read;
      port2.postMessage(null);
    });
    this.begin();
  }
}

/**
 * An import that can suspend fails in a request that may not be suspended, even where it returns at once. So this is between:
 *
 *     (func (export "poll") (param i32)
 *       (if (call $poll (local.get 0)) (then (call $wait (local.get 0)))))
 */
const BETWEEN = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0,
  1, 10, 2, 0x60, 1, 0x7f, 0, 0x60, 1, 0x7f, 1, 0x7f,
  2, 19, 2, 1, 112, 4, 112, 111, 108, 108, 0, 1, 1, 112, 4, 119, 97, 105, 116, 0, 0,
  3, 2, 1, 0,
  7, 8, 1, 4, 112, 111, 108, 108, 0, 2,
  10, 15, 1, 13, 0, 0x20, 0, 0x10, 0, 0x04, 0x40, 0x20, 0, 0x10, 1, 0x0b, 0x0b,
]);

export class YieldingProcess extends Process {
  /** A request runs that may be suspended. */
  #mayYield = false;
  #slices = new Slices();

  /** Runs a request that may be suspended. */
  async yielding(request) {
    this.#mayYield = true;
    this.#slices.begin();
    try {
      return await request();
    } finally {
      this.#mayYield = false;
    }
  }

  /** The running statement is to end. */
  interrupt() {
    this.isInterrupted = true;
  }

  imports() {
    const imports = super.imports();
    if (!canSuspend) return imports;
    const own = { poll: (result) => this.#poll(result), wait: new WebAssembly.Suspending((result) => this.#yield(result)) };
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(BETWEEN), { p: own });
    return { ...imports, 'poll-interruption': exports.poll };
  }

  /** Returns whether it is time to read messages. */
  #poll(result) {
    this.poll(result);
    return this.#mayYield && this.#slices.isOver() ? 1 : 0;
  }

  async #yield(result) {
    await this.#slices.next();
    this.poll(result);
  }
}
