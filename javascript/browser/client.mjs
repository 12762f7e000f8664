// The promise-based client of a page: `open` starts a worker with the engine, and the methods are messages to it.

import { unpacked } from './errors.mjs';

/** The worker of this package, beside this file. */
const WORKER = new URL('./worker.js', import.meta.url);

/** Sets an own property, also where the name is `__proto__`, which comes from SQL. */
const setOwn = (object, name, value) =>
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });

const objectOf = (columns, row) => columns.reduce((object, { name }, index) => setOwn(object, name, row[index]), {});

export class Database {
  #worker;
  #waiting = new Map();
  #next = 0;

  constructor(worker) {
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
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#worker?.terminate();
    this.#worker = null;
  }

  #call(method, ...args) {
    if (!this.#worker) return Promise.reject(new TypeError('The database connection is not open'));
    return new Promise((resolve, reject) => {
      this.#waiting.set(this.#next, { resolve, reject });
      this.#worker.postMessage({ number: this.#next++, method, args });
    });
  }

  /** For `open`. */
  static async start(worker, name, options) {
    const database = new Database(worker);
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
   * @param {{ rows?: number }} options `rows`: how many of each statement are returned.
   * @returns {Promise<{ columns: { name: string, type: string | null }[], rows: any[][], isCut: boolean, changes: number,
   *   lastInsertRowid: number | bigint, time: number }[]>} A result for each statement; rows are arrays.
   */
  query(sql, params = [], { rows } = {}) {
    return this.#call('execute', sql, params, rows);
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
  loadExtension(source, options) {
    const from = typeof source === 'string' || source instanceof URL ? new URL(source, document.baseURI).href : source;
    return this.#call('loadExtension', from, options);
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
  return Database.start(new Worker(worker, { type: 'module' }), name, options);
}
