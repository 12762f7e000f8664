'use strict';
// Databases, with the interface of better-sqlite3.

const { CALL, CODE } = require('../opcodes.js');
const { Engine } = require('../engine/engine.js');
const { DEFAULT_MEMORY } = require('../engine/limits.js');
const { Dispatch } = require('../extensions/lazy-dispatch.js');
const { Callbacks } = require('./callbacks.js');
const { Connection, openingError } = require('./connection.js');
const { SqliteError } = require('./errors.js');
const { directoriesOption, openFlags, openHost } = require('./opening.js');
const { booleanOption, flagArgument, limitOption, optionsObject } = require('./options.js');
const { PERMIT, Statement } = require('./statement.js');
const { makeTransaction } = require('./transaction.js');

const DEFAULT_TIMEOUT = 5000;
const MAX_TIMEOUT = 0x7fffffff;

/** `SQLITE_DBCONFIG_…` */
const DBCONFIG = Object.freeze({ ENABLE_FKEY: 1002, DEFENSIVE: 1010, DQS_DML: 1013, DQS_DDL: 1014 });

/** As better-sqlite3 is compiled: SQL cannot write what would corrupt the database, foreign keys hold, "x" is never a text. */
const SETTINGS = Object.freeze([
  [DBCONFIG.DEFENSIVE, true],
  [DBCONFIG.ENABLE_FKEY, true],
  [DBCONFIG.DQS_DML, false],
  [DBCONFIG.DQS_DDL, false],
]);

/** `SQLITE_DESERIALIZE_RESIZEABLE` and `…_READONLY`. */
const RESIZEABLE = 2;
const READ_ONLY = 4;

/** Files of databases that nobody can use any more are closed. */
const forgotten = new FinalizationRegistry((engine) => engine.end(new Error('it was not closed')));

function readOptions(filename, given) {
  const buffer = Buffer.isBuffer(filename) ? filename : null;
  const name = buffer ? ':memory:' : (filename ?? '');
  if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
  const options = optionsObject(given, 'second');
  if ('readOnly' in options) throw new TypeError('Misspelled option "readOnly" should be "readonly"');
  const file = name.trim();
  const isAnonymous = file === '' || file === ':memory:';
  const isReadOnly = booleanOption(options, 'readonly');
  const mustExist = booleanOption(options, 'fileMustExist');
  const isExclusive = booleanOption(options, 'exclusive');
  if (isReadOnly && isAnonymous && !buffer) {
    throw new TypeError('In-memory/temporary databases cannot be readonly');
  }
  return {
    name, file, buffer, isAnonymous, isReadOnly, mustExist, isExclusive,
    timeout: timeoutOption(options),
    verbose: verboseOption(options),
    directories: directoriesOption(options),
    limits: {
      memory: limitOption(options, 'memory', DEFAULT_MEMORY),
      statementTime: limitOption(options, 'statementTime'),
      rows: limitOption(options, 'rows'),
      bytes: limitOption(options, 'bytes'),
    },
  };
}

function timeoutOption(options) {
  const timeout = 'timeout' in options ? options.timeout : DEFAULT_TIMEOUT;
  if (!Number.isInteger(timeout) || timeout < 0) {
    throw new TypeError('Expected the "timeout" option to be a positive integer');
  }
  if (timeout > MAX_TIMEOUT) throw new RangeError(`Option "timeout" cannot be greater than ${MAX_TIMEOUT}`);
  return timeout;
}

function verboseOption(options) {
  const verbose = 'verbose' in options ? options.verbose : null;
  if (verbose !== null && verbose !== undefined && typeof verbose !== 'function') {
    throw new TypeError('Expected the "verbose" option to be a function');
  }
  return verbose ?? null;
}

class Database {
  #connection;
  #callbacks;
  #address = 0;
  #dispatch;

  constructor(filename, givenOptions) {
    const options = readOptions(filename, givenOptions);
    const { module, files, process, target, suspends } = openHost(options, givenOptions);
    this.#dispatch = new Dispatch();
    const engine = new Engine(module, { files, process, dispatch: this.#dispatch, suspends });
    this.#dispatch.engine = engine;
    try {
      this.#open(engine, target, options);
    } catch (error) {
      this.#dispatch.close();
      engine.end(error);
      throw error;
    }
    forgotten.register(this, engine, this);
    const fixed = (value) => ({ value, enumerable: true });
    const computed = (get) => ({ get, enumerable: true });
    Object.defineProperties(this, {
      name: fixed(options.name),
      open: computed(() => this.#connection.isOpen),
      inTransaction: computed(() => this.#connection.isOpen && !this.#connection.isAutocommit),
      readonly: fixed(options.isReadOnly),
      memory: fixed(options.isAnonymous),
    });
  }

  /** The connection and the extensions of a database, for the other modules of the package. */
  static partsOf(database) {
    return { connection: database.#connection, dispatch: database.#dispatch };
  }

  #open(engine, target, options) {
    const connection = openConnection(engine, target, options);
    this.#connection = connection;
    this.#callbacks = new Callbacks(connection);
    connection.logger = options.verbose;
    this.#address = connection.address;
    this.#connection.configure(SETTINGS);
    if (options.isExclusive) new Statement(PERMIT, this, connection, 'PRAGMA locking_mode = EXCLUSIVE', true).get();
    if (options.buffer) this.#deserialize(options.buffer, options.isReadOnly);
  }

  #deserialize(buffer, isReadOnly) {
    const { head } = this.#connection.request((writer) => {
      writer.u8(CALL.DESERIALIZE);
      writer.text('main');
      writer.blob(buffer);
      writer.i64(buffer.length);
      writer.u32(isReadOnly ? RESIZEABLE | READ_ONLY : RESIZEABLE);
    });
    if (head.code !== CODE.OK) throw new SqliteError('unable to deserialize database', 'SQLITE_ERROR');
  }

  /** Prepares the one statement of a text. */
  prepare(sql) {
    if (typeof sql !== 'string') throw new TypeError('Expected first argument to be a string');
    return new Statement(PERMIT, this, this.#connection, sql, false);
  }

  /** Runs all statements of a text. */
  exec(sql) {
    if (typeof sql !== 'string') throw new TypeError('Expected first argument to be a string');
    const connection = this.#connection;
    connection.checkOpen();
    connection.checkNotBusy();
    connection.checkNoIteratorsUnlessUnsafe();
    connection.run(() => {
      connection.logger?.(sql.trim());
      connection.call((writer) => {
        writer.u8(CALL.EXECUTE);
        writer.text(sql);
      });
    });
    return this;
  }

  /** The rows of a PRAGMA, or with `simple` its first value. */
  pragma(source, options) {
    const given = optionsObject(options, 'second');
    if (typeof source !== 'string') throw new TypeError('Expected first argument to be a string');
    const isSimple = booleanOption(given, 'simple');
    const statement = new Statement(PERMIT, this, this.#connection, `PRAGMA ${source}`, true);
    return isSimple ? statement.pluck().get() : statement.all();
  }

  transaction(fn) {
    return makeTransaction(this, fn);
  }

  function(name, options, fn) {
    require('../late.js').functions.defineFunction(this.#connection, this.#callbacks, name, options, fn);
    return this;
  }

  aggregate(name, options) {
    require('../late.js').functions.defineAggregate(this.#connection, this.#callbacks, name, options);
    return this;
  }

  table(name, factory) {
    require('../late.js').tables.defineTable(this.#connection, this.#callbacks, name, factory);
    return this;
  }

  backup(filename, options) {
    return require('../late.js').backup.runBackup(this.#connection, this.#address, filename, options);
  }

  /** The content of a database as the bytes of a file. */
  serialize(options) {
    const given = optionsObject(options, 'first');
    const schema = 'attached' in given ? given.attached : 'main';
    if (typeof schema !== 'string') throw new TypeError('Expected the "attached" option to be a string');
    if (!schema) throw new TypeError('The "attached" option cannot be an empty string');
    this.#connection.checkIdle();
    const reader = this.#connection.call((writer) => {
      writer.u8(CALL.SERIALIZE);
      writer.text(schema);
      writer.u32(0);
    });
    const size = reader.i64();
    if (size < 0) throw new SqliteError(`unknown database ${schema}`, 'SQLITE_ERROR');
    return size > 0 ? reader.blob() : Buffer.alloc(0);
  }

  /** Loads an extension: a name or path, its bytes, or a promise for a URL with its SHA-256. */
  loadExtension(source, options) {
    this.#connection.checkIdle();
    const { loadExtension } = require('../late.js').extensions;
    const result = loadExtension(this.#connection, this.#dispatch.loaded(), source, options);
    return typeof result?.then === 'function' ? result.then(() => this) : this;
  }

  close() {
    const connection = this.#connection;
    if (!connection.isOpen) return this;
    connection.checkNotBusy();
    connection.checkNoIterators();
    forgotten.unregister(this);
    try {
      connection.close();
    } finally {
      this.#dispatch.close();
    }
    return this;
  }

  defaultSafeIntegers(...args) {
    this.#connection.safeIntegers = flagArgument(args);
    return this;
  }

  unsafeMode(...args) {
    this.#connection.isUnsafe = flagArgument(args);
    this.#connection.configure([[DBCONFIG.DEFENSIVE, !this.#connection.isUnsafe]]);
    return this;
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    const { name, open, inTransaction, readonly, memory } = this;
    return Object.assign(Object.create({ constructor: Database }), { name, open, inTransaction, readonly, memory });
  }
}

/** Opens the connection; failures of SQLite become errors of the program. */
function openConnection(engine, target, options) {
  const flags = openFlags(options);
  try {
    return new Connection(engine, engine.open(target, flags, options.timeout), options.limits);
  } catch (error) {
    throw openingError(error, options.limits);
  }
}

/** As a function it makes a database too. */
const callable = new Proxy(Database, {
  apply: (target, _this, args) => new target(...args),
});

module.exports = { DBCONFIG, Database: callable };
