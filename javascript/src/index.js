'use strict';
// SQLite in a sandbox, with the interface of better-sqlite3.

const { Database } = require('./api/database.js');
const { LimitError, SqliteError } = require('./api/errors.js');
const { Statement } = require('./api/statement.js');

// The names stay where a bundle has others.
for (const [name, value] of Object.entries({ Database, LimitError, SqliteError, Statement })) {
  Object.defineProperty(value, 'name', { value: name, configurable: true });
}

Object.assign(Database, { default: Database, Database, SqliteError, LimitError });

module.exports = Database;
