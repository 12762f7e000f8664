// The worker of the shell: what it prints and where it waits for a line are messages.

import { Shell } from './shell.mjs';

const CODE = new URL('../engine/cli.wasm', import.meta.url);
const EXTENSIONS = new URL('../extensions/', import.meta.url);

let shell = null;

/** Fulfilled by the next line. */
let edited = null;
let isLeaving = false;

const wait = (message) => {
  if (isLeaving) return { kind: 'end' };
  self.postMessage(message);
  return new Promise((resolve) => { edited = resolve; });
};

const terminal = {
  write: (bytes, isError) => self.postMessage({ kind: 'output', bytes, isError }),
  edit: async (prompt) => wait({ kind: 'edit', prompt }),
  offer: async (candidates) => wait({ kind: 'offer', candidates }),
};

/** @param {{ arguments: string[], files?: Record<string, Uint8Array> }} message Also the options of a shell. */
async function start({ arguments: args, files = {}, ...options }) {
  if (typeof WebAssembly.Suspending !== 'function') throw new Error("the shell needs WebAssembly's JSPI, which this browser lacks; Chromium has it from 137 on");
  const module = await WebAssembly.compileStreaming(fetch(CODE));
  shell = new Shell({ ...options, module, args, terminal, extensions: EXTENSIONS });
  for (const [path, bytes] of Object.entries(files)) shell.disk.put(path, bytes);
  const code = await shell.run();
  return { code, files: shell.disk.contents() };
}

self.onmessage = async ({ data }) => {
  if (data.kind === 'edited') edited?.(data.edited);
  else if (data.kind === 'interrupt') shell?.interrupt();
  else if (data.kind === 'leave') {
    isLeaving = true;
    edited?.({ kind: 'end' });
  } else if (data.kind === 'start') {
    try {
      self.postMessage({ kind: 'ended', ...(await start(data)) });
    } catch (error) {
      self.postMessage({ kind: 'ended', message: error.message });
    }
  }
};

