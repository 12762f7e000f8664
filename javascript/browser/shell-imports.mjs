// What the shell imports beside the engine: `console`, the rest of `process` and of `files` of wit/host. Lowered: pointers
// are addresses in its memory, and results are stored where the last argument says.

import { ERROR, FileError } from '../src/files/errors.js';
import { nameAt } from '../src/files/names.js';

/** The cases of `edited`. */
const EDITED = { line: 0, complete: 1, interrupted: 2, end: 3 };

/** `file-kind`. */
const REGULAR = 0;
const DIRECTORY = 1;
const FILE_BITS = 0o644;

/** `interruption`. */
const BY_USER = 0;

const MAX_CANDIDATES = 1000;

/** The handle of a stream. */
const STDERR = 2;

/** Stores bytes, and at `at` where they are. */
function storeBytes(memory, at, bytes) {
  const start = memory.store(bytes);
  memory.view.setUint32(at, start, true);
  memory.view.setUint32(at + 4, bytes.length, true);
}

/** `list<list<u8>>` or `list<string>` at an address. */
function lists(memory, pointer, count) {
  memory.check(pointer, 8 * count);
  const read = (index) => memory.view.getUint32((pointer >>> 0) + 4 * index, true);
  return Array.from({ length: Math.min(count >>> 0, MAX_CANDIDATES) }, (_, index) => memory.bytes(read(2 * index), read(2 * index + 1)).toString());
}

/** @param {{ write: (bytes: Uint8Array, isError: boolean) => void, edit: (prompt: string) => Promise<any>, offer: (candidates: string[]) => Promise<any> }} terminal */
export function consoleImports(shell, terminal) {
  const storeEdited = (at, { kind, text }) => {
    const { memory } = shell;
    memory.u8[at] = EDITED[kind];
    if (text !== undefined) storeBytes(memory, at + 4, Buffer.from(text));
  };
  return {
    write: (to, pointer, length) => {
      terminal.write(new Uint8Array(shell.memory.bytes(pointer, length)), to === 1);
      return 1;
    },
    edit: new WebAssembly.Suspending(async (pointer, length, at) => {
      const edited = await terminal.edit(shell.memory.bytes(pointer, length).toString());
      // What was to end has ended by itself.
      shell.isInterrupted = false;
      storeEdited(at, edited);
    }),
    offer: new WebAssembly.Suspending(async (pointer, count, at) => storeEdited(at, await terminal.offer(lists(shell.memory, pointer, count)))),
    // The terminal keeps what was typed.
    remember: () => {},
    'load-history': () => {},
    'save-history': () => {},
  };
}

export function processImports(shell, args) {
  const none = (at) => {
    shell.memory.u8[at] = 0;
  };
  const poll = (at) => {
    shell.memory.u8[at] = shell.isInterrupted ? 1 : 0;
    shell.memory.u8[at + 1] = BY_USER;
    shell.isInterrupted = false;
  };
  return {
    'poll-interruption': new WebAssembly.Suspending((at) => (shell.slices.isOver() ? shell.slices.next().then(() => poll(at)) : poll(at))),
    sleep: new WebAssembly.Suspending((microseconds) => new Promise((done) => setTimeout(done, (microseconds >>> 0) / 1000))),
    'cpu-usage': (at) => {
      shell.memory.view.setBigUint64(at, BigInt(Math.round(performance.now() * 1000)), true);
      shell.memory.view.setBigUint64(at + 8, 0n, true);
    },
    'local-offset': (seconds, at) => {
      const date = new Date(Number(seconds) * 1000);
      const isKnown = !Number.isNaN(date.getTime());
      shell.memory.u8[at] = isKnown ? 1 : 0;
      if (!isKnown) return;
      shell.memory.view.setInt32(at + 4, -60 * date.getTimezoneOffset(), true);
      shell.memory.u8[at + 8] = 0;
    },
    'home-directory': (at) => {
      storeBytes(shell.memory, at + 4, Buffer.from(shell.directory));
      shell.memory.u8[at] = 1;
    },
    'startup-file': (_pointer, _length, at) => none(at),
    'check-granted': () => 1,
    arguments: (at) => {
      const { memory } = shell;
      const all = args.map((text) => Buffer.from(text));
      const start = memory.allocate(8 * all.length, 4);
      all.forEach((bytes, index) => storeBytes(memory, start + 8 * index, bytes));
      memory.view.setUint32(at, start, true);
      memory.view.setUint32(at + 4, all.length, true);
    },
    'working-directory': (at) => {
      storeBytes(shell.memory, at + 4, Buffer.from(shell.directory));
      shell.memory.u8[at] = 1;
    },
    'set-exit-code': (code) => {
      shell.exitCode = code & 0xff;
    },
  };
}

/** The streams of WASI, where the shell does not use `console`: an input that was given, and output. */
export function streamImports(shell, streams, terminal, input = new Uint8Array(0)) {
  let position = 0;
  const read = (_stream, length, at) => {
    const part = input.subarray(position, position + Number(BigInt.asUintN(32, length)));
    position += part.length;
    const { u8 } = shell.memory;
    u8[at] = part.length > 0 ? 0 : 1;
    if (part.length > 0) storeBytes(shell.memory, at + 4, part);
    // The case `closed` of `stream-error`.
    else u8[at + 4] = 1;
  };
  const write = (stream, pointer, length, at) => {
    terminal.write(new Uint8Array(shell.memory.bytes(pointer, length)), stream === STDERR);
    shell.memory.u8[at] = 0;
  };
  const all = { ...streams, '[method]input-stream.read': read, '[method]output-stream.write': write };
  return { 'wasi:io/streams@0.2.0': all };
}

/** `files`, whose databases may have to be opened ahead. */
export function fileImports(shell, files, disk, terminal) {
  const imports = files.files();
  const refused = (payload, code) => (...args) =>
    files.store(args.at(-1), payload, () => {
      throw new FileError(code);
    });
  const open = (pointer, length, how, at) => {
    const path = nameAt(shell.memory, pointer, length >>> 0);
    const opened = () => imports.open(pointer, length, how, at);
    // Another database of that name in memory would take rows that are lost with it.
    const failed = (error) => {
      terminal.write(new TextEncoder().encode(`${path}: ${error.message}\n`), true);
      refused(4, ERROR.ACCESS)(at);
    };
    return disk.isAwaited(path, how) ? disk.openAhead(path).then(opened, failed) : opened();
  };
  return {
    ...imports,
    open: new WebAssembly.Suspending(open),
    'open-descriptor': refused(4, ERROR.NOT_GRANTED),
    'link-target': refused(4, ERROR.INVALID),
    'set-permissions': refused(1, ERROR.UNSUPPORTED),
    attributes: (pointer, length, at) =>
      files.store(at, 8, () => {
        const size = disk.sizeOf(nameAt(shell.memory, pointer, length >>> 0));
        const { u8, view } = shell.memory;
        u8[at + 8] = size < 0 ? DIRECTORY : REGULAR;
        view.setUint32(at + 12, FILE_BITS, true);
        view.setBigUint64(at + 16, BigInt(Math.max(0, size)), true);
        view.setBigInt64(at + 24, 0n, true);
      }),
  };
}
