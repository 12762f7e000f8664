'use strict';
// A shell that prints rows in the mode `list`, as much as the smokes in SQL need.

const { parse } = require('./script.js');

/** What SQLite makes of a real is the text that the shell prints. */
const textOfReal = (db) => {
  const statement = db.prepare("SELECT ? || ''").pluck();
  return (number) => statement.get(number);
};

class Shell {
  #db;
  #textOf;
  #null = '';
  #separator = '|';
  #hasHeaders = false;
  output = '';
  errors = [];

  constructor(db) {
    this.#db = db;
    this.#textOf = textOfReal(db);
  }

  run(script) {
    for (const { command, sql } of parse(script)) {
      try {
        if (command) this.#perform(command);
        else this.#query(sql);
      } catch (error) {
        this.errors.push(error.message);
      }
    }
  }

  #perform(command) {
    const [, name, rest] = /^\.(\w+)\s*(.*)$/.exec(command);
    const word = rest.replace(/^(['"])(.*)\1$/, '$2');
    if (name === 'print') this.output += `${word}\n`;
    else if (name === 'nullvalue') this.#null = word;
    else if (name === 'separator') this.#separator = word;
    else if (name === 'headers') this.#hasHeaders = word === 'on';
    else if (name === 'load') this.#db.loadExtension(word.replace(/^\.\//, ''));
    else if (name !== 'mode' || word !== 'list') throw new Error(`a command that is not known: ${command}`);
  }

  #query(sql) {
    if (!/[^\s;]/.test(sql.replace(/--[^\n]*|\/\*[^]*?\*\//g, ''))) return;
    const statement = this.#db.prepare(sql);
    if (!statement.reader) {
      statement.run();
      return;
    }
    let isFirst = true;
    for (const row of statement.raw().safeIntegers().iterate()) {
      if (isFirst && this.#hasHeaders) this.#print(statement.columns().map(({ name }) => name));
      isFirst = false;
      this.#print(row.map((value) => this.#text(value)));
    }
  }

  #print(texts) {
    this.output += `${texts.join(this.#separator)}\n`;
  }

  #text(value) {
    if (value === null) return this.#null;
    if (typeof value === 'number') return this.#textOf(value);
    if (Buffer.isBuffer(value)) return value.subarray(0, value.includes(0) ? value.indexOf(0) : undefined).toString();
    const text = String(value);
    return text.includes('\0') ? text.slice(0, text.indexOf('\0')) : text;
  }
}

module.exports = { Shell };
