import SQLiteFactory from '/peers/wa-sqlite/dist/wa-sqlite.mjs';
import { AccessHandlePoolVFS } from '/peers/wa-sqlite/src/examples/AccessHandlePoolVFS.js';
import * as SQLite from '/peers/wa-sqlite/src/sqlite-api.js';
import { measured } from './workload.js';

measured(async () => {
  const sqlite3 = SQLite.Factory(await SQLiteFactory());
  const vfs = new AccessHandlePoolVFS('/wa');
  await vfs.isReady;
  sqlite3.vfs_register(vfs, true);
  const db = await sqlite3.open_v2('wa.db');
  const engine = {
    exec: (sql) => sqlite3.exec(db, sql),
    prepare: async (sql) => {
      const { stmt } = await sqlite3.prepare_v2(db, sqlite3.str_value(sqlite3.str_new(db, sql)));
      const step = async (value, read) => {
        sqlite3.bind(stmt, 1, value);
        await sqlite3.step(stmt);
        const found = read ? sqlite3.column_text(stmt, 0) : undefined;
        await sqlite3.reset(stmt);
        return found;
      };
      return { run: (value) => step(value, false), get: (value) => step(value, true) };
    },
  };
  return engine;
});
