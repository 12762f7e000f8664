'use strict';
// `transaction`: a function that runs in a transaction, or in a savepoint of the one that is open.

/** A name that no program uses by accident. */
const SAVEPOINT = '"\t_sqlite_sandbox.\t"';

const KINDS = Object.freeze({
  default: 'BEGIN',
  deferred: 'BEGIN DEFERRED',
  immediate: 'BEGIN IMMEDIATE',
  exclusive: 'BEGIN EXCLUSIVE',
});

/** The statements of a database, prepared when they are first used. */
const prepared = new WeakMap();

function statement(database, sql) {
  if (!prepared.has(database)) prepared.set(database, new Map());
  const known = prepared.get(database);
  if (!known.has(sql)) known.set(sql, database.prepare(sql));
  return known.get(sql);
}

function wrapped(database, fn, begin) {
  const run = (sql) => statement(database, sql).run();
  return function sqliteTransaction(...args) {
    const isNested = database.inTransaction;
    run(isNested ? `SAVEPOINT ${SAVEPOINT}` : begin);
    const commit = () => run(isNested ? `RELEASE ${SAVEPOINT}` : 'COMMIT');
    try {
      const result = Reflect.apply(fn, this, args);
      if (typeof result?.then === 'function') {
        throw new TypeError('Transaction function cannot return a promise');
      }
      commit();
      return result;
    } catch (error) {
      // Some failures of SQLite have rolled everything back already.
      if (database.inTransaction) {
        run(isNested ? `ROLLBACK TO ${SAVEPOINT}` : 'ROLLBACK');
        if (isNested) commit();
      }
      throw error;
    }
  };
}

/** `db.transaction(fn)` */
function makeTransaction(database, fn) {
  if (typeof fn !== 'function') throw new TypeError('Expected first argument to be a function');
  const variants = Object.entries(KINDS).map(([kind, begin]) => [kind, wrapped(database, fn, begin)]);
  const properties = Object.fromEntries(variants.map(([kind, value]) => [kind, { value }]));
  properties.database = { value: database, enumerable: true };
  for (const [, variant] of variants) Object.defineProperties(variant, properties);
  return variants[0][1];
}

module.exports = { makeTransaction };
