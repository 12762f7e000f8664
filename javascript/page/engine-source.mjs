// The database of the engine in a worker of this page, on a file of OPFS or in memory.

import { Running } from './running.mjs';

const INDEX = 'extensions/index.json';

/** Milliseconds of a statement: a view of a stranger's file may have no end. */
const STATEMENT_TIME = 60_000;

/** A number of JavaScript is bound as a real one, which a column without a type would keep. */
const integer = (value) => (Number.isSafeInteger(value) ? BigInt(value) : value);

export class EngineSource {
  #database = null;
  #loaded = [];
  running = new Running();

  /**
   * @param {(name: string, options?: object) => Promise<any>} open Of the package.
   * @param {string} name
   */
  constructor(open, name) {
    this.open = open;
    this.name = name;
  }

  async start() {
    this.#database = await this.open(this.name, { statementTime: STATEMENT_TIME });
    const loaded = this.#loaded.splice(0);
    for (const entry of loaded) await this.loadExtension(entry);
  }

  /** Leaves the files to somebody else, until `start`. */
  async stop() {
    const database = this.#database;
    this.#database = null;
    await database?.close();
  }

  canWrite() {
    return Promise.resolve(true);
  }

  query(sql, params, options) {
    if (!this.#database) return Promise.reject(new Error('the shell has the database open'));
    return this.running.run((signal) => this.#database.query(sql, params?.map(integer), { ...options, signal }));
  }

  serialize() {
    return this.#database.serialize();
  }

  restore(bytes) {
    return this.#database.restore(bytes);
  }

  /** The extensions beside the page, with their hashes. */
  async extensions() {
    const entries = await (await fetch(INDEX)).json();
    return entries.map((entry) => ({ ...entry, isLoaded: this.#loaded.some(({ name }) => name === entry.name) }));
  }

  /** Loads one of those, or the bytes of another. */
  async loadExtension(entry) {
    const { name, sha256, grants, bytes } = entry;
    await this.#database.loadExtension(bytes ?? new URL(`extensions/${name}.wasm`, document.baseURI), { sha256, grants });
    this.#loaded.push(entry);
  }
}
