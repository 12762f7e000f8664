'use strict';
// What most programs do not use. A start does not read it; in the package it is a file of its own.

const parts = {
  get functions() {
    return require('./api/functions.js');
  },
  get tables() {
    return require('./api/table-methods.js');
  },
  get backup() {
    return require('./api/backup.js');
  },
  get extensions() {
    return require('./extensions/load.js');
  },
  get Dispatch() {
    return require('./extensions/dispatch.js').Dispatch;
  },
  get nodeSqlite() {
    return require('./node-sqlite/module.js');
  },
  get thread() {
    return require('./extensions/worker-main.js');
  },
};

module.exports = parts;
