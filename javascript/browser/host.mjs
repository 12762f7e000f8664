// The owner's side: the session of a database, and whose turn it is. All tabs share one connection, so while one of them
// is in a transaction the requests of the others wait; if its worker ends, the transaction is rolled back.

import { Session } from './session.mjs';
import { awaitEnd } from './ownership.mjs';

/** What clients can ask for: methods of a session. */
const METHODS = new Set(['execute', 'loadExtension', 'serialize', 'restore']);

/** Requests that wait for their turn. */
const MAX_WAITING = 10_000;

export class Host {
  #session;
  /** Who is in a transaction. */
  #holder = null;
  #waiting = [];
  #isBusy = false;
  #ends = new AbortController();
  #watched = new Set();

  static async open(name, options) {
    return new Host(await Session.open(name, options));
  }

  constructor(session) {
    this.#session = session;
  }

  /** Runs a request of a worker, in its turn. */
  run(from, method, args) {
    if (!METHODS.has(method)) throw new TypeError(`there is no request ${method}`);
    if (this.#waiting.length >= MAX_WAITING) throw new RangeError(`${MAX_WAITING} requests wait already`);
    this.#watch(from);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ from, method, args, resolve, reject });
      this.#next();
    });
  }

  /** Notices when a worker ends that may be in a transaction. */
  async #watch(id) {
    if (this.#watched.has(id)) return;
    this.#watched.add(id);
    const hasEnded = await awaitEnd(id, this.#ends.signal);
    this.#watched.delete(id);
    if (hasEnded) this.leave(id);
  }

  /** A worker has ended, or closes the database: its requests are dropped and its transaction is rolled back. */
  leave(id) {
    this.#waiting = this.#waiting.filter(({ from }) => from !== id);
    if (this.#holder === id) this.#waiting.unshift({ from: id, method: 'execute', args: ['ROLLBACK'], resolve: () => {}, reject: () => {} });
    this.#next();
  }

  async #next() {
    if (this.#isBusy) return;
    const index = this.#waiting.findIndex(({ from }) => this.#holder === null || from === this.#holder);
    if (index < 0) return;
    const [{ from, method, args, resolve, reject }] = this.#waiting.splice(index, 1);
    this.#isBusy = true;
    try {
      resolve(await this.#session[method](...args));
    } catch (error) {
      reject(error);
    }
    this.#holder = this.#session.inTransaction ? from : null;
    this.#isBusy = false;
    this.#next();
  }

  async close() {
    this.#ends.abort();
    await this.#session.close();
  }
}
