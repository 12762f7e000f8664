// `loadExtension` of browsers, instead of ../src/extensions/load.js: from bytes, or a URL with its SHA-256. There are
// no names of shipped extensions, and no grants except SQL.

import { WORK } from '../src/opcodes.js';
import { fetched, prepared, readOptions, register } from '../src/extensions/loading.js';
import { MAX_FILE_BYTES } from '../src/extensions/package.js';
import { canSuspend } from './suspendable-instance.mjs';

const none = (what) => () => {
  throw new TypeError(`there are no ${what} in browsers, so none can be granted`);
};

/** A script has no code of its own. */
export function noEngine(engine) {
  throw new Error(`it is a script for the engine \`${engine}\`, which browsers do not have; build it with --standalone`);
}

const SYSTEM = { variable: none('environment variables'), directory: none('directories'), engine: noEngine };

async function sha256(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Longest name of an extension. */
export const MAX_NAME_BYTES = 255;

/** The file of a name in the index of a directory of extensions, and what the index says of it. */
export async function extensionBytes(directory, name) {
  const entries = await (await fetch(new URL('index.json', directory))).json();
  const entry = entries.find((one) => one.name === name);
  if (!entry) throw new Error(`there is no extension ${name}`);
  const bytes = await fetched(new URL(`${name}.wasm`, directory), entry.sha256, MAX_FILE_BYTES);
  if ((await sha256(bytes)) !== entry.sha256) throw new Error(`${name}.wasm is not the file of the index`);
  return { bytes, entry };
}

/** SQLite loads it; it may run SQL meanwhile, while the engine is suspended. */
async function registerWaiting(connection, dispatch, { name, extension }) {
  await dispatch.offering(name, extension, () => connection.programWaiting(WORK.LOAD_EXTENSION, name));
}

/**
 * Loads an extension.
 * @param {URL | Uint8Array} source
 * @returns {Promise<{ name: string, usesSql: boolean }>}
 */
export async function loadExtension(connection, dispatch, source, options) {
  const given = readOptions(options);
  if (!(source instanceof URL) && !ArrayBuffer.isView(source)) throw new TypeError('Expected first argument to be a URL or Uint8Array');
  const bytes = source instanceof URL ? await fetched(source, given.sha256, MAX_FILE_BYTES) : source.slice();
  const ready = prepared(dispatch, bytes, await sha256(bytes), given, [], SYSTEM);
  connection.checkIdle();
  const { usesSql, manifest } = ready.extension.package;
  if (canSuspend) await registerWaiting(connection, dispatch, ready);
  else register(connection, dispatch, ready);
  const functions = [...new Set(manifest.functions.map(({ name }) => name.toString()))];
  const modules = manifest.modules.map(({ name }) => name.toString());
  return { name: manifest.name.toString(), version: manifest.version.toString(), usesSql, functions, modules };
}
