'use strict';
// What several tests use.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const ROOT = path.join(__dirname, '..', '..');

/** The directory with the component and the extensions. */
const BUILT = process.env.BUILT ?? path.join(ROOT, 'target/release');

/** The native shell of the same SQLite, and our own. */
const NATIVE = process.env.NATIVE_SQLITE3 ?? path.join(ROOT, 'target/native-reference/sqlite3');
const RUNNER = path.join(BUILT, 'sqlite-wasm-run');

/** A directory that is removed at the end of a test. */
function directory(t) {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sqlite-sandbox-')));
  t.after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Integers below a limit, the same ones for each seed. */
function randomOf(seed) {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 0x7fffffff;
    return state % limit;
  };
}

module.exports = { BUILT, NATIVE, ROOT, RUNNER, directory, randomOf };
