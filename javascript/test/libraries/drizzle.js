'use strict';
// Drizzle's driver for better-sqlite3, with a database of the program.

const { and, asc, count, eq, gt, sql } = require('drizzle-orm');
const { drizzle } = require('drizzle-orm/better-sqlite3');
const { blob, integer, real, sqliteTable, text } = require('drizzle-orm/sqlite-core');

const { noted } = require('./noted.js');

const item = sqliteTable('item', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  price: real('price'),
  isSold: integer('is_sold', { mode: 'boolean' }),
  made: integer('made', { mode: 'timestamp' }),
  tags: text('tags', { mode: 'json' }),
  bytes: blob('bytes', { mode: 'buffer' }),
});
const part = sqliteTable('part', {
  id: integer('id').primaryKey(),
  item: integer('item').references(() => item.id),
  label: text('label'),
});

const CREATE = `CREATE TABLE item(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, price REAL, is_sold INTEGER, made INTEGER, tags TEXT, bytes BLOB);
CREATE TABLE part(id INTEGER PRIMARY KEY, item INTEGER REFERENCES item(id), label TEXT)`;

module.exports = async (Database) => {
  const notes = [];
  const note = noted(notes);
  const client = new Database(':memory:').exec(CREATE);
  const db = drizzle(client);
  const tea = { name: 'tea', price: 4.5, isSold: false, made: new Date(86_400_000), tags: ['hot', 'é'], bytes: Buffer.from([0, 255]) };
  await note('insert', () => db.insert(item).values(tea).run());
  await note('insert returning', () => db.insert(item).values([{ name: 'cup' }, { name: 'pot', price: 9 }]).returning().all());
  await note('select', () => db.select().from(item).orderBy(asc(item.id)).all());
  await note('get', () => db.select({ name: item.name, n: sql`${item.price} * 2` }).from(item).where(and(eq(item.name, 'tea'), gt(item.price, 1))).get());
  await note('values', () => db.select({ a: item.id, b: item.tags }).from(item).values());
  await note('unique', () => db.insert(item).values({ name: 'tea' }).run());
  await note('foreign key', () => db.insert(part).values({ item: 99 }).run());
  await note('upsert', () => db.insert(item).values({ name: 'tea', price: 5 }).onConflictDoUpdate({ target: item.name, set: { price: 5 } }).returning({ price: item.price }).get());
  await note('insert for a join', () => db.insert(part).values([{ item: 1, label: 'leaf' }, { item: 1, label: 'bag' }]).run());
  await note('join', () => db.select().from(part).leftJoin(item, eq(part.item, item.id)).orderBy(asc(part.id)).all());
  await note('prepared', () => {
    const statement = db.select({ name: item.name }).from(item).where(eq(item.id, sql.placeholder('id'))).prepare();
    return [1, 2, 99].map((id) => statement.get({ id }));
  });
  await note('transaction', () =>
    db.transaction((inner) => {
      inner.update(item).set({ isSold: true }).where(eq(item.id, 1)).run();
      try {
        inner.transaction((nested) => {
          nested.delete(part).run();
          nested.rollback();
        });
      } catch { /* the nested one */ }
      return inner.select({ n: count() }).from(part).get();
    }, { behavior: 'immediate' }));
  await note('transaction that fails', () => db.transaction((inner) => { inner.delete(part).run(); throw new Error('mine'); }));
  await note('raw', () => [db.all(sql`SELECT ${'x'} AS a, ${1} AS b`), db.get(sql`SELECT count(*) AS n FROM part`), db.run(sql`DELETE FROM part WHERE id = 1`), db.values(sql`SELECT 1, 'b'`)]);
  await note('bad SQL', () => db.all(sql`SELECT nothing`));
  client.close();
  return notes;
};
