import { openDatabase } from '/browser/sync.js';
import { measured } from './workload.js';

measured(async () => {
  const db = await openDatabase('ours.db');
  return {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      if (statement.reader) statement.pluck();
      const given = (value) => (value === undefined ? [] : [value]);
      return { run: (value) => void statement.run(...given(value)), get: (value) => statement.get(...given(value)) };
    },
  };
});
