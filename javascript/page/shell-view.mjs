// SQLite's own shell in a terminal. It has the files while it is shown; the page has them afterwards.

import { Terminal } from '@xterm/xterm';

import { element } from './dom.mjs';
import { LineEditor } from './line-editor.mjs';

const FONT_SIZE = 14;
/** Of the font's: in a lower line an underscore is cut off. */
const LINE_HEIGHT = 1.2;
/** Milliseconds for the shell to end; one that runs a statement is ended, which is rolled back. */
const LEAVE_TIME = 2000;
/** For the scroll bar and around the text. */
const MARGIN = 28;

export class ShellView {
  #worker = null;
  #terminal = null;
  #editor = null;
  #ended = null;
  #closed = null;

  /** @param {import('./engine-source.mjs').EngineSource} source */
  constructor(source) {
    this.source = source;
  }

  async show() {
    await this.source.stop();
    const root = element('div', { className: 'terminal' });
    this.#terminal = new Terminal({ fontSize: FONT_SIZE, lineHeight: LINE_HEIGHT, convertEol: true, cols: 110, rows: 32, theme: { background: '#101418' }, screenReaderMode: true });
    this.#terminal.open(root);
    this.#editor = new LineEditor(this.#terminal, {
      done: (edited) => this.#worker?.postMessage({ kind: 'edited', edited }),
      interrupted: () => this.#worker?.postMessage({ kind: 'interrupt' }),
    });
    this.#worker = new Worker(new URL('browser/shell.js', document.baseURI), { type: 'module' });
    this.#closed = new Promise((resolve) => { this.#ended = resolve; });
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = ({ message }) => this.#receive({ kind: 'ended', message });
    this.#worker.postMessage({ kind: 'start', arguments: [this.source.name] });
    setTimeout(() => this.#fit(root), 0);
    return root;
  }

  /** As many columns and rows as there is room for. */
  #fit(root) {
    const screen = root.querySelector('.xterm-screen');
    if (!this.#terminal || !screen?.offsetWidth) return;
    const { cols, rows } = this.#terminal;
    const columns = Math.floor((root.clientWidth - MARGIN) / (screen.offsetWidth / cols));
    this.#terminal.resize(Math.max(40, columns), Math.max(8, Math.floor((root.clientHeight - MARGIN) / (screen.offsetHeight / rows))));
    this.#terminal.focus();
  }

  #receive({ kind, ...message }) {
    if (kind === 'output') this.#terminal?.write(message.bytes);
    else if (kind === 'edit') this.#editor.edit(message.prompt);
    else if (kind === 'offer') this.#editor.offer(message.candidates);
    else if (kind === 'ended') {
      this.#terminal?.write(`\r\n[${message.message ?? `the shell has ended with code ${message.code}`}]\r\n`);
      this.#ended();
    }
  }

  /** Ends the shell, as the end of its input does. */
  async leave() {
    this.#worker?.postMessage({ kind: 'leave' });
    await Promise.race([this.#closed, new Promise((done) => setTimeout(done, LEAVE_TIME))]);
    this.#worker?.terminate();
    this.#terminal?.dispose();
    this.#worker = this.#terminal = this.#editor = null;
    await this.source.start();
  }
}
