'use strict';
// Imports that may wait, where WebAssembly can be suspended meanwhile (JSPI).

/** Functions of `dispatch` in which no SQL is available: only these can be called without `performWaiting`. */
const NEVER_WAITING = new Set([
  'attach', 'collation-compare', 'disconnect', 'embedded', 'load', 'pointers-forget', 'statistics',
]);

/** Imports that may return promises. */
function suspending(isOn, imports) {
  if (!isOn) return imports;
  const wrapped = ([name, fn]) => [name, NEVER_WAITING.has(name) ? fn : new WebAssembly.Suspending(fn)];
  return Object.fromEntries(Object.entries(imports).map(wrapped));
}

module.exports = { suspending };
