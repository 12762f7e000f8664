'use strict';
// Two files of all modules: what a start uses, and the rest. Reading, parsing and evaluating one file of the
// half takes a third of the time. The modules of the first one become ES modules, whose scopes esbuild
// joins; as CommonJS each would be a function, which V8 parses twice.

const fs = require('node:fs');
const path = require('node:path');

const { build } = require('esbuild');
const { minify } = require('terser');

const opcodes = require('../src/opcodes.js');

const SOURCES = path.join(__dirname, '../src');
const LATE = path.join(SOURCES, 'late.js');

/** Where the second file finds the modules of the first one. */
const SHARED = "Symbol.for('sqlite-sandbox.modules')";

/** Node prints the line of an uncaught error. */
const MAX_LINE = 4000;

const OPTIONS = { bundle: true, minify: true, write: false, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'error' };

/** Removes what esbuild leaves: it looks at each expression once, and is quick; 4 % of the compressed bytes. */
const SHORT = { ecma: 2022, toplevel: true, compress: { passes: 3 }, format: { max_line_len: MAX_LINE, quote_style: 1 } };

/** Without freezing tables, whose values are then put where their names are. */
const thawed = (text) => text.replace(/^const (\w+) = Object\.freeze\((\{[^]*?\})\);$/gm, 'const $1 = $2;');

/** A module's text with the values of opcodes instead of their names, which are a tenth of the whole. */
function numbered(file) {
  const text = thawed(fs.readFileSync(file, 'utf8'));
  const imported = /^const \{ (.*) \} = require\('[./]*opcodes\.js'\);$/m.exec(text);
  if (!imported) return text;
  const tables = imported[1].split(', ');
  const used = new RegExp(`(?<![.\\w])(${tables.join('|')})\\.([A-Z_]+)\\b`, 'g');
  const result = text.replace(used, (_, table, name) => {
    if (!Object.hasOwn(opcodes[table], name)) throw new Error(`${file}: there is no ${table}.${name}`);
    return String(opcodes[table][name]);
  });
  const rest = result.replace(imported[0], '');
  return tables.some((table) => new RegExp(`(?<![.\\w])${table}\\b`).test(rest)) ? result : rest;
}

/** The text of a module of ours as an ES module. `require` of Node's modules can stay. */
function hoisted(text) {
  const names = (list) => list.replace(/(\w+): (\w+)/g, '$1 as $2');
  const result = text
    .replace(/^const (\{[^}]*\}) = require\(('\.[^']*')\);$/gm, (_, list, from) => `import ${names(list)} from ${from};`)
    .replace(/^module\.exports = \{([^}]*)\};$/m, (_, list) => `export {${list.replace(/(\w+): (\w+)/g, '$2 as $1')}};`)
    .replace(/^module\.exports = (?!\{)/m, 'export default ');
  if (/\bmodule\.exports\b|\brequire\('\.(?![./]*late\.js')/.test(result)) throw new Error(`no ES module: ${text.slice(0, 200)}`);
  return result;
}

const loadHoisted = (file) => ({ contents: hoisted(numbered(file)), loader: 'js', resolveDir: path.dirname(file) });

/** For the first file: its modules are hoisted, and `late.js` stays outside. */
const first = {
  name: 'first',
  setup(use) {
    use.onResolve({ filter: /late\.js$/ }, () => ({ path: './late.js', external: true }));
    use.onLoad({ filter: /src\/.*\.js$/ }, ({ path: file }) => loadHoisted(file));
  },
};

/** For the second file: the modules of the first one are those that it has loaded, by their numbers. Notes which. */
const second = (modules, used) => ({
  name: 'second',
  setup(use) {
    use.onLoad({ filter: /src\/.*\.js$/ }, ({ path: file }) => {
      const name = path.relative(SOURCES, file);
      const number = modules.indexOf(name);
      if (number < 0) return { contents: numbered(file), loader: 'js' };
      used.add(number);
      return { contents: `module.exports = sharedModules[${number}];`, loader: 'js' };
    });
  },
});

/** The beginning of the first file: the package, and the modules that the second one shares. */
function entry(modules, used) {
  // In the order of their numbers: files are loaded in any order.
  const numbers = [...used].sort((a, b) => a - b);
  const lines = numbers.map((number) => [`import * as m${number} from './${modules[number]}';`, `${number}: m${number}`]);
  return {
    contents:
      `import Database from './index.js';\n${lines.map(([line]) => line).join('\n')}\n` +
      `Object.defineProperty(Database, ${SHARED}, { value: { ${lines.map(([, pair]) => pair).join(', ')} } });\n` +
      'export default Database;\n',
    resolveDir: SOURCES,
  };
}

/** Builds a file by esbuild, and writes it shortened. */
async function write(file, options) {
  const { outputFiles } = await build({ ...OPTIONS, ...options });
  const { code } = await minify(outputFiles[0].text, SHORT);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${code}\n`);
}

/** Writes `index.js` and `late.js` to a directory. */
async function bundle(directory) {
  const { metafile } = await build({ ...OPTIONS, stdin: entry([], []), plugins: [first], metafile: true });
  const modules = Object.keys(metafile.inputs).map((name) => path.relative(SOURCES, path.resolve(name))).sort();
  const used = new Set();
  await write(path.join(directory, 'late.js'), {
    entryPoints: [LATE],
    plugins: [second(modules, used)],
    banner: { js: `const sharedModules = require('./index.js')[${SHARED}];` },
  });
  await write(path.join(directory, 'index.js'), {
    stdin: entry(modules, used),
    plugins: [first],
    footer: { js: 'module.exports = module.exports.default;' },
  });
}

module.exports = { bundle };
