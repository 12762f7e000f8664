// What is in a database: tables and views with columns, keys, indexes and triggers.

import { quoted } from './sql.mjs';

const OBJECTS = `SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type <> 'table', name`;

/** The columns of tables and views for which a condition holds. */
const columnsWhere = (condition) => `SELECT s.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
  FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c
  WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND ${condition}`;

const LIST = `SELECT name, wr FROM pragma_table_list WHERE schema = 'main'`;

/** A view whose table is missing and a table whose module is missing fail the statement that asks for their columns. */
const CAN_FAIL = "(s.type = 'view' OR s.sql LIKE 'CREATE VIRTUAL%')";

const isVirtual = (sql) => /^\s*CREATE\s+VIRTUAL/i.test(sql ?? '');

/** The columns if one statement for all has failed: those that can fail are read one by one. */
async function columnsOfEach(source, objects) {
  const rowsOf = ([{ rows }]) => rows;
  const others = objects.filter(([type, , , sql]) => type === 'view' || (type === 'table' && isVirtual(sql)));
  const each = others.map(([, name]) => source.query(columnsWhere('s.name = ?'), [name]).then(rowsOf, () => []));
  const columns = await Promise.all([source.query(columnsWhere(`NOT ${CAN_FAIL}`)).then(rowsOf), ...each]);
  return columns.flat();
}

/** The rows by one of their values. */
function grouped(rows, column) {
  const groups = new Map();
  for (const row of rows) {
    if (!groups.has(row[column])) groups.set(row[column], []);
    groups.get(row[column]).push(row);
  }
  return (key) => groups.get(key) ?? [];
}

export async function readSchema(source) {
  const all = source.query(columnsWhere('true')).then(([{ rows }]) => rows, () => null);
  const [[objects], [list], known] = await Promise.all([source.query(OBJECTS), source.query(LIST), all]);
  const columnsOf = grouped(known ?? (await columnsOfEach(source, objects.rows)), 0);
  const withoutRowId = new Set(list.rows.filter(([, wr]) => wr === 1).map(([name]) => name));
  const ofTable = grouped(objects.rows, 2);
  const named = (table, wanted) => ofTable(table).filter(([kind]) => kind === wanted).map(([, name, , sql]) => ({ name, sql }));
  const tables = objects.rows
    .filter(([type]) => type === 'table' || type === 'view')
    .map(([type, name, , sql]) => ({
      type, name, sql,
      hasRowId: type === 'table' && !withoutRowId.has(name) && !isVirtual(sql),
      columns: columnsOf(name).map(([, column, kind, notNull, value, key, hidden]) => ({ name: column, type: kind, notNull: notNull === 1, value, key, hidden })),
      indexes: named(name, 'index'),
      triggers: named(name, 'trigger'),
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
