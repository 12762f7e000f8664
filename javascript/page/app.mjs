// The page: the tables of a database beside the views of one of them and the editor. It knows only a source, which is a
// server or the engine in a worker of this page.

import { button, download, element } from './dom.mjs';
import { extensionsView } from './extensions-view.mjs';
import { Grid } from './grid.mjs';
import { QueryView } from './query-view.mjs';
import { readSchema } from './schema.mjs';
import { StopButton } from './stop-button.mjs';
import { structureOf } from './structure-view.mjs';
import { TableData } from './table-data.mjs';
import { importRows, parseFile, toCsv, toJson } from './transfer.mjs';

/** Rows that are shown before they are counted: as many as the grid fetches at once. */
const FIRST_ROWS = 200;
/** Rows of a table that an export reads. */
const MOST_EXPORTED = 1_000_000;
/** After reading what others commit, the page waits this many times as long as reading took, and at least this many milliseconds. */
const RENEWAL_SHARE = 4;
const LEAST_REST = 200;
const VIEWS = ['Data', 'Structure', 'Query', 'Extensions'];

export class App {
  schema = { tables: [] };
  #table = null;
  #view = 'Data';
  #grid = null;
  #query = null;
  #isWritable = false;
  #shown = 0;
  #leaving = null;
  #renew = null;
  #isStale = false;
  #isRenewing = false;

  /**
   * @param {HTMLElement} root
   * @param {any} source
   * @param {{ extra?: HTMLElement[], views?: Record<string, { show: () => Promise<HTMLElement>, leave: () => Promise<void> }> }} options
   *   `extra`: more for the head; `views`: more views.
   */
  constructor(root, source, { extra = [], views = {} } = {}) {
    this.more = views;
    this.views = [...VIEWS, ...Object.keys(views)];
    this.source = source;
    this.status = element('span', { className: 'status', attributes: { role: 'status' } });
    this.error = element('p', { className: 'error', attributes: { role: 'alert' } });
    this.content = element('div', { className: 'content', attributes: { role: 'tabpanel', 'aria-label': 'view' } });
    this.list = element('ul', { className: 'tables', attributes: { 'aria-label': 'tables' } });
    this.search = element('input', { type: 'search', placeholder: 'Find a table (/)', attributes: { 'aria-label': 'find a table' } });
    this.search.addEventListener('input', () => this.#drawList());
    this.tabs = element('div', { className: 'tabs', attributes: { role: 'tablist' } });
    const nav = element('nav', { attributes: { 'aria-label': 'database' } }, element('h1', { textContent: source.name }), ...extra, this.search, this.list);
    this.stop = new StopButton(source.running, () => this.#focusView());
    const main = element('main', {}, element('header', {}, this.tabs, this.stop.root, this.status), this.error, this.content);
    root.replaceChildren(nav, main);
    this.#listen();
  }

  #listen() {
    document.addEventListener('keydown', (event) => this.#key(event));
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      this.importFiles([...event.dataTransfer.files]);
    });
  }

  #focusView() {
    if (this.#view === 'Query') this.#query?.editor.focus();
    else this.tabs.querySelector('[aria-selected=true]')?.focus();
  }

  #key(event) {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.shadowRoot;
    const view = event.altKey ? this.views[Number(event.key) - 1] : undefined;
    if (view) this.show(view);
    else if (event.altKey && event.key === '0') this.stop.stop();
    else if (event.key === '/' && !isTyping) this.search.focus();
    else return;
    event.preventDefault();
  }

  /** Shows a text in the head, or an error. */
  report(text, error) {
    this.status.textContent = text;
    this.error.textContent = error ? error.message : '';
  }

  /** Reads the database, and shows its first table, or what a link carries. */
  async start() {
    const linked = new URLSearchParams(location.hash.slice(1)).get('sql');
    const writable = this.source.canWrite().then((isWritable) => { this.#isWritable = isWritable; });
    await Promise.all([this.#readSchema(), writable]);
    this.#table = this.schema.tables[0] ?? null;
    await this.show(linked !== null || !this.#table ? 'Query' : 'Data');
    if (linked === null) return;
    // A link is somebody else's: it is run by the user.
    this.#query.editor.text = linked;
    this.report('This query came with the link. Run it if you trust it.');
  }

  async #readSchema() {
    this.schema = await readSchema(this.source);
    this.#drawList();
    if (this.#query) this.#query.editor.schema = this.schema;
  }

  /** Something was run that may have changed the schema. */
  async changed(showsAgain = false) {
    try {
      await this.#readSchema();
      const name = this.#table?.name;
      this.#table = this.schema.tables.find((table) => table.name === name) ?? this.schema.tables[0] ?? null;
      this.#drawTabs();
      if (showsAgain) await this.show(this.#view);
    } catch (error) {
      this.report(this.status.textContent, error);
    }
  }

  /** Clients have committed something: the rows that are shown are read again, soon and not for each commit. */
  async committed({ tables, schema }) {
    if (schema) this.changed();
    if (tables && !(this.#table?.name in tables)) return;
    this.#isStale = true;
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    while (this.#isStale) {
      const start = performance.now();
      // What is being typed into a cell stays there.
      if (!this.#grid?.isEdited) {
        this.#isStale = false;
        await this.#renew?.().catch((error) => this.report('', error));
      }
      const rest = RENEWAL_SHARE * (performance.now() - start);
      await new Promise((done) => { setTimeout(done, Math.max(LEAST_REST, rest)); });
    }
    this.#isRenewing = false;
  }

  #drawList() {
    const wanted = this.search.value.toLowerCase();
    const tables = this.schema.tables.filter(({ name }) => name.toLowerCase().includes(wanted));
    this.list.replaceChildren(...tables.map((table) => {
      const open = button(table.name, () => this.openTable(table), { className: table.type });
      if (table.name === this.#table?.name) open.setAttribute('aria-current', 'true');
      return element('li', {}, open);
    }));
  }

  #drawTabs() {
    this.tabs.replaceChildren(...this.views.map((view, index) => {
      const tab = button(view, () => this.show(view), { attributes: { role: 'tab', 'aria-selected': String(view === this.#view) }, title: `Alt+${index + 1}`, disabled: !this.#table && index < 2 });
      tab.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) this.tabs.children[(index + step + this.views.length) % this.views.length].focus();
      });
      return tab;
    }));
  }

  openTable(table) {
    this.#table = table;
    return this.show(this.#view === 'Structure' ? 'Structure' : 'Data');
  }

  async show(view) {
    const turn = ++this.#shown;
    if (this.more[this.#view] && view !== this.#view) {
      // Who goes on to another view meanwhile waits for the same end.
      this.#leaving ??= this.more[this.#view].leave().finally(() => { this.#leaving = null; });
      await this.#leaving;
      this.#view = view;
      await this.changed();
      if (turn !== this.#shown) return;
    }
    this.#view = view;
    this.#grid?.close();
    this.#grid = null;
    this.#renew = null;
    this.report('');
    this.#drawList();
    this.#drawTabs();
    try {
      const made = await this.#make(view);
      if (turn === this.#shown) this.content.replaceChildren(...made);
      if (view === 'Query') this.#query.editor.focus();
    } catch (error) {
      if (turn === this.#shown) this.content.replaceChildren();
      this.report('', error);
    }
  }

  async #make(view) {
    if (this.more[view]) return [await this.more[view].show()];
    if (view === 'Query') {
      this.#query ??= new QueryView({ source: this.source, report: (...given) => this.report(...given), changed: () => this.changed() });
      this.#query.editor.schema = this.schema;
      return [this.#query.root];
    }
    if (view === 'Extensions') return [await extensionsView({ source: this.source, report: (...given) => this.report(...given), changed: (again) => this.changed(again) })];
    if (!this.#table) return [element('p', { className: 'empty', textContent: 'There are no tables yet.' })];
    return view === 'Structure' ? [await structureOf(this.source, this.#table)] : this.#data(new TableData(this.source, this.#table));
  }

  /** The grid of a table. */
  async #data(data) {
    const canEdit = this.#isWritable && data.key.length > 0;
    const bar = element('div', { className: 'bar' });
    const place = element('div', { className: 'place' });
    const turn = this.#shown;
    const counted = (count) => `${count.toLocaleString()} rows in ${data.table.name}${canEdit ? '' : ', read-only'}`;
    const draw = async () => {
      const first = await data.fetch(0, FIRST_ROWS);
      if (turn !== this.#shown) return;
      let isFirst = true;
      this.#grid?.close();
      const grid = new Grid({
        columns: data.columns, count: first.length, sorted: data.sorted, filters: data.filters,
        failed: (error) => this.report('', error),
        fetch: async (offset, limit) => {
          const known = isFirst && offset === 0 ? first : null;
          isFirst = false;
          return known ?? data.fetch(offset, limit);
        },
        sort: (column) => {
          const isSame = data.sorted?.column === column;
          data.sorted = isSame && data.sorted.isDescending ? null : { column, isDescending: isSame };
          again();
        },
        filter: (column, text) => {
          data.filters[column] = text.trim();
          again();
        },
        edit: canEdit ? async (row, column, text) => data.update((await data.fetch(row, 1))[0], column, text) : null,
      });
      this.#grid = grid;
      place.replaceChildren(grid.root);
      await grid.show();
      // Counting reads the whole table, so the first rows come before.
      const counting = first.length < FIRST_ROWS ? Promise.resolve(first.length) : data.count();
      counting.then((count) => {
        if (this.#grid !== grid) return;
        grid.count = count;
        this.report(counted(count));
      }).catch((error) => this.report('', error));
    };
    const again = () => draw().catch((error) => this.report('', error));
    const exported = async (form, extension, type) => {
      const { sql, values } = data.selection(data.names);
      const [result] = await this.source.query(sql, values, { rows: MOST_EXPORTED });
      download(`${data.table.name}.${extension}`, form(result), type);
    };
    const attempt = (action) => () => action().catch((error) => this.report('', error));
    bar.append(
      button('CSV', attempt(() => exported(toCsv, 'csv', 'text/csv'))),
      button('JSON', attempt(() => exported(toJson, 'json', 'application/json'))));
    if (canEdit) {
      bar.append(
        button('New row', attempt(async () => { await data.insert(); await draw(); })),
        button('Delete row', attempt(async () => {
          const { values } = this.#grid.activeRow;
          if (values && confirm('Delete the row that is selected?')) { await data.remove(values); await draw(); }
        })));
    }
    if (this.source.serialize) bar.append(button('Database', attempt(async () => download(this.source.name, await this.source.serialize(), 'application/vnd.sqlite3'))));
    await draw();
    this.#renew = async () => {
      const grid = this.#grid;
      const count = await data.count();
      if (!grid || this.#grid !== grid) return;
      if (grid.isEdited) return;
      grid.count = count;
      await grid.refresh(false);
      // Other words stay, and so does an error.
      if (/ rows in /.test(this.status.textContent)) this.status.textContent = counted(count);
    };
    return [bar, place];
  }

  /** Files that were dropped: rows, a database, or an extension. */
  async importFiles(files) {
    for (const file of files) {
      try {
        this.report(`reading ${file.name} …`);
        this.report(await this.#importFile(file));
      } catch (error) {
        this.report('', error);
      }
    }
    const { status } = this;
    const text = status.textContent;
    let turn = this.#shown;
    await this.changed();
    // The user may look at something else meanwhile.
    if (turn !== this.#shown) return;
    if (this.#table && !this.error.textContent) {
      turn++;
      await this.openTable(this.#table);
    }
    if (text && turn === this.#shown) status.textContent = text;
  }

  async #importFile(file) {
    if (/\.(csv|tsv|json)$/i.test(file.name)) {
      const taken = new Set(this.schema.tables.map(({ name }) => name.toLowerCase()));
      const { table, count } = await importRows(this.source, file.name, parseFile(file.name, await file.text()), taken);
      this.#table = { name: table };
      return `${count} rows are in ${table}`;
    }
    if (/\.wasm$/i.test(file.name) && this.source.loadExtension) {
      await this.source.loadExtension({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()), grants: [] });
      return `${file.name} is loaded`;
    }
    if (!this.source.restore) throw new Error(`${file.name}: the page of a server imports CSV and JSON; databases are opened by the server`);
    if (!confirm(`Replace the content of ${this.source.name} by ${file.name}?`)) return '';
    await this.source.restore(new Uint8Array(await file.arrayBuffer()));
    return `${file.name} has replaced the database`;
  }
}

