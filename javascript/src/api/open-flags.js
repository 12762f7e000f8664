'use strict';
// Flags of `sqlite3_open_v2`.

const OPEN = Object.freeze({ READONLY: 1, READWRITE: 2, CREATE: 4 });

function openFlags({ isReadOnly = false, mustExist = false }) {
  if (isReadOnly) return OPEN.READONLY;
  return mustExist ? OPEN.READWRITE : OPEN.READWRITE | OPEN.CREATE;
}

module.exports = { openFlags };
