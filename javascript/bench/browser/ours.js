import { openDatabase } from '/browser/sync.js';
import { measured } from './workload.js';

measured(async () => {
  const db = await openDatabase('ours.db');
  return {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      if (statement.reader) statement.pluck();
      return {
        run: (value) => void (value === undefined ? statement.run() : statement.run(value)),
        get: (value) => (value === undefined ? statement.get() : statement.get(value)),
      };
    },
  };
});
