'use strict';
// The files of the package in an empty directory, for `npm pack`.
//
//   node scripts/stage.js VERSION DIRECTORY

const fs = require('node:fs');
const path = require('node:path');

const { buildSync } = require('esbuild');

const PACKAGE = path.join(__dirname, '..');

/** What the thread of an extension runs: it has the same bundle. */
const WORKER = `'use strict';\nrequire('../index.js')[Symbol.for('sqlite-sandbox.worker')]();\n`;

/** All modules in one file: a start reads one file instead of thirty. */
function bundle(directory) {
  buildSync({
    entryPoints: [path.join(PACKAGE, 'src/index.js')],
    outfile: path.join(directory, 'src/index.js'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
  });
  fs.mkdirSync(path.join(directory, 'src/extensions'));
  fs.writeFileSync(path.join(directory, 'src/extensions/worker-main.js'), WORKER);
}

function stage(version, directory) {
  const manifest = JSON.parse(fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8'));
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  for (const name of manifest.files.filter((it) => it !== 'src')) {
    const from = name === 'LICENSE' ? path.join(PACKAGE, '..', name) : path.join(PACKAGE, name);
    fs.cpSync(from, path.join(directory, name), { recursive: true });
  }
  bundle(directory);
  // Users need nothing of what tests need.
  const { devDependencies: _, scripts: __, private: ___, ...published } = manifest;
  fs.writeFileSync(path.join(directory, 'package.json'), `${JSON.stringify({ ...published, version }, null, 2)}\n`);
}

const [, , version, directory] = process.argv;
stage(version, path.resolve(directory));
