'use strict';
// The bundles for browsers: the modules of ../src with those of ../browser instead of what only Node has.

const path = require('node:path');

const SOURCES = path.join(__dirname, '../src');
const BROWSER = path.join(__dirname, '../browser');

/** What replaces a module of ../src, by its path there. */
const REPLACED = {
  'api/opening.js': 'opening.mjs',
  'extensions/suspendable-instance.js': 'suspendable-instance.mjs',
  'extensions/worker-instance.js': 'unsupported.mjs',
  'host/random.js': 'random.mjs',
  'host/wasi-files.js': 'unsupported.mjs',
  'late.js': 'late.mjs',
};

const replacing = {
  name: 'replacing',
  setup(use) {
    use.onResolve({ filter: /^node:buffer$/ }, () => ({ path: path.join(BROWSER, 'utf8.mjs') }));
    use.onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir }) => {
      const replaced = REPLACED[path.relative(SOURCES, path.join(resolveDir, name))];
      return replaced ? { path: path.join(BROWSER, replaced) } : undefined;
    });
  },
};

/** Options of esbuild for code that runs in browsers. */
const OPTIONS = {
  bundle: true, minify: true, format: 'esm', target: 'es2022', platform: 'browser', logLevel: 'warning',
  legalComments: 'none', inject: [path.join(BROWSER, 'buffer.mjs')], plugins: [replacing],
};

/** The client, its worker, and the database for workers of programs. */
const ENTRIES = { index: 'client.mjs', worker: 'worker.mjs', sync: 'sync.mjs' };

/** Writes the bundles, and others that `more` names. */
async function bundleBrowser(esbuild, directory, more = {}) {
  const entries = Object.entries({ ...ENTRIES, ...more }).map(([name, file]) => [name, path.join(BROWSER, file)]);
  await esbuild.build({
    ...OPTIONS,
    entryPoints: Object.fromEntries(entries),
    outdir: path.join(directory, 'browser'),
  });
}

module.exports = { bundleBrowser };
