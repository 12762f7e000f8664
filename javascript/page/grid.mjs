// A grid of rows, of which only those in sight are elements: rows are fetched in pages, and a few pages are kept.

import { button, element } from './dom.mjs';
import { kindOf, shown, whole } from './values.mjs';

const ROW_HEIGHT = 26;
const PAGE_ROWS = 200;
const MAX_PAGES = 24;
/** Browsers have no higher elements than about 33 million pixels. */
const MAX_HEIGHT = 30_000_000;
const COLUMN_SAMPLE = 200;
/** Characters of the narrowest column: its filter is named. */
const MIN_WIDTH = 8;

/** Widths in characters, by the longest text of the first rows. */
const widthOf = ({ name, type }, cells) =>
  Math.min(48, Math.max(name.length + (type ?? '').length + 2, ...cells.map((value) => shown(value).length + 1), MIN_WIDTH));

/** The text of a cell, in the node that it has. */
function setText(cell, text) {
  const { firstChild } = cell;
  if (firstChild?.nodeType === Node.TEXT_NODE) firstChild.data = text;
  else cell.textContent = text;
}

export class Grid {
  #pages = new Map();
  /** The pages of the rows in sight. */
  #sight = [];
  #isLoading = false;
  #first = -1;
  #active = { row: 0, column: 0 };
  #widths = [];

  /**
   * @param {{ columns: { name: string, type: string | null }[], count: number, fetch: (offset: number, limit: number) =>
   *   Promise<any[][]>, sort?: (column: number) => void, sorted?: { column: number, isDescending: boolean }, filter?:
   *   (column: number, text: string) => void, filters?: string[], edit?: (row: number, column: number, text: string | null) =>
   *   Promise<void>, failed: (error: Error) => void }} options
   */
  constructor(options) {
    this.options = options;
    this.body = element('div', { className: 'rows', attributes: { role: 'rowgroup' } });
    for (const type of ['click', 'dblclick']) this.body.addEventListener(type, (event) => this.#clicked(event));
    this.space = element('div', { className: 'space' }, this.body);
    this.head = element('div', { className: 'head', attributes: { role: 'rowgroup' } });
    this.root = element('div', {
      className: 'grid', tabIndex: 0,
      attributes: { role: 'grid', 'aria-label': 'rows', 'aria-rowcount': String(options.count + 1), 'aria-colcount': String(options.columns.length) },
    }, this.head, this.space);
    this.root.addEventListener('scroll', () => this.#draw());
    this.root.addEventListener('keydown', (event) => this.#key(event));
    this.#observer = new ResizeObserver(() => this.#draw(true));
    this.#observer.observe(this.root);
  }

  #observer;

  /** Shows the first page. */
  async show() {
    const rows = await this.#page(0);
    const { columns } = this.options;
    this.#widths = columns.map((column, index) => widthOf(column, rows.slice(0, COLUMN_SAMPLE).map((row) => row[index])));
    this.#drawHead();
    this.#draw(true);
    return this;
  }

  get #height() {
    return Math.min(MAX_HEIGHT, this.options.count * ROW_HEIGHT);
  }

  /** More rows are known than were. */
  set count(count) {
    this.options.count = count;
    this.root.setAttribute('aria-rowcount', String(count + 1));
    this.#draw(true);
  }

  /** Whether a cell is being edited. */
  get isEdited() {
    return this.body.querySelector('input') !== null;
  }

  /** Rows have changed. A cell that is being edited stays if nobody here has changed them. */
  async refresh(isOwn = true) {
    const number = Math.floor(Math.max(0, this.#first) / PAGE_ROWS);
    const rows = await this.options.fetch(number * PAGE_ROWS, PAGE_ROWS);
    this.#pages.clear();
    this.#pages.set(number, rows);
    if (isOwn || !this.isEdited) this.#draw(true);
  }

  async #page(number) {
    const known = this.#pages.get(number);
    if (known) {
      this.#pages.delete(number);
      this.#pages.set(number, known);
      return known;
    }
    const rows = await this.options.fetch(number * PAGE_ROWS, PAGE_ROWS);
    this.#pages.set(number, rows);
    while (this.#pages.size > MAX_PAGES) this.#pages.delete(this.#pages.keys().next().value);
    return rows;
  }

  #row(index) {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** Loads the pages in sight, one after the other: those that were scrolled past meanwhile would delay them. */
  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const missing = () => this.#sight.find((number) => !this.#pages.has(number));
    try {
      for (let number = missing(); number !== undefined; number = missing()) {
        await this.#page(number);
        this.#draw(true);
      }
    } catch (error) {
      this.options.failed(error);
    } finally {
      this.#isLoading = false;
    }
  }

  #drawHead() {
    const { columns, sort, sorted, filter, filters = [] } = this.options;
    const names = columns.map(({ name, type }, index) => {
      const mark = sorted?.column === index ? (sorted.isDescending ? ' ↓' : ' ↑') : '';
      const label = element('span', { className: 'name', textContent: name + mark });
      const kind = element('span', { className: 'type', textContent: type ?? '' });
      const cell = element('div', { className: 'cell', attributes: { role: 'columnheader', 'aria-colindex': String(index + 1) } });
      if (mark) cell.setAttribute('aria-sort', sorted.isDescending ? 'descending' : 'ascending');
      cell.append(sort ? button('', () => sort(index), { title: `sort by ${name}` }) : element('span'));
      cell.firstChild.append(label, kind);
      return this.#sized(cell, index);
    });
    const rows = [element('div', { className: 'row', attributes: { role: 'row' } }, ...names)];
    if (filter) rows.push(element('div', { className: 'row filters', attributes: { role: 'row' } }, ...columns.map(({ name }, index) => this.#filter(name, index, filters[index] ?? ''))));
    this.head.replaceChildren(...rows);
  }

  #filter(name, index, value) {
    const input = element('input', { value, placeholder: 'filter', spellcheck: false, attributes: { 'aria-label': `filter ${name}: a part of the text, or = < > <= >= and a value` } });
    input.addEventListener('change', () => this.options.filter(index, input.value));
    input.addEventListener('keydown', (event) => event.stopPropagation());
    return this.#sized(element('div', { className: 'cell', attributes: { role: 'gridcell' } }, input), index);
  }

  #sized(cell, index) {
    cell.style.width = `calc(${this.#widths[index]}ch + 18px)`;
    return cell;
  }

  /** The elements for the rows in sight. */
  #draw(isForced = false) {
    const { count, columns } = this.options;
    const visible = Math.ceil(this.root.clientHeight / ROW_HEIGHT) + 1;
    const range = Math.max(1, this.#height - this.root.clientHeight);
    const last = Math.max(0, count - visible + 2);
    const first = this.#height < MAX_HEIGHT
      ? Math.min(Math.floor(this.root.scrollTop / ROW_HEIGHT), Math.max(0, count - 1))
      : Math.round((Math.min(range, this.root.scrollTop) / range) * last);
    if (!isForced && first === this.#first) return;
    this.#first = first;
    this.space.style.height = `${this.#height}px`;
    this.body.style.transform = `translateY(${Math.min(first * ROW_HEIGHT, this.root.scrollTop)}px)`;
    const length = Math.min(count - first, visible);
    while (this.body.children.length > length) this.body.lastChild.remove();
    while (this.body.children.length < length) this.body.append(this.#newRow());
    [...this.body.children].forEach((row, position) => this.#fill(row, first + position));
    this.#sight = [first, first + visible].filter((index) => index < count).map((index) => Math.floor(index / PAGE_ROWS));
    this.#load();
  }

  /** The elements of one row in sight. They stay while the grid scrolls: new ones would be garbage of 100 MB. */
  #newRow() {
    const cells = this.options.columns.map((_, column) =>
      this.#sized(element('div', { attributes: { role: 'gridcell', 'aria-colindex': String(column + 1) } }), column));
    return element('div', { attributes: { role: 'row' } }, ...cells);
  }

  #fill(row, index) {
    const values = this.#row(index);
    row.className = `row${index % 2 ? ' odd' : ''}`;
    row.setAttribute('aria-rowindex', String(index + 2));
    [...row.children].forEach((cell, column) => {
      const value = values ? values[column] : null;
      cell.className = `cell ${values ? kindOf(value) : 'loading'}`;
      setText(cell, values ? shown(value) : '…');
      cell.removeAttribute('id');
      cell.removeAttribute('aria-selected');
      if (index === this.#active.row && column === this.#active.column) this.#mark(cell);
    });
  }

  /** A click on a cell, not into the field of one. */
  #clicked(event) {
    const cell = event.target;
    if (cell.getAttribute('role') !== 'gridcell') return;
    this.#activate(Number(cell.parentNode.getAttribute('aria-rowindex')) - 2, Number(cell.getAttribute('aria-colindex')) - 1);
    if (event.type === 'dblclick') this.#edit();
  }

  #mark(cell) {
    cell.id = 'active-cell';
    cell.classList.add('active');
    cell.setAttribute('aria-selected', 'true');
    this.root.setAttribute('aria-activedescendant', cell.id);
  }

  #activate(row, column) {
    const { count, columns } = this.options;
    this.#active = { row: Math.max(0, Math.min(count - 1, row)), column: Math.max(0, Math.min(columns.length - 1, column)) };
    const top = this.#active.row * ROW_HEIGHT;
    const headHeight = this.head.offsetHeight;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + ROW_HEIGHT > this.root.scrollTop + this.root.clientHeight - headHeight) this.root.scrollTop = top + ROW_HEIGHT - this.root.clientHeight + headHeight;
    this.#draw(true);
    this.body.querySelector('#active-cell')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #key(event) {
    const page = Math.floor(this.root.clientHeight / ROW_HEIGHT) - 2;
    const { row, column } = this.#active;
    const { count, columns } = this.options;
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [row + page, column], PageUp: [row - page, column],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? count - 1 : row, columns.length - 1],
    };
    if (event.target !== this.root) return;
    if (moves[event.key]) this.#activate(...moves[event.key]);
    else if (event.key === 'Enter' || event.key === 'F2') this.#edit();
    else if (event.key === 'Delete') this.#put(null);
    else if (event.key === 'c' && (event.ctrlKey || event.metaKey)) navigator.clipboard?.writeText(whole(this.#row(row)?.[column] ?? null));
    else return;
    event.preventDefault();
  }

  /** The active cell becomes a field. */
  #edit() {
    const cell = this.body.querySelector('#active-cell');
    const value = this.#row(this.#active.row)?.[this.#active.column];
    if (!this.options.edit || !cell || value === undefined || value instanceof Uint8Array) return;
    // A field of one line drops line breaks, and a larger one changes carriage returns: what is shown at first is compared.
    const isLong = /[\r\n]/.test(whole(value));
    const input = element(isLong ? 'textarea' : 'input', { value: whole(value), spellcheck: false, attributes: { 'aria-label': `new value; Escape leaves the old one${isLong ? ', Shift+Enter begins a line' : ''}` } });
    const before = input.value;
    let isOver = false;
    const end = (isKept) => {
      if (isOver) return;
      isOver = true;
      this.root.focus();
      if (isKept && input.value !== before) this.#put(input.value);
      else this.#draw(true);
    };
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter' && !event.shiftKey) end(true);
      if (event.key === 'Escape') end(false);
    });
    input.addEventListener('blur', () => end(true));
    cell.replaceChildren(input);
    input.select();
  }

  async #put(text) {
    if (!this.options.edit) return;
    try {
      await this.options.edit(this.#active.row, this.#active.column, text);
      await this.refresh();
    } catch (error) {
      this.options.failed(error);
      this.#draw(true);
    }
  }

  /** The row that the keyboard is at. */
  get activeRow() {
    return { index: this.#active.row, values: this.#row(this.#active.row) };
  }

  close() {
    this.#observer.disconnect();
    this.#sight = [];
    this.#pages.clear();
  }
}
