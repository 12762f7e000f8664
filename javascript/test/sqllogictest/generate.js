'use strict';
// Writes files of sqllogictest with random tables and queries, whose results are those of the native shell.

const { execFileSync } = require('node:child_process');

const { randomOf } = require('../support.js');
const { resultOf, summary } = require('./runner.js');

const THRESHOLD = 8;
const COLUMNS = ['a', 'b', 'c', 'd'];

/** A generator of SQL. Integers stay small, as the shell's JSON must have them exactly. */
class Generator {
  constructor(seed) {
    this.random = randomOf(seed);
  }

  pick(...choices) {
    return choices[this.random(choices.length)];
  }

  literal() {
    return this.pick('NULL', `${this.random(200) - 100}`, `${this.random(20)}`, `${this.random(1000) / 8}`, `'${this.pick('', 'x', 'abc', 'Zz', '12', "it''s", 'é')}'`);
  }

  expression(depth, column) {
    if (depth === 0) return this.random(3) ? column() : this.literal();
    const part = () => this.expression(depth - 1, column);
    return this.pick(
      () => `(${part()} ${this.pick('+', '-', '*', '/', '%')} ${part()})`,
      () => `(${part()} ${this.pick('<', '<=', '=', '<>', 'IS', 'IS NOT')} ${part()})`,
      () => `(${part()} ${this.pick('AND', 'OR')} ${part()})`,
      () => `CASE WHEN ${part()} THEN ${part()} ELSE ${part()} END`,
      () => `${this.pick('abs', 'length', 'upper', 'typeof', 'hex', 'quote')}(${part()})`,
      () => `${this.pick('coalesce', 'nullif', 'max', 'min', 'substr')}(${part()}, ${part()})`,
      () => `(${part()} ${this.pick('BETWEEN', 'NOT BETWEEN')} ${part()} AND ${part()})`,
      () => `(${part()} ${this.pick('IN', 'NOT IN')} (${part()}, ${part()}))`,
      () => `(${part()} LIKE ${this.pick("'%a%'", "'_'", "'Z%'")})`,
      () => `CAST(${part()} AS ${this.pick('INTEGER', 'REAL', 'TEXT')})`,
      () => `(${part()} || ${part()})`,
      () => `(NOT ${part()})`,
    )();
  }

  plain() {
    const column = () => this.pick(...COLUMNS);
    const list = [1, 2].map(() => this.expression(2, column)).join(', ');
    return `SELECT ${this.pick('', 'DISTINCT ')}${list} FROM ${this.pick('t', 'u')} WHERE ${this.expression(2, column)}`;
  }

  joined() {
    const column = () => `${this.pick('x', 'y')}.${this.pick(...COLUMNS)}`;
    const on = this.pick('x.a = y.a', 'x.a < y.b', `x.b = ${this.expression(1, () => `y.${this.pick(...COLUMNS)}`)}`);
    return `SELECT x.a, ${this.expression(1, column)} FROM t x ${this.pick('JOIN', 'LEFT JOIN', 'FULL JOIN')} u y ON ${on}`;
  }

  grouped() {
    const column = () => this.pick(...COLUMNS);
    const value = () => this.expression(1, column);
    const key = this.pick(...COLUMNS);
    return `SELECT ${key}, ${this.pick('count(*)', `sum(${column()})`, `max(${value()})`, `count(DISTINCT ${value()})`)} FROM ${this.pick('t', 'u')} GROUP BY ${key}${this.pick('', ` HAVING count(*) > ${this.random(3)}`)}`;
  }

  nested() {
    const column = () => this.pick(...COLUMNS);
    return this.pick(
      () => `SELECT a, (SELECT ${this.pick('max', 'min', 'count')}(y.${column()}) FROM u y WHERE y.a ${this.pick('=', '<', '>')} t.a) FROM t`,
      () => `SELECT a, b FROM t WHERE ${this.pick('', 'NOT ')}EXISTS (SELECT 1 FROM u y WHERE y.b = t.b AND ${this.expression(1, column)})`,
      () => `SELECT a, b FROM t ${this.pick('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')} SELECT c, d FROM u`,
      () => `SELECT a, sum(b) OVER (ORDER BY a, b, c, d ROWS ${this.random(3)} PRECEDING) FROM t`,
      () => `WITH RECURSIVE n(i, s) AS (SELECT 1, 0 UNION ALL SELECT i + 1, s + i FROM n WHERE i < ${this.random(30)}) SELECT i, s FROM n`,
    )();
  }

  query() {
    return this.pick(() => this.plain(), () => this.plain(), () => this.joined(), () => this.grouped(), () => this.nested())();
  }

  tables() {
    const rows = () => Array.from({ length: 25 }, () => `(${COLUMNS.map(() => this.literal()).join(', ')})`).join(', ');
    return ['t', 'u'].flatMap((name) => [
      `CREATE TABLE ${name}(a INTEGER, b, c TEXT, d REAL)`,
      `INSERT INTO ${name} VALUES ${rows()}`,
      `CREATE INDEX ${name}_${this.pick(...COLUMNS)} ON ${name}(${this.pick(...COLUMNS)})`,
    ]);
  }
}

/** The rows of each query by the native shell. */
function nativeRows(native, statements, queries) {
  const asJson = queries.map((query) => `SELECT json_group_array(json_array(a, b)) FROM (SELECT '' AS a, '' AS b WHERE 0 UNION ALL SELECT * FROM (${query}))`);
  const input = [...statements, ...asJson, ''].join(';\n');
  const lines = execFileSync(native, [':memory:'], { input, encoding: 'utf8', maxBuffer: 1 << 30 }).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** The text of a file with so many queries. */
function generate(native, seed, count) {
  const generator = new Generator(seed);
  const statements = generator.tables();
  const queries = Array.from({ length: count }, () => generator.query());
  const records = [`hash-threshold ${THRESHOLD}`, ...statements.map((sql) => `statement ok\n${sql}`)];
  nativeRows(native, statements, queries).forEach((rows, index) => {
    const types = generator.pick('TT', 'TT', 'RT');
    const order = generator.pick('rowsort', 'valuesort');
    records.push(`query ${types} ${order}\n${queries[index]}\n----\n${summary(resultOf(rows, types, order), THRESHOLD).join('\n')}`);
  });
  return `${records.join('\n\n')}\n`;
}

module.exports = { generate };
