import init from '/peers/@sqlite.org/sqlite-wasm/dist/index.mjs';
import { measured } from './workload.js';

async function opened(sqlite3, vfs) {
  if (vfs === 'opfs') return new sqlite3.oo1.OpfsDb('/official.db');
  const pool = await sqlite3.installOpfsSAHPoolVfs({});
  return new pool.OpfsSAHPoolDb('/official.db');
}

measured(async ({ vfs }) => {
  const db = await opened(await init(), vfs);
  return {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      const bound = (value) => (value === undefined ? statement : statement.bind(value));
      return {
        run: (value) => void bound(value).stepReset(),
        get: (value) => {
          bound(value).step();
          const found = statement.get(0);
          statement.reset();
          return found;
        },
      };
    },
  };
});
