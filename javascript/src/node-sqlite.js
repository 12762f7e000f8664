'use strict';
// `sqlite-sandbox/node-sqlite`: the interface of `node:sqlite`.

const { DatabaseSync, StatementSync, backup, constants } = require('./late.js').nodeSqlite;

// By their names, which an `import` finds in this text.
module.exports = { DatabaseSync, StatementSync, backup, constants };
