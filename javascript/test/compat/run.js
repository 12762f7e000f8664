'use strict';
// Runs all cases on an implementation.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { attempt, outcomeOf } = require('./outcome.js');

const GROUPS = ['arguments', 'binding', 'iterating', 'program', 'statements'];

/** All cases by their names. */
function allCases() {
  return GROUPS.flatMap((group) =>
    Object.entries(require(`./cases/${group}.js`)).map(([name, run]) => [`${group}: ${name}`, run]),
  );
}

/** Paths of this run are not the same as those of another one. */
const withoutPath = (outcome, directory) => JSON.parse(JSON.stringify(outcome).replaceAll(directory, 'DIRECTORY'));

/**
 * @param {any} Database The implementation.
 * @returns {Promise<Map<string, any>>} The outcomes.
 */
async function runAll(Database) {
  const outcomes = new Map();
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'sqlite-sandbox-compat-'));
  let number = 0;
  try {
    for (const [name, run] of allCases()) {
      const directory = path.join(root, String(number++));
      fs.mkdirSync(directory);
      const db = new Database(':memory:');
      const env = { Database, db, attempt, file: (base) => path.join(directory, base) };
      outcomes.set(name, withoutPath(await outcomeOf(run, env), directory));
      // A case can have left an iterator open.
      attempt(() => db.close());
    }
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
  return outcomes;
}

module.exports = { allCases, runAll };

if (require.main === module) {
  const [, , implementation, output] = process.argv;
  runAll(require(implementation)).then((outcomes) => {
    fs.writeFileSync(output, `${JSON.stringify(Object.fromEntries(outcomes), null, 1)}\n`);
    console.log(`${outcomes.size} cases`);
    process.exit();
  });
}
