'use strict';
// `backup` of `node:sqlite`.

const { DatabaseSync } = require('./database.js');
const { invalidArgument } = require('./errors.js');

const RATE = 100;

/** Copies a database to a file. Returns a promise of how many pages it has. */
function backup(source, path, { source: attached = 'main', rate = RATE, progress } = {}) {
  if (!(source instanceof DatabaseSync)) throw invalidArgument('sourceDb', 'an object');
  let isBegun = false;
  const report = (state) => {
    // The first call is for the rate alone.
    if (isBegun) progress?.(state);
    isBegun = true;
    return rate;
  };
  const copied = DatabaseSync.databaseOf(source).backup(path, { attached, progress: report });
  return copied.then(({ totalPages }) => totalPages);
}

module.exports = { backup };
