// Editing of one line in the terminal: what linenoise does natively.

const HISTORY = 'shell-history';
const MAX_HISTORY = 500;

/** Keys that the terminal sends as sequences. */
const KEY = { UP: '\x1b[A', DOWN: '\x1b[B', RIGHT: '\x1b[C', LEFT: '\x1b[D', HOME: '\x1b[H', END: '\x1b[F', DELETE: '\x1b[3~', INTERRUPT: '\x03' };

/** Text from the keyboard without control characters. */
// eslint-disable-next-line no-control-regex
const plain = (text) => text.replace(/[\u0000-\u001f\u007f]/g, '');

/** Characters that take two columns. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** The columns of a text. */
const widthOf = (text) => [...text].reduce((width, character) => width + (WIDE.test(character) ? 2 : 1), 0);

export class LineEditor {
  #terminal;
  #done;
  #interrupted;
  #prompt = '';
  #line = '';
  #cursor = 0;
  /** How many rows the cursor is below the beginning of the prompt: long lines go on in the next one. */
  #row = 0;
  #isOpen = false;
  #history;
  #at = 0;
  /** What follows the first line of a text that was pasted. */
  #pasted = '';

  /** `done` gets what was edited; `interrupted` is called for Ctrl-C while no line is edited. */
  constructor(terminal, { done, interrupted }) {
    this.#terminal = terminal;
    this.#done = done;
    this.#interrupted = interrupted;
    this.#history = readHistory();
    terminal.onData((data) => this.#typed(data));
  }

  /** Begins a line. */
  edit(prompt) {
    this.#prompt = prompt;
    this.#line = '';
    this.#cursor = 0;
    this.#at = this.#history.length;
    this.#isOpen = true;
    this.#row = 0;
    this.#draw();
    const pasted = this.#pasted;
    this.#pasted = '';
    if (pasted) this.#typed(pasted);
  }

  /** Candidates for the completion of the line: the common beginning is taken. */
  offer(candidates) {
    this.#isOpen = true;
    if (candidates.length === 1) this.#set(candidates[0]);
    else if (candidates.length > 1) {
      this.#terminal.write(`\r\n${candidates.slice(0, 100).map((text) => plain(text)).join('  ')}\r\n`);
      this.#row = 0;
      this.#set(candidates.reduce((common, text) => common.slice(0, [...common].findIndex((character, index) => text[index] !== character) >>> 0)));
    }
  }

  #set(line) {
    this.#line = line;
    this.#cursor = line.length;
    this.#draw();
  }

  #draw() {
    const { cols } = this.#terminal;
    const place = (text) => {
      const width = widthOf(text);
      return { row: Math.floor(width / cols), column: width % cols };
    };
    const text = this.#prompt + this.#line;
    const end = place(text);
    const cursor = place(this.#prompt + this.#line.slice(0, this.#cursor));
    const moved = (count, direction) => (count > 0 ? `\x1b[${count}${direction}` : '');
    // After the last column the terminal waits for the next character.
    const wrapped = end.column === 0 && end.row > 0 ? '\r\n' : '';
    this.#terminal.write(`${moved(this.#row, 'A')}\r\x1b[J${text}${wrapped}${moved(end.row - cursor.row, 'A')}\r${moved(cursor.column, 'C')}`);
    this.#row = cursor.row;
  }

  #finish(edited) {
    this.#isOpen = false;
    this.#done(edited);
  }

  #typed(data) {
    if (!this.#isOpen) {
      if (data === KEY.INTERRUPT) this.#interrupt();
      else this.#pasted += data;
      return;
    }
    const end = /[\r\n]/.exec(data);
    if (end && data.length > 1) {
      this.#insert(plain(data.slice(0, end.index)));
      this.#pasted = data.slice(end.index + 1);
      this.#enter();
    } else this.#key(data);
  }

  /** As in a terminal, what was typed for later is dropped. */
  #interrupt() {
    this.#pasted = '';
    this.#interrupted();
  }

  #key(data) {
    switch (data) {
      case '\r': return this.#enter();
      case '\t': return this.#finish({ kind: 'complete', text: this.#line });
      case KEY.INTERRUPT:
        this.#terminal.write('^C\r\n');
        return this.#finish({ kind: 'interrupted' });
      case '\x04': return this.#line === '' ? this.#finish({ kind: 'end' }) : undefined;
      case '\x7f': return this.#remove(-1);
      case KEY.DELETE: return this.#remove(0);
      case KEY.LEFT: return this.#move(this.#cursor - 1);
      case KEY.RIGHT: return this.#move(this.#cursor + 1);
      case KEY.HOME: case '\x01': return this.#move(0);
      case KEY.END: case '\x05': return this.#move(this.#line.length);
      case KEY.UP: return this.#recall(-1);
      case KEY.DOWN: return this.#recall(1);
      default: return this.#insert(plain(data));
    }
  }

  #insert(text) {
    this.#line = this.#line.slice(0, this.#cursor) + text + this.#line.slice(this.#cursor);
    this.#cursor += text.length;
    this.#draw();
  }

  #remove(step) {
    const at = this.#cursor + step;
    if (at < 0) return;
    this.#line = this.#line.slice(0, at) + this.#line.slice(at + 1);
    this.#move(at);
  }

  #move(cursor) {
    this.#cursor = Math.max(0, Math.min(this.#line.length, cursor));
    this.#draw();
  }

  #recall(step) {
    const at = this.#at + step;
    if (at < 0 || at > this.#history.length) return;
    this.#at = at;
    this.#set(this.#history[at] ?? '');
  }

  #enter() {
    this.#move(this.#line.length);
    this.#terminal.write('\r\n');
    if (this.#line.trim()) {
      this.#history = [...this.#history.filter((old) => old !== this.#line), this.#line].slice(-MAX_HISTORY);
      localStorage.setItem(HISTORY, JSON.stringify(this.#history));
    }
    this.#finish({ kind: 'line', text: this.#line });
  }
}

function readHistory() {
  try {
    const found = JSON.parse(localStorage.getItem(HISTORY));
    return Array.isArray(found) ? found.map(String) : [];
  } catch {
    return [];
  }
}
