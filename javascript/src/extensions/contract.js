'use strict';
// The functions of `dispatch`, and the exports of an extension that they call. Tools could generate
// this table from the WIT; a test compares it with it.

const t = require('./types.js');

const u32 = t.u32;
const rows = [u32, u32, t.values, t.bytes];

/**
 * - `params`: without the extension's handle.
 * - `result`: null for none.
 * - `takes`: the first parameter is a handle of a table, cursor or accumulator; or a function.
 * - `makes`: the result is a new handle. `ends`: the handle is not valid any more, also after a failure.
 * - `isPlain`: the extension's function cannot fail.
 */
const FUNCTIONS = {
  'scalar-call': { takes: 'function', params: [u32, t.values, t.bytes], result: t.output },
  'pointers-forget': { params: [t.plainList(8)], result: null, isPlain: true },
  'aggregate-start': { takes: 'index', params: [u32], result: u32, makes: true, isPlain: true },
  'aggregate-step': { takes: 'handle', params: [u32, ...rows], result: null },
  'aggregate-inverse': { takes: 'handle', params: [u32, ...rows], result: null },
  'aggregate-value': { takes: 'handle', params: [u32], result: t.output },
  'aggregate-finish': { takes: 'handle', params: [u32], result: t.output, ends: true },
  'aggregate-abandon': { takes: 'handle', params: [u32], result: null, ends: true, isPlain: true },
  'table-connect': {
    params: [u32, t.enumeration(2), t.string, t.string, t.list(t.string)],
    result: t.connected,
    makes: true,
  },
  'table-disconnect': { takes: 'handle', params: [u32], result: null, ends: true },
  'table-destroy': { takes: 'handle', params: [u32], result: null, ends: 'success' },
  'table-best-index': { takes: 'handle', params: [u32, t.indexInfo], result: t.option(t.indexPlan) },
  'table-open': { takes: 'handle', params: [u32], result: u32, makes: true },
  'table-close': { takes: 'handle', params: [u32], result: null, ends: true, isPlain: true },
  'table-filter': {
    takes: 'handle',
    params: [u32, t.s32, t.option(t.bytes), t.list(t.filterArgument), t.bytes, t.numbers],
    result: null,
  },
  'table-fetch-batch': { takes: 'handle', params: [u32, u32], result: t.batch },
  'table-update': { takes: 'handle', params: [u32, t.change, t.bytes, t.enumeration(5)], result: t.s64 },
  'table-transact': { takes: 'handle', params: [u32, t.transaction], result: null },
  'table-rename': { takes: 'handle', params: [u32, t.string], result: null },
  'table-integrity': {
    takes: 'handle',
    params: [u32, t.string, t.string, t.bool],
    result: t.option(t.string),
  },
  'table-find-function': {
    takes: 'handle',
    params: [u32, u32, t.string],
    result: t.option(t.overload),
    offers: true,
    isPlain: true,
  },
};

/** The functions that continue a call, by the type of its result. */
const RESUMES = {
  'resume-nothing': null,
  'resume-output': t.output,
  'resume-handle': u32,
  'resume-connected': t.connected,
  'resume-plan': t.option(t.indexPlan),
  'resume-batch': t.batch,
  'resume-row-id': t.s64,
  'resume-text': t.option(t.string),
  'resume-overload': t.option(t.overload),
};

/** Functions of an extension that `dispatch` calls in other ways. */
const OTHERS = {
  'extension-connect': { params: [], result: null },
  'extension-disconnect': { params: [], result: null, isPlain: true },
  'inline-pending-result': { params: [u32], result: t.output },
  'collation-compare': { params: [u32, t.bytes, t.bytes], result: t.s32, isPlain: true },
};

const VERSION = '0.1.0';

/** The name of an extension's export for a function of `dispatch`. */
function exportName(name) {
  const dash = name.indexOf('-');
  return `sqlite-wasm:extension/${name.slice(0, dash)}@${VERSION}#${name.slice(dash + 1)}`;
}

for (const [name, entry] of Object.entries({ ...FUNCTIONS, ...OTHERS })) {
  entry.export = exportName(name);
  // What the extension returns, and what the engine gets.
  entry.returned = entry.isPlain ? entry.result : t.result(entry.result, t.sqlError);
  entry.answer = t.result(entry.result, t.unfinished);
}

module.exports = { FUNCTIONS, OTHERS, RESUMES, VERSION, exportName };
