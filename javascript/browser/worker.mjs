// The worker of a client: requests by messages, one reply for each.

import { packed } from './errors.mjs';
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
  request(method, args) {
    const result = this.#last.then(() => this.session[method](...args));
    this.#last = result.catch(() => {});
    return result;
  }

  close() {
    return this.#last.then(() => this.session.close());
  }
}

let peer = null;

const METHODS = {
  async open(name, options) {
    peer = name === ':memory:' ? new Alone(options) : new Peer(name, options);
    await peer.start();
  },
  isOwner: () => peer.isOwner,
  close: () => peer.close(),
};

self.onmessage = async ({ data: { number, method, args } }) => {
  try {
    const run = Object.hasOwn(METHODS, method) ? METHODS[method] : (...given) => peer.request(method, given);
    self.postMessage({ number, result: await run(...args) });
  } catch (error) {
    self.postMessage({ number, error: packed(error) });
  }
};
