// Replaces modules of Node that browsers do not have: threads that both sides wait for, and directories.

const NO_THREAD =
  'it needs SQL, or a limit for the time of its calls. In browsers SQL needs WebAssembly\'s JSPI, which this one lacks ' +
  '(Chromium 137 and Firefox 153 have it); there are no limits of time';

/** An extension that would need a thread of its own. */
export class WorkerInstance {
  constructor() {
    throw new Error(NO_THREAD);
  }
}

/** An extension that is granted directories. */
export class WasiFiles {
  constructor() {
    throw new Error('there are no directories in browsers');
  }
}
