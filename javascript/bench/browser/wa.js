// wa-sqlite, as PowerSync publishes it: the author's own package on npm has none of the later VFSs.

import SQLiteFactory from '/peers/@journeyapps/wa-sqlite/dist/wa-sqlite.mjs';
import * as SQLite from '/peers/@journeyapps/wa-sqlite/src/sqlite-api.js';
import { measured } from './workload.js';

measured(async ({ vfs: name }) => {
  const module = await SQLiteFactory();
  const sqlite3 = SQLite.Factory(module);
  const { [name]: Vfs } = await import(`/peers/@journeyapps/wa-sqlite/src/examples/${name}.js`);
  const vfs = await Vfs.create('bench', module);
  sqlite3.vfs_register(vfs, true);
  const db = await sqlite3.open_v2('wa.db');
  const prepared = async (sql) => {
    for await (const statement of sqlite3.statements(db, sql, { unscoped: true })) return statement;
  };
  return {
    exec: (sql) => sqlite3.exec(db, sql),
    prepare: async (sql) => {
      const statement = await prepared(sql);
      const step = async (value, isRead) => {
        if (value !== undefined) sqlite3.bind(statement, 1, value);
        await sqlite3.step(statement);
        const found = isRead ? sqlite3.column(statement, 0) : undefined;
        await sqlite3.reset(statement);
        return found;
      };
      return { run: (value) => step(value, false), get: (value) => step(value, true) };
    },
  };
});
