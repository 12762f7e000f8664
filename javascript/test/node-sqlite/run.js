'use strict';
// Runs all cases on `node:sqlite`, or on the module of the same interface. What Node 26 does is recorded, as older versions
// have another one, or none: `node run.js` of Node 26 writes it anew.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { outcomeOf } = require('../compat/outcome.js');
const cases = require('./cases.js');

const FILE = path.join(__dirname, 'expected.json');

/** @returns {Promise<Record<string, any>>} The outcomes by the names of the cases. */
async function runAll(module) {
  const outcomes = {};
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'node-sqlite-')));
  try {
    for (const [name, run] of Object.entries(cases)) {
      const directory = fs.mkdtempSync(path.join(root, 'case-'));
      const db = new module.DatabaseSync(':memory:');
      db.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c); INSERT INTO t(b) VALUES('x'),('y'),('z')");
      const env = { ...module, db, exports: Object.keys(module).sort(), file: (base) => path.join(directory, base) };
      const outcome = await outcomeOf(run, env);
      outcomes[name] = JSON.parse(JSON.stringify(outcome).replaceAll(directory, 'DIRECTORY'));
      if (db.isOpen) db.close();
    }
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
  return outcomes;
}

const recorded = () => JSON.parse(fs.readFileSync(FILE, 'utf8'));

module.exports = { recorded, runAll };

if (require.main === module) {
  runAll(require('node:sqlite')).then((outcomes) => {
    const lines = Object.entries(outcomes).map(([name, outcome]) => `  ${JSON.stringify(name)}: ${JSON.stringify(outcome)}`);
    fs.writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
  });
}
