'use strict';
// The names of `node:sqlite`.

const { backup } = require('./backup.js');
const { DatabaseSync } = require('./database.js');
const { StatementSync } = require('./statement.js');

/** Those of `node:sqlite` are for its sessions and its authorizer. */
const constants = Object.freeze({});

// The name stays where a bundle has another.
Object.defineProperty(DatabaseSync, 'name', { value: 'DatabaseSync' });

module.exports = { DatabaseSync, StatementSync, backup, constants };
