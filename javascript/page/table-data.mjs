// The rows of one table: pages of it, sorted and filtered, and changes of a cell or a row.

import { keyOf } from './schema.mjs';
import { quoted } from './sql.mjs';
import { typed } from './values.mjs';

const COMPARISON = /^(<=|>=|<>|!=|=|<|>)\s*(.*)$/s;
const ESCAPED = /[\\%_]/g;

/** A filter as a condition and its value. */
function conditionOf(column, text) {
  const name = quoted(column.name);
  if (/^(is )?null$/i.test(text)) return [`${name} IS NULL`];
  if (/^(is )?not null$/i.test(text)) return [`${name} IS NOT NULL`];
  const [, operator, operand] = COMPARISON.exec(text) ?? [];
  if (operator) return [`${name} ${operator} ?`, typed(operand, column.type || 'NUMERIC')];
  return [`${name} LIKE ? ESCAPE '\\'`, `%${text.replace(ESCAPED, '\\$&')}%`];
}

export class TableData {
  sorted = null;
  filters = [];

  constructor(source, table) {
    this.source = source;
    this.table = table;
    this.key = keyOf(table);
    this.columns = table.columns.filter(({ hidden }) => hidden !== 1);
  }

  #where() {
    const conditions = this.filters.flatMap((text, index) => (text ? [conditionOf(this.columns[index], text)] : []));
    return {
      where: conditions.length ? ` WHERE ${conditions.map(([condition]) => `(${condition})`).join(' AND ')}` : '',
      values: conditions.flatMap(([, ...value]) => value),
    };
  }

  /** What selects the rows as they are shown. */
  selection(columns) {
    const { where, values } = this.#where();
    const order = this.sorted
      ? ` ORDER BY ${quoted(this.columns[this.sorted.column].name)}${this.sorted.isDescending ? ' DESC' : ''}`
      : '';
    return { sql: `SELECT ${columns} FROM ${quoted(this.table.name)}${where}${order}`, values };
  }

  get names() {
    return this.columns.map(({ name }) => quoted(name)).join(', ') || '*';
  }

  async count() {
    const { where, values } = this.#where();
    const [{ rows }] = await this.source.query(`SELECT count(*) FROM ${quoted(this.table.name)}${where}`, values);
    return rows[0][0];
  }

  /** Rows with the columns, and behind them the key. */
  async fetch(offset, limit) {
    const { sql, values } = this.selection([this.names, ...this.key].join(', '));
    const [{ rows }] = await this.source.query(`${sql} LIMIT ? OFFSET ?`, [...values, limit, offset]);
    return rows;
  }

  #whereKey() {
    return this.key.map((name) => `${name} IS ?`).join(' AND ');
  }

  #keyValues(row) {
    return row.slice(this.columns.length);
  }

  /** Sets one cell of a row. */
  async update(row, column, text) {
    const { name, type } = this.columns[column];
    const isNumber = typeof row[column] === 'number' || typeof row[column] === 'bigint';
    const value = text === null ? null : typed(text, isNumber ? 'NUMERIC' : type);
    await this.#change(`UPDATE ${quoted(this.table.name)} SET ${quoted(name)} = ? WHERE ${this.#whereKey()}`, [value, ...this.#keyValues(row)]);
  }

  async remove(row) {
    await this.#change(`DELETE FROM ${quoted(this.table.name)} WHERE ${this.#whereKey()}`, this.#keyValues(row));
  }

  async insert() {
    await this.#change(`INSERT INTO ${quoted(this.table.name)} DEFAULT VALUES`, []);
  }

  async #change(sql, values) {
    const [{ changes }] = await this.source.query(sql, values);
    if (changes === 0) throw new Error('the row has changed meanwhile, and was not found');
  }
}
