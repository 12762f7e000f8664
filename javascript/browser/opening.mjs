// What an engine gets in a browser, instead of ../src/api/opening.js. Files are opened ahead, since that is not
// possible in the middle of a call.

import { openFlags } from '../src/api/open-flags.js';
import { Files } from '../src/files/imports.js';
import { ROOM_BYTES, limitMemory } from '../src/wasm/memory-limit.js';
import { canSuspend } from './suspendable-instance.mjs';
import { YieldingProcess } from './yielding.mjs';

export { openFlags };

/** The key of the option that has what `prepareHost` returns. */
export const HOST = Symbol('host');

/** The engine's file, read once. */
let engineBytes = null;

async function read(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers with status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The code of the engine, before a database is opened. */
export async function prepareHost(disk, engineUrl) {
  engineBytes ??= read(engineUrl);
  try {
    return { disk, bytes: await engineBytes };
  } catch (error) {
    engineBytes = null;
    throw error;
  }
}

function moduleOf(bytes, memory) {
  const room = new Uint8Array(ROOM_BYTES + bytes.length);
  room.set(bytes, ROOM_BYTES);
  return new WebAssembly.Module(limitMemory(room, memory));
}

/** Nobody else uses the files, so nothing comes from waiting; a program that wants to sleep sleeps. */
function sleep(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

export function directoriesOption(options) {
  if ('directories' in options) throw new TypeError('there are no directories to grant in browsers');
  return [];
}

export function openHost(options, { [HOST]: { disk, bytes } }) {
  return {
    module: moduleOf(bytes, options.limits.memory),
    files: new Files(disk),
    process: new YieldingProcess({ workingDirectory: () => '/', sleep }),
    target: options.isAnonymous ? options.file : disk.pathOf(options.file),
    suspends: canSuspend,
  };
}
