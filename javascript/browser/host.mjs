// The owner's side: the session of a database, and whose turn it is. All tabs share one connection, so while one of them
// is in a transaction the requests of the others wait; if its worker ends, the transaction is rolled back.

import { Session } from './session.mjs';
import { notBegun } from './errors.mjs';
import { awaitEnd } from './ownership.mjs';

/** What clients can ask for: methods of a session. */
const METHODS = new Set(['execute', 'loadExtension', 'serialize', 'restore']);

/** Requests that wait for their turn. */
const MAX_WAITING = 10_000;

/** The code of a request that was not begun before the owner closed the database: the next owner can run it. */
export const NOT_RUN = 'SQLITE_SANDBOX_NOT_RUN';

const notRun = () => Object.assign(new TypeError('The database connection is not open'), { code: NOT_RUN });

export class Host {
  #session;
  /** Who is in a transaction. */
  #holder = null;
  #waiting = [];
  /** The request that runs, if one does. */
  #current = null;
  #isClosed = false;
  /** Fulfilled when the running request has ended. */
  #running = Promise.resolve();
  #ends = new AbortController();
  #watched = new Set();

  static async open(name, options) {
    return new Host(await Session.open(name, options));
  }

  constructor(session) {
    this.#session = session;
  }

  /** Whether a worker is in a transaction. */
  isHolder(id) {
    return this.#holder === id;
  }

  /** Runs a request of a worker, in its turn, unless or until `signal` stops it. */
  run(from, method, args, signal) {
    if (this.#isClosed) throw notRun();
    if (!METHODS.has(method)) throw new TypeError(`there is no request ${method}`);
    if (this.#waiting.length >= MAX_WAITING) throw new RangeError(`${MAX_WAITING} requests wait already`);
    this.#watch(from);
    return new Promise((resolve, reject) => {
      const request = { from, method, args, isStoppable: signal !== undefined, resolve, reject };
      this.#waiting.push(request);
      signal?.addEventListener('abort', () => this.#interrupt(request));
      this.#next();
    });
  }

  #interrupt(request) {
    if (request === this.#current) this.#session.interrupt();
    const index = this.#waiting.indexOf(request);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    request.reject(notBegun());
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
    if (this.#isClosed) return;
    this.#waiting = this.#waiting.filter(({ from }) => from !== id);
    if (this.#holder === id) this.#waiting.unshift({ from: id, method: 'execute', args: ['ROLLBACK'], resolve: () => {}, reject: () => {} });
    this.#next();
  }

  async #next() {
    if (this.#current) return;
    const index = this.#waiting.findIndex(({ from }) => this.#holder === null || from === this.#holder);
    if (index < 0) return;
    const [request] = this.#waiting.splice(index, 1);
    const { from, method, args, resolve, reject } = request;
    this.#current = request;
    this.#session.isStoppable = request.isStoppable;
    const run = async () => this.#session[method](...args);
    const result = run();
    this.#running = result.catch(() => {});
    try {
      resolve(await result);
    } catch (error) {
      reject(error);
    }
    this.#holder = this.#session.inTransaction ? from : null;
    this.#current = null;
    this.#next();
  }

  async close() {
    this.#isClosed = true;
    this.#ends.abort();
    for (const { reject } of this.#waiting.splice(0)) reject(notRun());
    await this.#running;
    await this.#session.close();
  }
}
