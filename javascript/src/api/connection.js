'use strict';
// The connection of a database: its requests to the engine, its state, and its limits.

const { CALL, CODE, WORK } = require('../opcodes.js');
const { EngineEnded, EngineFailure, isSuccess, readHead } = require('../engine/engine.js');
const { LimitError, SqliteError, codeName } = require('./errors.js');
const { Parameters } = require('./parameters.js');

const BUSY = 'This database connection is busy executing a query';

class Connection {
  isOpen = true;
  /** A request runs, or a callback of it. */
  isBusy = false;
  /** Open iterators. */
  iterators = 0;
  safeIntegers = false;
  isUnsafe = false;
  /** The class of the parameters of its statements. */
  Parameters = Parameters;
  /** What follows the first statement of a text is ignored; otherwise it is an error. */
  ignoresTail = false;
  isAutocommit = true;
  /** Of all statements so far, as the last reply had it. */
  totalChanges = 0;
  /** Functions of the program exist, whose calls must not come earlier than the rows are read. */
  hasFunctions = false;
  /** What a callback has thrown: the statement fails with it. */
  #thrown = null;
  #statements = new Set();
  #garbage = [];
  #registry = new FinalizationRegistry((handle) => this.#garbage.push(handle));

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number} id
   * @param {{ memory: number, statementTime: number, rows: number, bytes: number }} limits
   */
  constructor(engine, id, limits) {
    this.engine = engine;
    this.id = id;
    this.limits = limits;
    // The address of SQLite's connection, for backups.
    this.address = this.call((writer) => {
      writer.u8(CALL.CONNECT);
      writer.u32(1);
      writer.u32(id);
    }).u32();
  }

  checkOpen() {
    if (!this.isOpen) throw new TypeError('The database connection is not open');
  }

  checkNotBusy() {
    if (this.isBusy) throw new TypeError(BUSY);
  }

  checkNoIterators() {
    if (this.iterators > 0) throw new TypeError(BUSY);
  }

  /** For what changes the database while rows are read. */
  checkNoIteratorsUnlessUnsafe() {
    if (!this.isUnsafe) this.checkNoIterators();
  }

  /** Open and able to begin something new. */
  checkIdle() {
    this.checkOpen();
    this.checkNotBusy();
    this.checkNoIterators();
  }

  /**
   * Sends calls that `write` writes. The reply is valid until the next request.
   * @returns {{ head: any, reader: import('../wire/reader.js').Reader }}
   */
  request(write) {
    const writer = this.calls();
    write(writer);
    return this.send(writer);
  }

  /** Begins a request, for `send`. Nothing else may be sent before that. */
  calls() {
    try {
      return this.engine.begin();
    } catch (error) {
      throw this.#translated(error);
    }
  }

  send(writer) {
    try {
      const reader = this.engine.perform(this.id, writer);
      const head = readHead(reader);
      this.isAutocommit = head.isAutocommit;
      this.totalChanges = head.totalChanges;
      return { head, reader };
    } catch (error) {
      if (!(error instanceof EngineFailure)) this.engine.end(error);
      throw this.#translated(error);
    }
  }

  /** The same as `send`, where extensions may wait for SQL: see `Engine.performWaiting`. */
  async sendWaiting(writer) {
    try {
      const reader = await this.engine.performWaiting(this.id, writer);
      const head = readHead(reader);
      this.isAutocommit = head.isAutocommit;
      this.totalChanges = head.totalChanges;
      return { head, reader };
    } catch (error) {
      if (!(error instanceof EngineFailure)) this.engine.end(error);
      throw this.#translated(error);
    }
  }

  /** An operation that is none of SQLite's functions, with a text as its argument. */
  program(operation, text) {
    try {
      const writer = this.engine.begin();
      writer.u8(operation);
      if (text !== undefined) writer.text(text);
      this.engine.perform(this.id, writer);
    } catch (error) {
      throw this.#translated(error);
    }
  }

  async programWaiting(operation, text) {
    try {
      const writer = this.engine.begin();
      writer.u8(operation);
      if (text !== undefined) writer.text(text);
      await this.engine.performWaiting(this.id, writer);
    } catch (error) {
      throw this.#translated(error);
    }
  }

  #translated(error) {
    if (error instanceof EngineFailure) return this.errorOf(error.code, error.message);
    return endedError(error);
  }

  /** Runs a statement: with a limit of its time, and so that callbacks cannot begin another one. */
  run(action) {
    this.beginRun();
    try {
      return action();
    } finally {
      this.isBusy = false;
    }
  }

  /** The same without a function, for callers that set `isBusy` back. */
  beginRun() {
    const { statementTime } = this.limits;
    if (statementTime !== Infinity) this.engine.process.begin(statementTime);
    this.isBusy = true;
  }

  /** Note what a callback has thrown. The first one counts. */
  noteThrown(error) {
    this.#thrown ??= { error };
  }

  /** The error of a reply. */
  failure(head) {
    return this.errorOf(head.extendedCode || head.code, head.message ?? 'unknown error');
  }

  errorOf(code, message) {
    if (this.#thrown) {
      const { error } = this.#thrown;
      this.#thrown = null;
      return error;
    }
    const { limits, engine } = this;
    if ((code & 0xff) === CODE.NOMEM) return new LimitError('memory', limits.memory);
    if ((code & 0xff) === CODE.INTERRUPT && engine.process.isExpired) {
      return new LimitError('statementTime', limits.statementTime);
    }
    return new SqliteError(message, codeName(code));
  }

  /** Throws the failure of a reply; also what a callback has thrown whose failure SQLite ignores. */
  check(head) {
    if (isSuccess(head.code) && !this.#thrown) return;
    throw this.failure(head);
  }

  /** A call whose reply is only its code. */
  call(write) {
    const { head, reader } = this.request(write);
    this.check(head);
    return reader;
  }

  /** Sets options of SQLite's connection: pairs of a `SQLITE_DBCONFIG_…` and whether it is on. */
  configure(settings) {
    this.call((writer) => {
      for (const [option, isOn] of settings) {
        writer.u8(CALL.DB_CONFIG);
        writer.u32(option);
        writer.u32(isOn ? 1 : 0);
      }
    });
  }

  /** A statement was prepared. It is finalized when `owner` is not reachable any more. */
  adopt(handle, owner) {
    this.#statements.add(handle);
    this.#registry.register(owner, handle);
  }

  /** Finalizes a statement, and those that nobody can use any more. */
  finalize(handle) {
    this.#garbage.push(handle);
    this.finalizeGarbage();
  }

  finalizeGarbage() {
    if (this.#garbage.length === 0) return;
    const handles = this.#garbage.splice(0).filter((handle) => this.#statements.delete(handle));
    if (handles.length === 0) return;
    this.request((writer) => {
      for (const handle of handles) {
        writer.u8(CALL.FINALIZE);
        writer.u32(handle);
      }
    });
  }

  async closeWaiting() {
    this.isOpen = false;
    const { engine } = this;
    try {
      if (!engine.hasEnded) await this.programWaiting(WORK.CLOSE_CONNECTION);
    } finally {
      engine.end(new Error('it was closed'));
    }
  }

  close() {
    this.isOpen = false;
    const { engine } = this;
    try {
      if (engine.hasEnded) return;
      this.#garbage.push(...this.#statements);
      this.finalizeGarbage();
      this.program(WORK.CLOSE_CONNECTION);
    } finally {
      engine.end(new Error('it was closed'));
    }
  }
}

/** The error of an engine that has ended. */
function endedError(error) {
  const ended = error instanceof EngineEnded ? error : new EngineEnded(error);
  return new SqliteError(ended.message, 'SQLITE_INTERNAL');
}

/** The error of a database that could not be opened. */
function openingError(error, limits) {
  if (error instanceof SqliteError) return error;
  if (!(error instanceof EngineFailure)) return endedError(error);
  if ((error.code & 0xff) === CODE.NOMEM) return new LimitError('memory', limits.memory);
  return new SqliteError(error.message, codeName(error.code));
}

module.exports = { Connection, openingError };
