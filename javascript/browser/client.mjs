// The promise-based client of a page: `open` starts a worker with the engine, and the methods are messages to it.

import { interrupted, notBegun, unpacked } from './errors.mjs';

/** The worker of this package, beside this file. */
const WORKER = new URL('./worker.js', import.meta.url);

/** Milliseconds for a worker to read that a statement is to end. */
const PATIENCE = 2000;

/** Sets an own property, also where the name is `__proto__`, which comes from SQL. */
const setOwn = (object, name, value) =>
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });

const objectOf = (columns, row) => columns.reduce((object, { name }, index) => setOwn(object, name, row[index]), {});

export class Database {
  #worker = null;
  #begin;
  #opening;
  #waiting = new Map();
  #next = 0;
  /** The arguments with which extensions were loaded: another worker has none. */
  #extensions = [];

  /** For `open`: `begin` makes a worker, and `opening` is what it opens. */
  constructor(begin, ...opening) {
    this.#begin = begin;
    this.#opening = opening;
    this.#start();
  }

  #start() {
    const worker = this.#begin();
    this.#worker = worker;
    worker.onmessage = ({ data: { number, result, error } }) => {
      const { resolve, reject } = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (error) reject(unpacked(error));
      else resolve(result);
    };
    worker.onerror = (event) => this.#end(new Error(`the worker has ended: ${event.message ?? 'it did not load'}`));
  }

  #end(error) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #call(method, ...args) {
    return this.#stoppable(undefined, method, ...args);
  }

  /** Sends a request, which `signal` can stop. */
  #stoppable(signal, method, ...args) {
    if (!this.#worker) return Promise.reject(new TypeError('The database connection is not open'));
    if (signal?.aborted) return Promise.reject(notBegun());
    const number = this.#next++;
    const stop = () => this.#interrupt(number);
    signal?.addEventListener('abort', stop);
    const reply = new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.postMessage({ number, method, args, isStoppable: signal !== undefined });
    });
    return reply.finally(() => signal?.removeEventListener('abort', stop));
  }

  /** Without JSPI a worker does not read messages while a statement runs, so it ends with the statement. */
  async #interrupt(number) {
    const worker = this.#worker;
    const isRead = this.#call('interrupt', number).then(() => true, () => true);
    const isLate = new Promise((late) => { setTimeout(late, PATIENCE, false); });
    if (await Promise.race([isRead, isLate]) || this.#worker !== worker || !this.#waiting.has(number)) return;
    // What is in its memory would be lost.
    if (this.#opening[0] === ':memory:') return;
    this.#end(interrupted('the statement was stopped with its worker; what was not committed is rolled back'));
    this.#start();
    const fail = (error) => this.#end(error);
    this.#call('open', ...this.#opening).catch(fail);
    for (const args of this.#extensions) this.#call('loadExtension', ...args).catch(fail);
  }

  /** For `open`. */
  static async start(begin, name, options) {
    const database = new Database(begin, name, options);
    try {
      await database.#call('open', name, options);
    } catch (error) {
      database.#end(error);
      throw error;
    }
    return database;
  }

  /**
   * Runs all statements of a text.
   * @param {string} sql
   * @param {any[]} params For one statement: values, or an object with names.
   * @param {{ rows?: number, signal?: AbortSignal }} options `rows`: how many of each statement are returned; `signal`:
   *   stops the statement that runs. The error says what became of its transaction.
   * @returns {Promise<{ columns: { name: string, type: string | null }[], rows: any[][], isCut: boolean, changes: number,
   *   lastInsertRowid: number | bigint, time: number }[]>} A result for each statement; rows are arrays.
   */
  query(sql, params = [], { rows, signal } = {}) {
    return this.#stoppable(signal, 'execute', sql, params, rows);
  }

  /** Runs all statements of a text for what they change. */
  async exec(sql) {
    await this.query(sql, [], { rows: 0 });
  }

  /** The rows of a statement as objects. */
  async all(sql, ...params) {
    const [result] = await this.query(sql, params);
    return result ? result.rows.map((row) => objectOf(result.columns, row)) : [];
  }

  /** The first row of a statement, or undefined. */
  async get(sql, ...params) {
    const [result] = await this.query(sql, params, { rows: 1 });
    return result?.rows.length ? objectOf(result.columns, result.rows[0]) : undefined;
  }

  /** Runs a statement for what it changes. */
  async run(sql, ...params) {
    const [result] = await this.query(sql, params, { rows: 0 });
    return { changes: result?.changes ?? 0, lastInsertRowid: result?.lastInsertRowid ?? 0 };
  }

  /** Loads an extension from its bytes, or from a URL with `{ sha256 }`. `{ grants: ['sql'] }` lets it run SQL. */
  async loadExtension(source, options) {
    const from = typeof source === 'string' || source instanceof URL ? new URL(source, document.baseURI).href : source;
    const loaded = await this.#call('loadExtension', from, options);
    this.#extensions.push([from, options]);
    return loaded;
  }

  /** The bytes of the database's file. */
  serialize() {
    return this.#call('serialize');
  }

  /** Replaces the content by that of a database's file, in one transaction. */
  restore(bytes) {
    return this.#call('restore', bytes);
  }

  /** Whether this tab has the files open; others send their statements to it. */
  isOwner() {
    return this.#call('isOwner');
  }

  async close() {
    if (!this.#worker) return;
    await this.#call('close');
    this.#end(new TypeError('The database connection is not open'));
  }
}

/**
 * Opens a database.
 * @param {string} name Of a file in OPFS, or `:memory:`.
 * @param {{ memory?: number, statementTime?: number, rows?: number, bytes?: number, temporary?: number, worker?: string | URL,
 *   engine?: string | URL }} options Limits, as in Node; `temporary`: most bytes of temporary data; `worker` and `engine`:
 *   where worker.js and engine.wasm are.
 * @returns {Promise<Database>}
 */
export async function open(name, { worker = WORKER, engine, ...limits } = {}) {
  const options = engine ? { ...limits, engine: new URL(engine, document.baseURI).href } : limits;
  return Database.start(() => new Worker(worker, { type: 'module' }), name, options);
}
