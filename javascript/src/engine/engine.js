'use strict';
// One instance of the engine: SQLite in a WebAssembly module, with its own memory. It has one
// connection. An instance that traps is never called again.

const { CODE, WORK } = require('../opcodes.js');
const { fillSeed } = require('../host/random.js');
const { Log, Wasi } = require('../host/wasi.js');
const { Reader, MalformedReply } = require('../wire/reader.js');
const { Writer } = require('../wire/writer.js');
const { Events } = require('./events.js');
const { Memory } = require('./memory.js');
const { suspending } = require('./suspending.js');

const CONNECTIONS = 'sqlite-wasm:database/connections@0.1.0#';
const DISPATCH = 'sqlite-wasm:host/dispatch@0.1.0';

/** The size of each mailbox: most requests, and blocks of rows. */
const MAILBOX_BYTES = 64 << 10;

/** What can be sent without asking whether there is memory for it: see components/shared/wire/src/room.rs. */
const MAX_UNASKED = 16 << 10;

/** The last messages of SQLite's own log. */
const LOG_BYTES = 4 << 10;

/** The head of a reply of the library's calls. */
const HEAD_BYTES = 40;

/** A request failed as a whole. */
class EngineFailure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** The instance has trapped, and its connection with it. */
class EngineEnded extends Error {
  constructor(cause) {
    const isStack = cause instanceof RangeError && /call stack/.test(cause.message);
    const reason = isStack ? 'the statement is nested too deeply for the stack' : cause.message;
    super(`the connection has ended: ${reason}`, { cause });
  }
}

class Engine {
  #exports;
  #ended = null;
  #depth = 0;
  #writer = new Writer();

  /**
   * @param {WebAssembly.Module} module
   * @param {{ files: any, process: any, dispatch: any, suspends?: boolean }} host `suspends`: calls of extensions may
   *   return promises, and so may `performWaiting`.
   */
  constructor(module, { files, process, dispatch, suspends = false }) {
    this.files = files;
    this.process = process;
    this.events = new Events(this);
    const wasi = new Wasi({ log: new Log(LOG_BYTES), fill: fillSeed });
    const wanted = WebAssembly.Module.imports(module);
    const imports = {
      ...wasi.imports(wanted),
      'sqlite-wasm:host/files@0.1.0': files.files(),
      'sqlite-wasm:host/shared-memory@0.1.0': files.sharedMemory(),
      'sqlite-wasm:host/process@0.1.0': process.imports(),
      [DISPATCH]: suspending(suspends, dispatch.imports(wanted.filter(({ module: from }) => from === DISPATCH).map(({ name }) => name))),
      'sqlite-wasm:database/callbacks@0.1.0': this.events.imports(),
    };
    this.#exports = new WebAssembly.Instance(module, imports).exports;
    this.memory = new Memory(this.#exports.memory, this.#exports.cabi_realloc);
    for (const part of [wasi, files, process]) part.memory = this.memory;
    this.#shareMailboxes();
  }

  #shareMailboxes() {
    const operations = this.memory.allocate(MAILBOX_BYTES);
    const events = this.memory.allocate(MAILBOX_BYTES);
    this.mailboxes = { operations, events, bytes: MAILBOX_BYTES };
    this.#exports[`${CONNECTIONS}share-mailboxes`](operations, MAILBOX_BYTES, events, MAILBOX_BYTES);
    this.performInMailbox = this.#exports[`${CONNECTIONS}perform-in-mailbox`];
    this.lastReply = this.#exports[`${CONNECTIONS}last-reply`];
    this.performCopied = this.#exports[`${CONNECTIONS}perform`];
    this.performPromised = null;
  }

  get hasEnded() {
    return this.#ended !== null;
  }

  /** Throws if the instance has trapped, also in a call inside the current one. */
  checkAlive() {
    if (this.#ended) throw this.#ended;
  }

  /** Whether a call of the engine is in progress, which calls the program at the moment. */
  get isRunning() {
    return this.#depth > 0;
  }

  /** Begins a request. Its bytes are written where the engine reads them, unless it is running. */
  begin() {
    this.checkAlive();
    if (this.#depth > 0) {
      // The running request is still read from the mailbox.
      const writer = new Writer();
      writer.begin();
      return writer;
    }
    const { operations } = this.mailboxes;
    const { u8, view } = this.memory;
    this.#writer.beginIn(u8, view, operations, operations + MAILBOX_BYTES);
    return this.#writer;
  }

  /**
   * Sends a request. The reply is valid until the next request.
   * @param {number} connection
   * @param {Writer} writer
   * @returns {Reader}
   */
  perform(connection, writer) {
    this.checkAlive();
    this.#depth++;
    try {
      return this.#perform(connection, writer);
    } catch (error) {
      if (error instanceof EngineFailure || error instanceof EngineEnded) throw error;
      this.end(error);
      throw this.#ended;
    } finally {
      this.#depth--;
    }
  }

  /** The same, where an extension may wait for its SQL meanwhile: the engine is suspended then. */
  async performWaiting(connection, writer) {
    this.checkAlive();
    this.performPromised ??= WebAssembly.promising(this.performCopied);
    const bytes = Buffer.from(writer.written());
    this.#depth++;
    try {
      if (bytes.length > MAX_UNASKED) this.#checkRoom(bytes.length);
      return this.#reply(await this.performPromised(connection, this.memory.store(bytes), bytes.length));
    } catch (error) {
      if (error instanceof EngineFailure || error instanceof EngineEnded) throw error;
      this.end(error);
      throw this.#ended;
    } finally {
      this.#depth--;
    }
  }

  #perform(connection, writer) {
    const { operations } = this.mailboxes;
    if (writer.isOwn) {
      const bytes = writer.written();
      if (bytes.length > MAX_UNASKED) this.#checkRoom(bytes.length);
      const copy = this.memory.store(bytes);
      return this.#reply(this.performCopied(connection, copy, bytes.length));
    }
    const count = this.performInMailbox(connection, writer.length) >>> 0;
    if (count > MAILBOX_BYTES) return this.#reply(this.lastReply());
    return new Reader(this.memory.u8, this.memory.view, operations, operations + count);
  }

  /** The reply or failure at an address. */
  #reply(address) {
    const head = address >>> 0;
    this.memory.check(head, 16);
    const { view, u8 } = this.memory;
    const word = (index) => view.getUint32(head + 4 * index, true);
    if (word(0) === 0) return new Reader(u8, view, word(1), word(1) + word(2));
    const text = this.memory.bytes(word(2), word(3)).toString('utf8');
    throw new EngineFailure(word(1), text);
  }

  /** Fails with SQLITE_NOMEM where the engine has no memory for as many bytes. */
  #checkRoom(bytes) {
    const request = Buffer.alloc(5);
    request[0] = WORK.ASK_MEMORY;
    request.writeUInt32LE(bytes, 1);
    const copy = this.memory.store(request);
    this.#reply(this.performCopied(0, copy, request.length));
  }

  /** Whether the engine has memory for as many bytes as it is about to be sent. */
  hasRoom(bytes) {
    if (bytes <= MAX_UNASKED) return true;
    try {
      this.#checkRoom(bytes);
      return true;
    } catch (error) {
      if (error instanceof EngineFailure) return false;
      throw error;
    }
  }

  /**
   * Opens the database.
   * @returns {number} The connection.
   */
  open(path, flags, busyMilliseconds) {
    const writer = this.begin();
    writer.u8(WORK.OPEN_CONNECTION);
    writer.u32(flags);
    writer.u32(busyMilliseconds);
    writer.text(path);
    return this.perform(0, writer).u32();
  }

  /** The instance is over: all that it has open is closed. */
  end(cause) {
    if (this.#ended) return;
    this.#ended = new EngineEnded(cause);
    this.files.closeAll();
  }
}

/**
 * The head of a reply of the library's calls.
 * @param {Reader} reader At its beginning; then at the function's results.
 */
function readHead(reader) {
  const { view, position, end } = reader;
  if (end - position < HEAD_BYTES + 4) throw new MalformedReply();
  const messageAt = position + view.getUint32(end - 4, true);
  if (messageAt < position + HEAD_BYTES || messageAt > end - 4) throw new MalformedReply();
  const head = new ReplyHead(reader, position, messageAt);
  reader.position = position + HEAD_BYTES;
  reader.end = messageAt;
  return head;
}

/** Decoded when it is asked for: most of it is not. */
class ReplyHead {
  #reader;
  #start;
  #messageAt;
  #end;

  constructor(reader, start, messageAt) {
    this.#reader = reader;
    this.#start = start;
    this.#messageAt = messageAt;
    this.#end = reader.end - 4;
    this.code = reader.view.getInt32(start, true);
    this.isAutocommit = reader.bytes[start + 12] !== 0;
  }

  get extendedCode() {
    return this.#reader.view.getInt32(this.#start + 4, true);
  }

  /** Where in the SQL the failure is, in bytes; -1 if that is not known. */
  get offset() {
    return this.#reader.view.getInt32(this.#start + 8, true);
  }

  get message() {
    if (this.#reader.bytes[this.#start + 13] === 0) return null;
    const { bytes, view } = this.#reader;
    return new Reader(bytes, view, this.#messageAt, this.#end).optionalText();
  }

  get changes() {
    return this.#number(16);
  }

  get totalChanges() {
    return this.#number(24);
  }

  /** The row id of the last insertion, exact as a bigint. */
  lastInsertRowid(safeIntegers) {
    const at = this.#start + 32;
    return safeIntegers ? this.#reader.view.getBigInt64(at, true) : this.#number(32);
  }

  #number(offset) {
    const { view } = this.#reader;
    const at = this.#start + offset;
    return view.getInt32(at + 4, true) * 4294967296 + view.getUint32(at, true);
  }
}

/** Whether a code of a step is no failure. */
const isSuccess = (code) => code === CODE.OK || code === CODE.ROW || code === CODE.DONE;

module.exports = { Engine, EngineEnded, EngineFailure, isSuccess, readHead };
