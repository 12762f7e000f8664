// What is in a database: tables and views with columns, keys, indexes and triggers.

import { quoted } from './sql.mjs';

const OBJECTS = `SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type <> 'table', name`;

/** The columns of all tables in one statement. */
const COLUMNS = `SELECT s.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
  FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c
  WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

const LIST = `SELECT name, wr FROM pragma_table_list WHERE schema = 'main'`;

/** Views whose tables are missing have no columns. */
async function columnsOf(source) {
  try {
    return (await source.query(COLUMNS))[0].rows;
  } catch {
    return [];
  }
}

export async function readSchema(source) {
  const [[objects], [list], columns] = await Promise.all([source.query(OBJECTS), source.query(LIST), columnsOf(source)]);
  const withoutRowId = new Set(list.rows.filter(([, wr]) => wr === 1).map(([name]) => name));
  const tables = objects.rows
    .filter(([type]) => type === 'table' || type === 'view')
    .map(([type, name, , sql]) => ({
      type, name, sql,
      hasRowId: type === 'table' && !withoutRowId.has(name) && !/^\s*CREATE\s+VIRTUAL/i.test(sql ?? ''),
      columns: columns
        .filter(([table]) => table === name)
        .map(([, column, kind, notNull, value, key, hidden]) => ({ name: column, type: kind, notNull: notNull === 1, value, key, hidden })),
      indexes: objects.rows.filter(([kind, , table]) => kind === 'index' && table === name).map(([, index, , text]) => ({ name: index, sql: text })),
      triggers: objects.rows.filter(([kind, , table]) => kind === 'trigger' && table === name).map(([, trigger, , text]) => ({ name: trigger, sql: text })),
    }));
  return { tables };
}

/** The foreign keys of a table. */
export async function foreignKeys(source, { name }) {
  const [{ rows }] = await source.query('SELECT "from", "table", coalesce("to", \'\'), on_delete FROM pragma_foreign_key_list(?)', [name]);
  return rows.map(([from, table, to, action]) => `${from} → ${table}(${to})${action === 'NO ACTION' ? '' : ` on delete ${action.toLowerCase()}`}`);
}

/** The columns that name one row: the row id or the primary key. */
export function keyOf(table) {
  if (table.hasRowId) {
    const names = new Set(table.columns.map(({ name }) => name.toLowerCase()));
    const free = ['rowid', '_rowid_', 'oid'].find((name) => !names.has(name));
    if (free) return [free];
  }
  return table.columns.filter(({ key }) => key > 0).map(({ name }) => quoted(name));
}
