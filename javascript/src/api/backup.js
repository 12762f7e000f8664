'use strict';
// `backup`: copies the pages of a database to a file, a few at a time.

const fs = require('node:fs/promises');
const path = require('node:path');

const { CALL, CODE, WORK } = require('../opcodes.js');
const { Connection } = require('./connection.js');
const { optionsObject } = require('./options.js');
const { openFlags, realPath } = require('./opening.js');

const PAGES_AT_ONCE = 100;
const MAX_PAGES = 0x7fffffff;

function readOptions(filename, options) {
  if (typeof filename !== 'string') throw new TypeError('Expected first argument to be a string');
  const given = optionsObject(options, 'second');
  const name = filename.trim();
  const attached = 'attached' in given ? given.attached : 'main';
  const progress = 'progress' in given ? given.progress : null;
  if (!name) throw new TypeError('Backup filename cannot be an empty string');
  if (name === ':memory:') throw new TypeError('Invalid backup filename ":memory:"');
  if (typeof attached !== 'string') throw new TypeError('Expected the "attached" option to be a string');
  if (!attached) throw new TypeError('The "attached" option cannot be an empty string');
  if (progress !== null && progress !== undefined && typeof progress !== 'function') {
    throw new TypeError('Expected the "progress" option to be a function');
  }
  return { name, attached, progress };
}

/** A backup in progress: a second connection of the same engine, to which pages are copied. */
class Backup {
  #source;
  #target = null;
  #handle = 0;
  #file;
  #isNew;
  #isDone = false;

  constructor(source, sourceAddress, schema, file, isNew) {
    this.#source = source;
    this.#file = file;
    this.#isNew = isNew;
    const { engine } = source;
    engine.files.disk.paths.grantDatabase(file, false);
    try {
      this.#target = new Connection(engine, engine.open(file, openFlags({}), 0), source.limits);
      this.#handle = this.#begin(sourceAddress, schema);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #begin(sourceAddress, schema) {
    const reader = this.#target.call((writer) => {
      writer.u8(CALL.BACKUP_INIT);
      writer.text('main');
      writer.u32(sourceAddress);
      writer.text(schema);
      writer.optionalText(null);
    });
    return reader.u32();
  }

  /** Copies some pages. */
  transfer(pages) {
    this.#source.checkOpen();
    const { head, reader } = this.#source.run(() =>
      this.#target.request((writer) => {
        writer.u8(CALL.BACKUP_STEP);
        writer.u32(this.#handle);
        writer.u32(pages);
      }),
    );
    const code = head.code & 0xff;
    const fail = () => {
      throw this.#target.errorOf(head.code, head.message ?? 'the backup has failed');
    };
    if (code !== CODE.OK && code !== CODE.DONE && code !== CODE.BUSY) fail();
    const remainingPages = reader.u32();
    const totalPages = reader.u32();
    // A backup that is locked out before its first page knows of no pages: it is not at its end.
    if (code === CODE.BUSY && totalPages === 0) fail();
    if (code === CODE.DONE) this.#isDone = true;
    return { totalPages, remainingPages };
  }

  close() {
    const { engine } = this.#source;
    if (!engine.hasEnded && this.#target) {
      if (this.#handle) {
        this.#target.request((writer) => {
          writer.u8(CALL.BACKUP_FINISH);
          writer.u32(this.#handle);
        });
      }
      this.#target.program(WORK.CLOSE_CONNECTION);
    }
    engine.files.disk.paths.revokeDatabase(this.#file);
    this.#handle = 0;
    this.#target = null;
    if (this.#isNew && !this.#isDone) return fs.rm(this.#file, { force: true });
    return undefined;
  }
}

function rateOf(answer, old) {
  if (answer === undefined) return old;
  if (typeof answer !== 'number' || Number.isNaN(answer)) {
    throw new TypeError('Expected progress callback to return a number or undefined');
  }
  return Math.max(0, Math.min(MAX_PAGES, Math.round(answer)));
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** `db.backup(filename, [options])` */
async function runBackup(connection, address, filename, options) {
  const { name, attached, progress } = readOptions(filename, options);
  await fs.access(path.dirname(name)).catch(() => {
    throw new TypeError('Cannot save backup because the directory does not exist');
  });
  const isNew = await fs.access(name).then(() => false, () => true);
  connection.checkOpen();
  connection.checkNotBusy();
  const backup = new Backup(connection, address, attached, realPath(name), isNew);
  try {
    let rate = 0;
    for (let isFirst = true; ; isFirst = false) {
      await nextTurn();
      const state = backup.transfer(rate);
      if (state.remainingPages === 0) return state;
      if (isFirst) rate = PAGES_AT_ONCE;
      if (progress) rate = rateOf(progress(state), rate);
    }
  } finally {
    await backup.close();
  }
}

module.exports = { runBackup };
