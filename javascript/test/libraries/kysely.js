'use strict';
// Kysely's own dialect for better-sqlite3, which takes a database.

const { Kysely, SqliteDialect, sql } = require('kysely');

const { noted } = require('./noted.js');

module.exports = async (Database) => {
  const notes = [];
  const note = noted(notes);
  const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) });
  await note('create', () =>
    db.schema
      .createTable('person')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('age', 'integer')
      .execute());
  await note('insert', () => db.insertInto('person').values({ name: 'Ada', age: 36 }).executeTakeFirst());
  await note('insert many, returning', () => db.insertInto('person').values([{ name: 'Bo', age: 2 }, { name: 'Cy', age: null }]).returningAll().execute());
  await note('unique', () => db.insertInto('person').values({ name: 'Ada' }).execute());
  await note('upsert', () => db.insertInto('person').values({ name: 'Ada', age: 37 }).onConflict((it) => it.column('name').doUpdateSet({ age: 37 })).executeTakeFirst());
  await note('select', () => db.selectFrom('person').select(['name', 'age']).where('age', '>', 1).orderBy('name').execute());
  await note('join', () => db.selectFrom('person as p').innerJoin('person as q', 'q.id', 'p.id').select(['p.name', 'q.age as years']).orderBy('p.id').execute());
  await note('raw', () => sql`SELECT ${'x'} AS a, ${1.5} AS b, ${null} AS c, ${9007199254740993n} AS d`.execute(db));
  await note('update', () => db.updateTable('person').set({ age: 3 }).where('name', '=', 'Bo').executeTakeFirst());
  await note('transaction that fails', () =>
    db.transaction().execute(async (inner) => {
      await inner.deleteFrom('person').execute();
      throw new Error('mine');
    }));
  await note('count', () => db.selectFrom('person').select(({ fn }) => fn.countAll().as('n')).executeTakeFirst());
  await note('stream', async () => {
    const names = [];
    for await (const { name } of db.selectFrom('person').select('name').orderBy('id').stream()) names.push(name);
    return names;
  });
  await note('tables', async () => (await db.introspection.getTables()).map(({ name, columns }) => [name, columns.map((column) => `${column.name} ${column.dataType} ${column.isNullable}`)]));
  await note('delete', () => db.deleteFrom('person').where('age', 'is', null).executeTakeFirst());
  await note('after the end', () => db.destroy());
  await note('use after the end', () => db.selectFrom('person').selectAll().execute());
  return notes;
};
