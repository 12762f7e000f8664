'use strict';
// Prepared statements.

const { CALL, CODE } = require('../opcodes.js');
const { isSuccess } = require('../engine/engine.js');
const { LimitError } = require('./errors.js');
const { StatementIterator } = require('./iterator.js');
const { flagArgument } = require('./options.js');
const { writeBindings } = require('./parameters.js');
const { MODE, formed, readRaw, readRow } = require('./rows.js');
const { hasStatement } = require('./sql-text.js');

/** `SQLITE_PREPARE_PERSISTENT`. */
const PERSISTENT = 1;

/** Rows that one request asks for: few at first, since most statements have few. */
const FIRST_ROWS = 32;
const MOST_ROWS = 1024;

/** Only a database can make statements. */
const PERMIT = Symbol('permit');

class Statement {
  #connection;
  #handle = 0;
  #parameters;
  #names = [];
  #tables = null;
  #mode = MODE.FLAT;
  #safeIntegers;
  #bound = null;
  #isLocked = false;
  /** SQLite has stepped it since it was reset. */
  #isStepped = false;
  /** For `get`, which would make a list for each row. */
  #single = [];

  constructor(permit, database, connection, source, isPragma) {
    if (permit !== PERMIT) {
      throw new TypeError('Statements can only be constructed by the db.prepare() method');
    }
    connection.checkOpen();
    connection.checkNotBusy();
    if (isPragma) connection.checkNoIteratorsUnlessUnsafe();
    this.#connection = connection;
    this.#safeIntegers = connection.safeIntegers;
    const isReadOnly = connection.run(() => this.#prepare(source, isPragma ? 0 : PERSISTENT));
    const fixed = (value) => ({ value, enumerable: true });
    Object.defineProperties(this, {
      reader: fixed(this.#names.length > 0 || isPragma),
      readonly: fixed(isReadOnly),
      source: fixed(source),
      database: fixed(database),
    });
  }

  /** What other modules of the package use of a statement. */
  static partsOf(statement) {
    return {
      parameters: statement.#parameters,
      names: () => statement.#names,
      expanded: () => statement.#connection.call((writer) => statement.#on(writer, CALL.EXPANDED_SQL)).optionalText(),
    };
  }

  #prepare(source, flags) {
    const connection = this.#connection;
    connection.finalizeGarbage();
    const { head, reader } = connection.request((writer) => {
      writer.u8(CALL.PREPARE);
      writer.u32(flags);
      writer.text(source);
    });
    connection.check(head);
    this.#handle = reader.u32();
    const used = reader.u32();
    if (this.#handle === 0) throw new RangeError('The supplied SQL string contains no statements');
    connection.adopt(this.#handle, this);
    const isReadOnly = this.#readDescription(reader);
    // Usually nothing follows.
    const isWhole = connection.ignoresTail || used >= Buffer.byteLength(source);
    if (!isWhole && hasStatement(Buffer.from(source).toString('utf8', used))) {
      connection.finalize(this.#handle);
      throw new RangeError('The supplied SQL string contains more than one statement');
    }
    return isReadOnly;
  }

  #readDescription(reader) {
    const isReadOnly = reader.u8() !== 0;
    reader.u8();
    const parameters = Array.from({ length: reader.count(4) }, () => reader.optionalText());
    this.#names = Array.from({ length: reader.count(4) }, () => reader.optionalText() ?? '');
    this.#parameters ??= new this.#connection.Parameters(parameters);
    this.#tables = null;
    return isReadOnly;
  }

  /** The schema has changed, and with it the columns. */
  #describeAgain() {
    this.#readDescription(this.#connection.call((writer) => this.#on(writer, CALL.DESCRIBE)));
  }

  #on(writer, call) {
    writer.u8(call);
    writer.u32(this.#handle);
  }

  /** Checks what every execution needs, and returns the values of parameters. */
  #start(args, returnsData) {
    if (returnsData && !this.reader) {
      throw new TypeError('This statement does not return data. Use run() instead');
    }
    const connection = this.#connection;
    connection.checkOpen();
    connection.checkNotBusy();
    this.#checkNotLocked();
    if (!returnsData) connection.checkNoIteratorsUnlessUnsafe();
    if (!this.#bound) return this.#collect(args);
    if (args.length > 0) throw new TypeError('This statement already has bound parameters');
    return this.#bound;
  }

  #checkNotLocked() {
    if (this.#isLocked) throw new TypeError('This statement is busy executing a query');
  }

  /** Getters of the program can have closed the database, or begun to iterate over the statement. */
  #collect(args) {
    const bound = this.#parameters.collect(args);
    this.#connection.checkOpen();
    this.#checkNotLocked();
    return bound;
  }

  /** Sends calls to begin an execution: reset, bindings, a step, and at the end of a whole one a reset. */
  #execute(bound, limit, isWhole = false) {
    if (this.#connection.logger) this.#log(bound);
    const writer = this.#connection.calls();
    if (this.#isStepped) this.#on(writer, CALL.RESET);
    if (bound.length > 0) writeBindings(writer, this.#handle, bound);
    this.#step(writer, limit);
    if (isWhole) this.#on(writer, CALL.RESET);
    this.#isStepped = true;
    return this.#connection.send(writer);
  }

  /** Reports the SQL with its values to the program. */
  #log(bound) {
    const reader = this.#connection.call((writer) => {
      if (this.#isStepped) this.#on(writer, CALL.RESET);
      if (bound.length > 0) writeBindings(writer, this.#handle, bound);
      this.#on(writer, CALL.EXPANDED_SQL);
    });
    this.#isStepped = false;
    this.#connection.logger(reader.optionalText() ?? this.source);
  }

  #step(writer, limit) {
    this.#on(writer, CALL.STEP);
    writer.u32(limit);
  }

  /** Ends an execution that has not come to its end, so that it has no locks. */
  #reset() {
    if (!this.#isStepped || !this.#connection.isOpen || this.#connection.engine.hasEnded) return;
    this.#connection.request((writer) => this.#on(writer, CALL.RESET));
    this.#isStepped = false;
  }

  /** Reads the rows of a reply to a step. */
  #readRows(reader, rows) {
    const hasChanged = reader.u8() !== 0;
    const count = reader.u32();
    const width = reader.u32();
    if (hasChanged || this.#mode === MODE.EXPAND || width !== this.#names.length) {
      this.#formRows(reader, rows, count, width, hasChanged || width !== this.#names.length);
      return;
    }
    for (let index = 0; index < count; index++) rows.push(readRow(reader, width, this.#mode, this.#names, this.#safeIntegers));
  }

  /** The same if the names of the columns must be asked for, which overwrites the reply. */
  #formRows(reader, rows, count, width, hasChanged) {
    if (count * width > reader.left) throw new Error('the engine has sent a malformed reply');
    const values = Array.from({ length: count }, () => readRaw(reader, width, this.#safeIntegers));
    if (hasChanged) this.#describeAgain();
    const tables = this.#mode === MODE.EXPAND ? this.#tableNames() : [];
    for (const row of values) rows.push(formed(this.#mode, row, this.#names, tables));
  }

  #tableNames() {
    this.#tables ??= this.#origins().map(({ table }) => table);
    return this.#tables;
  }

  #origins() {
    const reader = this.#connection.call((writer) => this.#on(writer, CALL.ORIGINS));
    const texts = Array.from({ length: reader.count(4) }, () => reader.optionalText());
    return this.#names.map((_, index) => {
      const [database, table, column] = texts.slice(3 * index);
      return { database, table, column };
    });
  }

  /** Counts what a statement has returned so far. */
  #checkLimits(rows, bytes) {
    const { limits } = this.#connection;
    if (rows > limits.rows) this.#exceeded('rows');
    if (bytes > limits.bytes) this.#exceeded('bytes');
  }

  #exceeded(limit) {
    this.#reset();
    throw new LimitError(limit, this.#connection.limits[limit]);
  }

  /** Runs the statement. Rows that it returns are not read. */
  run(...args) {
    const bound = this.#start(args, false);
    const connection = this.#connection;
    connection.beginRun();
    try {
      const before = connection.totalChanges;
      const { head } = this.#execute(bound, 1, true);
      this.#isStepped = false;
      connection.check(head);
      return {
        changes: head.totalChanges === before ? 0 : head.changes,
        lastInsertRowid: head.lastInsertRowid(this.#safeIntegers),
      };
    } finally {
      connection.isBusy = false;
    }
  }

  /** The first row, or undefined. */
  get(...args) {
    const bound = this.#start(args, true);
    const connection = this.#connection;
    const rows = this.#single;
    connection.beginRun();
    try {
      const { head, reader } = this.#execute(bound, 1);
      this.#checkStep(head);
      const bytes = reader.left;
      const isDone = head.code === CODE.DONE;
      // As it was left by an error.
      while (rows.length > 0) rows.pop();
      this.#readRows(reader, rows);
      if (!isDone) this.#reset();
      this.#checkLimits(rows.length, bytes);
      return rows.pop();
    } finally {
      connection.isBusy = false;
    }
  }

  #checkStep(head) {
    if (!isSuccess(head.code)) {
      const error = this.#connection.failure(head);
      this.#reset();
      throw error;
    }
    this.#connection.check(head);
  }

  /** All rows. */
  all(...args) {
    const bound = this.#start(args, true);
    return this.#connection.run(() => {
      const rows = [];
      let bytes = 0;
      let limit = FIRST_ROWS;
      let { head, reader } = this.#execute(bound, limit);
      for (;;) {
        this.#checkStep(head);
        bytes += reader.left;
        const isDone = head.code === CODE.DONE;
        this.#readRows(reader, rows);
        this.#checkLimits(rows.length, bytes);
        if (isDone) return rows;
        limit = Math.min(4 * limit, MOST_ROWS);
        ({ head, reader } = this.#connection.request((writer) => this.#step(writer, limit)));
      }
    });
  }

  /** The rows one by one, read as they are asked for. */
  iterate(...args) {
    const bound = this.#start(args, true);
    const connection = this.#connection;
    connection.iterators++;
    this.#isLocked = true;
    let isBegun = false;
    let count = 0;
    let bytes = 0;
    return new StatementIterator(this, connection, {
      /** Reads the next rows. Returns whether these were the last. */
      next: (rows, limit) =>
        connection.run(() => {
          const step = (writer) => this.#step(writer, limit);
          const { head, reader } = isBegun ? connection.request(step) : this.#execute(bound, limit);
          isBegun = true;
          this.#checkStep(head);
          bytes += reader.left;
          const isDone = head.code === CODE.DONE;
          this.#readRows(reader, rows);
          count += rows.length;
          this.#checkLimits(count, bytes);
          return isDone;
        }),
      end: () => {
        connection.iterators--;
        this.#isLocked = false;
        this.#reset();
      },
    });
  }

  /** Binds parameters for good. */
  bind(...args) {
    if (this.#bound) throw new TypeError('The bind() method can only be invoked once per statement object');
    this.#connection.checkOpen();
    this.#connection.checkNotBusy();
    this.#checkNotLocked();
    // Later changes of a buffer do not count.
    this.#bound = this.#collect(args).map((value) => (Buffer.isBuffer(value) ? Buffer.from(value) : value));
    return this;
  }

  #setMode(name, mode, args) {
    if (!this.reader) throw new TypeError(`The ${name}() method is only for statements that return data`);
    this.#connection.checkNotBusy();
    this.#checkNotLocked();
    if (flagArgument(args)) this.#mode = mode;
    else if (this.#mode === mode) this.#mode = MODE.FLAT;
    return this;
  }

  /** Only the first column of each row. */
  pluck(...args) {
    return this.#setMode('pluck', MODE.PLUCK, args);
  }

  /** The columns of each row by their tables. */
  expand(...args) {
    return this.#setMode('expand', MODE.EXPAND, args);
  }

  /** Rows as arrays. */
  raw(...args) {
    return this.#setMode('raw', MODE.RAW, args);
  }

  /** Integers as bigints. */
  safeIntegers(...args) {
    this.#connection.checkNotBusy();
    this.#checkNotLocked();
    this.#safeIntegers = flagArgument(args);
    return this;
  }

  /** The columns, with the tables that they come from. */
  columns() {
    if (!this.reader) throw new TypeError('The columns() method is only for statements that return data');
    this.#connection.checkOpen();
    this.#connection.checkNotBusy();
    const origins = this.#origins();
    const reader = this.#connection.call((writer) => this.#on(writer, CALL.DECLARED));
    const types = Array.from({ length: reader.count(4) }, () => reader.optionalText());
    return this.#names.map((name, index) => {
      const { database, table, column } = origins[index];
      return { name, column, table, database, type: types[index] };
    });
  }

  /** Whether an iterator of it is open. */
  get busy() {
    return this.#isLocked && this.#connection.isOpen;
  }
}

module.exports = { PERMIT, Statement };
