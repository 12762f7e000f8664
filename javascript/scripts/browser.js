'use strict';
// The bundles for browsers: the modules of ../src with those of ../browser in place of what only Node has.
//
//   node scripts/browser.js MODULES DIRECTORY   with esbuild in MODULES; to DIRECTORY/browser

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

/** Writes index.js, worker.js, sync.js and shell.js. */
async function bundleBrowser(esbuild, directory) {
  await esbuild.build({
    ...OPTIONS,
    entryPoints: { index: path.join(BROWSER, 'client.mjs'), worker: path.join(BROWSER, 'worker.mjs'), sync: path.join(BROWSER, 'sync.mjs'), shell: path.join(BROWSER, 'shell-worker.mjs') },
    outdir: path.join(directory, 'browser'),
  });
}

if (require.main === module) {
  const [modules, directory] = process.argv.slice(2).map((name) => path.resolve(name));
  bundleBrowser(require(path.join(modules, 'esbuild')), directory);
}

module.exports = { OPTIONS, bundleBrowser };
