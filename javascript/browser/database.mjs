// Opens a database in a worker, where its files can be used: with the interface of better-sqlite3.

import { Database } from '../src/api/database.js';
import { OpfsDisk } from './opfs.mjs';
import { HOST, prepareHost } from './opening.mjs';

/** The engine of this package, beside this file. */
const ENGINE = new URL('../engine/engine.wasm', import.meta.url);

const isMemory = (name) => name === '' || name === ':memory:';

/**
 * @param {string} name A name in OPFS, or `:memory:`.
 * @param {{ engine?: string | URL, temporary?: number, [option: string]: any }} options Those of the package in Node;
 *   `engine`: where engine.wasm is; `temporary`: most bytes of temporary data.
 * @returns {Promise<{ database: Database, disk: OpfsDisk }>}
 */
export async function openParts(name, { engine = ENGINE, temporary, ...options } = {}) {
  const disk = new OpfsDisk(temporary);
  const host = await prepareHost(disk, engine);
  if (!isMemory(name)) await disk.openAhead(name);
  try {
    // Nobody else can open the files, so locks need not be taken for each statement.
    return { database: new Database(name, { ...options, exclusive: !isMemory(name), [HOST]: host }), disk };
  } catch (error) {
    await disk.close();
    throw error;
  }
}
