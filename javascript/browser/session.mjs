// Runs SQL for the client: several statements of a text, their rows as arrays, and errors with their position. Requests
// come one after the other; the engine may be suspended in one while an extension waits for its SQL.

import { CALL, CODE } from '../src/opcodes.js';
import { Database } from '../src/api/database.js';
import { LimitError } from '../src/api/errors.js';
import { isSuccess } from '../src/engine/engine.js';
import { Parameters, writeBindings } from '../src/api/parameters.js';
import { readRaw } from '../src/api/rows.js';
import { hasStatement } from '../src/api/sql-text.js';
import { openParts } from './database.mjs';
import { interrupted } from './errors.mjs';
import { loadExtension } from './load.mjs';
import { restore } from './restore.mjs';
import { canSuspend } from './suspendable-instance.mjs';

const ROWS_AT_ONCE = 1024;

/** The bytes of a text that are sent to prepare its next statement: all that are left would be a copy for each. */
const WINDOW_BYTES = 16 << 10;

const { isSafeInteger } = Number;
const plain = (value) => (typeof value === 'bigint' && isSafeInteger(Number(value)) ? Number(value) : value);

/** What a statement has left that was stopped. */
function stopped(wasInTransaction, isInTransaction) {
  if (isInTransaction) return interrupted('the statement was stopped; the transaction is still open');
  return interrupted(`the statement was stopped${wasInTransaction ? '; the transaction was rolled back' : ', and has changed nothing'}`);
}

/** A prepared statement. */
class Prepared {
  constructor(reader) {
    this.handle = reader.u32();
    this.used = reader.u32();
    if (this.handle === 0) return;
    this.isReadOnly = reader.u8() !== 0;
    reader.u8();
    this.parameters = Array.from({ length: reader.count(4) }, () => reader.optionalText());
    this.columns = Array.from({ length: reader.count(4) }, () => reader.optionalText() ?? '');
  }
}

export class Session {
  #database;
  #connection;
  #dispatch;
  #disk;
  /** Extensions are loaded, and can run SQL: each statement may have to wait for them. */
  #waits = false;
  /** The running request can be stopped; suspending the engine for it costs 0.2 ms for each statement. */
  isStoppable = false;
  /** The user has stopped the running request. */
  #isInterrupted = false;

  static async open(name, options) {
    const { database, disk } = await openParts(name, options);
    return new Session(database, disk);
  }

  constructor(database, disk) {
    this.#database = database;
    this.#disk = disk;
    const { connection, dispatch } = Database.partsOf(database);
    this.#connection = connection;
    this.#dispatch = dispatch;
  }

  get inTransaction() {
    return this.#database.inTransaction;
  }

  #send(writer) {
    return this.#waits ? this.#connection.sendWaiting(writer) : this.#connection.send(writer);
  }

  /** The same for what can take long, during which the worker reads messages. */
  #sendStep(writer) {
    if (!canSuspend || !this.isStoppable) return this.#send(writer);
    return this.#connection.engine.process.yielding(() => this.#connection.sendWaiting(writer));
  }

  /** Stops the running request, as soon as SQLite looks. */
  interrupt() {
    this.#isInterrupted = true;
    this.#connection.engine.process.interrupt();
  }

  async #call(call, handle, ...words) {
    const writer = this.#connection.calls();
    writer.u8(call);
    writer.u32(handle);
    for (const word of words) writer.u32(word);
    return this.#send(writer);
  }

  /** Fails with where in the whole text that is, in characters. */
  #check(head, bytes, start) {
    if (isSuccess(head.code)) return;
    const error = this.#connection.failure(head);
    const { offset } = head;
    if (offset >= 0) error.offset = bytes.toString('utf8', 0, start + offset).length;
    throw error;
  }

  async #prepare(bytes, start) {
    let end = start + WINDOW_BYTES;
    if (end < bytes.length) {
      // Not in the middle of a character.
      while ((bytes[end] & 0xc0) === 0x80 && end > start) end--;
      const { head, reader } = await this.#sendText(bytes, start, end);
      if (isSuccess(head.code)) {
        const prepared = new Prepared(reader);
        // A statement that comes to the end of the window may be longer.
        if (start + prepared.used < end) return prepared;
        if (prepared.handle) await this.#call(CALL.FINALIZE, prepared.handle);
      }
    }
    const { head, reader } = await this.#sendText(bytes, start, bytes.length);
    this.#check(head, bytes, start);
    return new Prepared(reader);
  }

  #sendText(bytes, start, end) {
    const writer = this.#connection.calls();
    writer.u8(CALL.PREPARE);
    writer.u32(0);
    writer.blob(bytes.subarray(start, end));
    return this.#send(writer);
  }

  /** All rows, or the first ones. */
  async #step(prepared, params, most, bytes, start) {
    const bound = new Parameters(prepared.parameters).collect(params);
    const { limits } = this.#connection;
    const rows = [];
    let isCut = false;
    let size = 0;
    for (let isFirst = true; ; isFirst = false) {
      const writer = this.#connection.calls();
      if (isFirst && bound.length > 0) writeBindings(writer, prepared.handle, bound);
      writer.u8(CALL.STEP);
      writer.u32(prepared.handle);
      writer.u32(ROWS_AT_ONCE);
      const { head, reader } = await this.#sendStep(writer);
      this.#check(head, bytes, start);
      size += reader.left;
      reader.u8();
      const count = reader.u32();
      const width = reader.u32();
      if (count * width > reader.left) throw new Error('the engine has sent a malformed reply');
      for (let index = 0; index < count; index++) {
        if (rows.length < most) rows.push(readRaw(reader, width, true).map(plain));
        else isCut = true;
      }
      if (rows.length > limits.rows) throw new LimitError('rows', limits.rows);
      if (size > limits.bytes) throw new LimitError('bytes', limits.bytes);
      if (isCut || head.code === CODE.DONE) {
        return { rows, isCut, changes: head.changes, lastInsertRowid: plain(head.lastInsertRowid(true)) };
      }
    }
  }

  async #types(prepared) {
    if (prepared.columns.length === 0) return [];
    const { head, reader } = await this.#call(CALL.DECLARED, prepared.handle);
    if (!isSuccess(head.code)) return [];
    return Array.from({ length: reader.count(4) }, () => reader.optionalText());
  }

  async #run(prepared, params, most, bytes, start) {
    const connection = this.#connection;
    const before = connection.totalChanges;
    const wasInTransaction = this.inTransaction;
    connection.engine.process.begin(connection.limits.statementTime);
    const began = performance.now();
    try {
      if (this.#isInterrupted) connection.engine.process.interrupt();
      const types = await this.#types(prepared);
      const result = await this.#step(prepared, params, most, bytes, start);
      const columns = prepared.columns.map((name, index) => ({ name, type: types[index] ?? null }));
      const changes = connection.totalChanges === before ? 0 : result.changes;
      return { ...result, columns, changes, isReadOnly: prepared.isReadOnly, time: performance.now() - began };
    } catch (error) {
      throw this.#isInterrupted && error.code === 'SQLITE_INTERRUPT' ? stopped(wasInTransaction, this.inTransaction) : error;
    } finally {
      // Until the next statement there is nothing to end.
      connection.engine.process.begin(Infinity);
      if (!connection.engine.hasEnded) await this.#call(CALL.FINALIZE, prepared.handle);
    }
  }

  /** A statement that names a database which was not opened ahead is run again when it is open. */
  async #runOpening(prepare, run) {
    this.#disk.missing = null;
    try {
      return await run(await prepare());
    } catch (error) {
      const { missing } = this.#disk;
      if (!missing) throw error;
      await this.#disk.openAhead(missing.slice(1));
      return run(await prepare());
    }
  }

  /**
   * Runs the statements of a text.
   * @param {string} sql
   * @param {any[]} params Of its only statement.
   * @param {number} most Rows of each statement that are returned.
   */
  async execute(sql, params = [], most = Infinity) {
    const bytes = Buffer.from(sql);
    const results = [];
    this.#isInterrupted = false;
    for (let start = 0; start < bytes.length; ) {
      const begin = start;
      let used = 0;
      const prepare = async () => {
        const prepared = await this.#prepare(bytes, begin);
        used = prepared.used;
        return prepared;
      };
      const run = (prepared) => (prepared.handle === 0 ? null : this.#run(prepared, params, most, bytes, begin));
      const result = await this.#runOpening(prepare, run);
      if (result) results.push(result);
      if (used === 0) break;
      start += used;
      if (params.length > 0 && hasStatement(bytes.toString('utf8', start))) {
        throw new RangeError('parameters are for one statement, and there are several');
      }
    }
    return results;
  }

  /** Loads an extension from its bytes, or from a URL with its SHA-256. */
  async loadExtension(source, options) {
    const from = typeof source === 'string' ? new URL(source) : source;
    const loaded = await loadExtension(this.#connection, this.#dispatch.loaded(), from, options);
    this.#waits = canSuspend;
    return loaded;
  }

  /** The bytes of the database's file. */
  serialize() {
    return new Uint8Array(this.#database.serialize());
  }

  /** Replaces the content by that of a database's file, in one transaction: a kill leaves the old or the new one. */
  restore(bytes) {
    this.#connection.checkIdle();
    restore(this.#connection, bytes);
  }

  async close() {
    try {
      // Then the database finds nothing left to close but its extensions.
      if (this.#waits) await this.#connection.closeWaiting();
      this.#database.close();
      this.#dispatch.close();
    } finally {
      await this.#disk.close();
    }
  }
}
