'use strict';
// Knex's dialect for better-sqlite3, whose driver is a method.

const knex = require('knex');
const Client = require('knex/lib/dialects/better-sqlite3');

const { noted } = require('./noted.js');

module.exports = async (Database) => {
  const notes = [];
  const note = noted(notes);
  class Ours extends Client {
    _driver() {
      return Database;
    }
  }
  const db = knex({ client: Ours, connection: { filename: ':memory:' }, useNullAsDefault: true, pool: { min: 1, max: 1 } });
  await note('create', () => db.schema.createTable('person', (table) => {
    table.increments('id');
    table.string('name').notNullable().unique();
    table.integer('age').defaultTo(1);
    table.boolean('is_known');
    table.binary('picture');
  }));
  await note('insert', () => db('person').insert({ name: 'Ada', age: 36, is_known: true, picture: Buffer.from([1, 0]) }));
  await note('insert many', () => db('person').insert([{ name: 'Bo' }, { name: 'Cy', age: null }]));
  await note('returning', () => db('person').insert({ name: 'Di' }).returning(['id', 'name']));
  await note('select', () => db('person').select('*').orderBy('id'));
  await note('where', () => db('person').whereIn('name', ['Ada', 'Bo']).andWhere('age', '>', 1).pluck('name'));
  await note('first', () => db('person').first('name as n').where({ id: 2 }));
  await note('unique', () => db('person').insert({ name: 'Ada' }));
  await note('upsert', () => db('person').insert({ name: 'Ada', age: 40 }).onConflict('name').merge());
  await note('aggregate', () => db('person').count('* as n').sum('age as years').first());
  await note('raw', () => db.raw('SELECT ? AS a, ? AS b', ['x', null]));
  await note('update', () => db('person').where({ name: 'Bo' }).update({ age: 5 }));
  await note('transaction', () => db.transaction(async (inner) => { await inner('person').where({ id: 1 }).del(); return inner('person').count('* as n'); }));
  await note('transaction that fails', () => db.transaction(async (inner) => { await inner('person').del(); throw new Error('mine'); }));
  await note('alter', () => db.schema.alterTable('person', (table) => { table.dropColumn('picture'); table.string('town'); }));
  await note('columns', () => db('person').columnInfo());
  await note('has', async () => [await db.schema.hasTable('person'), await db.schema.hasColumn('person', 'picture')]);
  await note('bad SQL', () => db.raw('SELECT nothing'));
  await note('end', () => db.destroy());
  return notes;
};
