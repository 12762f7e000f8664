// What is not SQLite's own: the functions and modules of extensions; and loading more where the page has an engine.

import { button, element } from './dom.mjs';

const FUNCTIONS = 'SELECT DISTINCT name FROM pragma_function_list WHERE NOT builtin ORDER BY name';
const MODULES = "SELECT name FROM pragma_module_list WHERE name NOT LIKE 'pragma\\_%' ESCAPE '\\' ORDER BY name";

export async function extensionsView({ source, report, changed }) {
  const [functions, modules] = await Promise.all([FUNCTIONS, MODULES].map((sql) => source.query(sql).then(([{ rows }]) => rows.flat(), () => [])));
  const root = element('section', { className: 'structure' });
  for (const [title, names] of [['Functions', functions], ['Modules of tables', modules]]) {
    root.append(element('h2', { textContent: title }), element('p', { textContent: names.join(', ') || 'none' }));
  }
  if (!source.loadExtension) return root;
  const load = async (entry) => {
    report(`loading ${entry.name} …`);
    try {
      await source.loadExtension(entry);
      report(`${entry.name} is loaded`);
    } catch (error) {
      report('', error);
    }
    changed(true);
  };
  const entries = await source.extensions();
  root.prepend(element('h2', { textContent: 'Extensions' }), element('div', { className: 'bar wrap' },
    ...entries.map((entry) => button(entry.isLoaded ? `${entry.name} ✓` : entry.name, () => load(entry), { disabled: entry.isLoaded, title: entry.grants.length ? `needs ${entry.grants.join(', ')}` : '' }))),
  element('p', { className: 'dim', textContent: 'Drop a .wasm file onto the page to load another one.' }));
  return root;
}
