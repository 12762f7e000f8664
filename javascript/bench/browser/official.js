import init from '/peers/@sqlite.org/sqlite-wasm/dist/index.mjs';
import { measured } from './workload.js';

measured(async () => {
  const sqlite3 = await init();
  const pool = await sqlite3.installOpfsSAHPoolVfs({});
  const db = new pool.OpfsSAHPoolDb('/official.db');
  const engine = {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      return {
        run: (value) => void statement.bind(value).stepReset(),
        get: (value) => {
          statement.bind(value).step();
          const name = statement.get(0);
          statement.reset();
          return name;
        },
      };
    },
  };
  return engine;
});
