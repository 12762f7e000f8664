// What each engine runs in its worker, on an empty database in OPFS with SQLite's defaults: the same SQL, prepared once.

const ROWS = 20_000;
const COMMITS = 1_000;

/** Keys in an order that is the same for all. */
function* keys() {
  let state = 12_345;
  for (let count = 0; count < ROWS; count++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield (state % ROWS) + 1;
  }
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs the workload when the page wants it.
 * @param {() => Promise<{ exec: (sql: string) => any, prepare: (sql: string) => Promise<{ run: (value: any) => any, get: (value: any) => any }> }>} open
 */
export function measured(open) {
  self.onmessage = async () => {
    try {
      self.postMessage(await measure(await open()));
    } catch (error) {
      self.postMessage({ error: error.message });
    }
  };
}

async function measure(engine) {
  await engine.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE c(id INTEGER PRIMARY KEY, x TEXT)');
  await engine.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${ROWS}) INSERT INTO t SELECT i, 'name ' || i FROM n`);
  const insert = await engine.prepare('INSERT INTO c(x) VALUES(?)');
  const commits = await timed(async () => {
    for (let count = 0; count < COMMITS; count++) {
      const pending = insert.run(`text ${count}`);
      if (pending) await pending;
    }
  });
  const find = await engine.prepare('SELECT name FROM t WHERE id = ?');
  let wrong = 0;
  const reads = await timed(async () => {
    for (const key of keys()) {
      let name = find.get(key);
      if (typeof name !== 'string') name = await name;
      if (name !== `name ${key}`) wrong++;
    }
  });
  if (wrong > 0) throw new Error(`${wrong} answers are wrong`);
  return { commits, reads };
}
