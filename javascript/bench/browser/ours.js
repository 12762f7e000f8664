import { openDatabase } from '/browser/sync.js';
import { measured } from './workload.js';

measured(async () => {
  const db = await openDatabase('ours.db');
  const engine = {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      if (statement.reader) statement.pluck();
      return { run: (value) => void statement.run(value), get: (value) => statement.get(value) };
    },
  };
  return engine;
});
