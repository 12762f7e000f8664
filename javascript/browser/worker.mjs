// The worker of a client: requests by messages, one reply for each.

import { notBegun, packed } from './errors.mjs';
import { Peer } from './peer.mjs';
import { Session } from './session.mjs';

/** A database in memory belongs to its tab. */
class Alone {
  constructor(options) {
    this.options = options;
  }

  async start() {
    this.session = await Session.open(':memory:', this.options);
  }

  isOwner = true;
  #last = Promise.resolve();

  /** One request after the other. */
  request(method, args, signal) {
    const result = this.#last.then(() => this.#run(method, args, signal));
    this.#last = result.catch(() => {});
    return result;
  }

  async #run(method, args, signal) {
    if (signal?.aborted) throw notBegun();
    const stop = () => this.session.interrupt();
    signal?.addEventListener('abort', stop);
    this.session.isStoppable = signal !== undefined;
    try {
      return await this.session[method](...args);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  close() {
    return this.#last.then(() => this.session.close());
  }
}

let peer = null;

/** Ends for the requests that can be stopped, and have no reply yet. */
const ends = new Map();

const METHODS = {
  async open(name, options) {
    peer = name === ':memory:' ? new Alone(options) : new Peer(name, options);
    await peer.start();
  },
  isOwner: () => peer.isOwner,
  interrupt: (number) => ends.get(number)?.abort(),
  close: () => peer.close(),
};

self.onmessage = async ({ data: { number, method, args, isStoppable } }) => {
  const end = isStoppable ? new AbortController() : undefined;
  if (end) ends.set(number, end);
  try {
    const run = Object.hasOwn(METHODS, method) ? METHODS[method] : (...given) => peer.request(method, given, end?.signal);
    self.postMessage({ number, result: await run(...args) });
  } catch (error) {
    self.postMessage({ number, error: packed(error) });
  } finally {
    ends.delete(number);
  }
};
