// For programs that have a worker of their own: the database of better-sqlite3's interface, without messages.

import { openParts } from './database.mjs';

export { LimitError, SqliteError } from '../src/api/errors.js';

/** Opens a database of OPFS in this worker. After `close` its files are free when `closed` is fulfilled. */
export async function openDatabase(name, options) {
  const { database, disk } = await openParts(name, options);
  const { close } = database;
  const ahead = (other) => disk.openAhead(other);
  return Object.defineProperties(database, {
    close: { value: () => {
      close.call(database);
      Object.defineProperty(database, 'closed', { value: disk.close() });
      return database;
    } },
    /** Opens the files of another database, which SQL can attach afterwards. */
    openAhead: { value: ahead },
  });
}
