// The structure of one table: columns, keys, indexes, triggers, and its SQL.

import { element } from './dom.mjs';
import { foreignKeys } from './schema.mjs';

const cell = (name, text) => element(name, { textContent: text ?? '' });

function columnTable({ columns }) {
  const head = element('tr', {}, ...['Column', 'Type', 'Not null', 'Default', 'Key'].map((text) => cell('th', text)));
  const rows = columns.map(({ name, type, notNull, value, key, hidden }) =>
    element('tr', {}, cell('td', name), cell('td', type + (hidden > 1 ? ' generated' : '')), cell('td', notNull ? 'yes' : ''), cell('td', value), cell('td', key ? `primary ${key}` : '')));
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
}

function list(title, items) {
  if (items.length === 0) return null;
  return element('section', {}, cell('h2', title), element('ul', {}, ...items.map(({ name, sql }) => element('li', {}, cell('b', name), sql ? cell('pre', sql) : null))));
}

export async function structureOf(source, table) {
  const keys = table.type === 'table' ? await foreignKeys(source, table).catch(() => []) : [];
  return element('section', { className: 'structure' },
    columnTable(table),
    list('Foreign keys', keys.map((name) => ({ name }))),
    list('Indexes', table.indexes.map(({ name, sql }) => ({ name, sql: sql ?? 'of a constraint' }))),
    list('Triggers', table.triggers),
    cell('h2', 'SQL'),
    cell('pre', table.sql ?? ''));
}
