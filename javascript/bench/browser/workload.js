// What each engine runs in its worker, on an empty database in OPFS: the same SQL, prepared once, with the same pragmas.

const ROWS = 20_000;
const COMMITS = 1_000;

/**
 * All have pages and caches of the same size, hold their locks, as ours does anyway, and sync each commit in full. A VFS that
 * has no WAL of SQLite's but one of its own refuses the journal mode, which is looked at afterwards.
 */
const PRAGMAS = (journal) => `PRAGMA page_size = 4096; PRAGMA cache_size = -2000; PRAGMA locking_mode = exclusive; PRAGMA journal_mode = ${journal}; PRAGMA synchronous = full`;

/** Flushes of this worker; the VFS `opfs` has another one for its files. */
let flushes = 0;
const { flush } = FileSystemSyncAccessHandle.prototype;
FileSystemSyncAccessHandle.prototype.flush = function (...args) {
  flushes++;
  return flush.apply(this, args);
};

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
 * @param {(options: { vfs?: string }) => Promise<{ exec: (sql: string) => any, prepare: (sql: string) => any }>} open
 *   `prepare` returns, or promises, `{ run(value), get(value) }`, whose results may be promises.
 */
export function measured(open) {
  self.onmessage = async ({ data }) => {
    try {
      self.postMessage(await measure(await open(data), data));
    } catch (error) {
      self.postMessage({ error: error.message });
    }
  };
}

async function value(engine, sql) {
  return (await engine.prepare(sql)).get();
}

async function measure(engine, { journal, commits: count = COMMITS }) {
  await engine.exec(PRAGMAS(journal));
  await engine.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE c(id INTEGER PRIMARY KEY, x TEXT)');
  await engine.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${ROWS}) INSERT INTO t SELECT i, 'name ' || i FROM n`);
  const mode = await value(engine, 'PRAGMA journal_mode');
  const insert = await engine.prepare('INSERT INTO c(x) VALUES(?)');
  flushes = 0;
  const commits = await timed(async () => {
    for (let at = 0; at < count; at++) {
      const pending = insert.run(`text ${at}`);
      if (pending) await pending;
    }
  });
  const flushed = flushes / count;
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
  const stored = await value(engine, 'SELECT count(*) FROM c');
  if (Number(stored) !== count) throw new Error(`${stored} of ${count} rows are there`);
  return { commits: (commits / count) * COMMITS, reads, mode, flushed };
}
