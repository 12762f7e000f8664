// Replaces the content of a database by that of a file, in one transaction: a kill leaves the old content or the new one.

import { CALL, CODE, WORK } from '../src/opcodes.js';
import { Connection } from '../src/api/connection.js';
import { SqliteError } from '../src/api/errors.js';
import { openFlags } from '../src/api/open-flags.js';

const MAGIC = 'SQLite format 3\0';
/** The versions of the file format: a database in memory has no WAL. */
const FORMAT_AT = 18;
const ROLLBACK_FORMAT = 1;
const HEADER_BYTES = 100;
const RESIZEABLE = 2;
const ALL_PAGES = 0x7fffffff;

/** A copy of a database's file that a connection in memory can have. */
function checkedCopy(bytes) {
  const copy = Buffer.from(bytes);
  if (copy.length < HEADER_BYTES || copy.latin1Slice(0, MAGIC.length) !== MAGIC) throw new TypeError('the file is not a database of SQLite');
  copy.fill(ROLLBACK_FORMAT, FORMAT_AT, FORMAT_AT + 2);
  return copy;
}

function fill(source, bytes) {
  source.call((writer) => {
    writer.u8(CALL.DESERIALIZE);
    writer.text('main');
    writer.blob(bytes);
    writer.i64(bytes.length);
    writer.u32(RESIZEABLE);
  });
}

/** A file whose schema cannot be read would leave a database that nothing can be read from. */
function checkSchema(source) {
  try {
    source.call((writer) => {
      writer.u8(CALL.EXECUTE);
      writer.text('SELECT count(*) FROM sqlite_schema');
    });
  } catch (error) {
    if (error instanceof SqliteError) error.message = `the file is damaged: ${error.message}`;
    throw error;
  }
}

/** Copies all pages. The destination's transaction ends with the last one. */
function copy(source, connection) {
  const handle = connection.call((writer) => {
    writer.u8(CALL.BACKUP_INIT);
    writer.text('main');
    writer.u32(source.address);
    writer.text('main');
    writer.optionalText(null);
  }).u32();
  const { head } = connection.request((writer) => {
    writer.u8(CALL.BACKUP_STEP);
    writer.u32(handle);
    writer.u32(ALL_PAGES);
  });
  const failure = head.code === CODE.DONE ? null : connection.failure(head);
  connection.request((writer) => {
    writer.u8(CALL.BACKUP_FINISH);
    writer.u32(handle);
  });
  if (failure) throw failure;
}

export function restore(connection, bytes) {
  const { engine, limits } = connection;
  const source = new Connection(engine, engine.open(':memory:', openFlags({}), 0), limits);
  try {
    fill(source, checkedCopy(bytes));
    checkSchema(source);
    copy(source, connection);
  } finally {
    if (!engine.hasEnded) source.program(WORK.CLOSE_CONNECTION);
  }
}
