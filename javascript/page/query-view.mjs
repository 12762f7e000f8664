// The view with the editor: statements, their results as rows or a chart, plans, and what was run before.

import { chartOf } from './chart.mjs';
import { button, download, element } from './dom.mjs';
import { Editor } from './editor.mjs';
import { Grid } from './grid.mjs';
import { planTree } from './plan.mjs';
import { statements } from './sql.mjs';
import { toCsv, toJson } from './transfer.mjs';

/** Rows of a result that the page has in memory. */
const MOST_ROWS = 100_000;
const MOST_HISTORY = 100;
const HISTORY = 'sql-history';

const readHistory = () => {
  try {
    return JSON.parse(localStorage.getItem(HISTORY)) ?? [];
  } catch {
    return [];
  }
};

export class QueryView {
  #grids = [];

  /** @param {{ source: any, report: (text: string, error?: Error) => void, changed: () => void }} app */
  constructor(app) {
    this.app = app;
    const host = element('div', { className: 'editor' });
    this.results = element('div', { className: 'results', attributes: { 'aria-live': 'polite' } });
    this.history = element('select', { attributes: { 'aria-label': 'history' } });
    this.history.addEventListener('change', () => this.#recall());
    const bar = element('div', { className: 'bar' },
      button('Run', () => this.run(), { className: 'primary', title: 'Ctrl+Enter; the selection, if there is one' }),
      button('Plan', () => this.plan()),
      button('Copy link', () => this.#copyLink()),
      this.history);
    this.root = element('section', { className: 'query' }, host, bar, this.results);
    this.editor = new Editor(host, { run: () => this.run() });
    this.#showHistory();
  }

  #showHistory() {
    const entries = readHistory();
    const options = entries.map((sql, index) => element('option', { value: String(index), textContent: sql.replace(/\s+/g, ' ').slice(0, 80) }));
    this.history.replaceChildren(element('option', { value: '', textContent: `History (${entries.length})` }), ...options);
  }

  #recall() {
    const sql = readHistory()[Number(this.history.value)];
    if (this.history.value !== '' && sql !== undefined) this.editor.text = sql;
    this.history.value = '';
    this.editor.focus();
  }

  #remember(sql) {
    const entries = [sql, ...readHistory().filter((old) => old !== sql)].slice(0, MOST_HISTORY);
    try {
      localStorage.setItem(HISTORY, JSON.stringify(entries));
    } catch {
      // A page without storage has no history.
    }
    this.#showHistory();
  }

  async #copyLink() {
    const link = new URL(location.href);
    link.hash = `sql=${encodeURIComponent(this.editor.text)}`;
    history.replaceState(null, '', link);
    await navigator.clipboard?.writeText(link.href).catch(() => {});
    this.app.report('The link is in the address, and copied.');
  }

  #clear() {
    for (const grid of this.#grids.splice(0)) grid.close();
    this.results.replaceChildren();
  }

  #failed(error, start) {
    this.app.report('', error);
    if (error.offset !== undefined) this.editor.showError(start + error.offset);
  }

  async run() {
    const { text, start } = this.editor.chosen;
    if (!text.trim()) return;
    this.#clear();
    this.app.report('…');
    try {
      const results = await this.app.source.query(text, [], { rows: MOST_ROWS });
      this.#remember(text);
      for (const result of results.filter(({ columns }) => columns.length > 0)) this.results.append(this.#shown(result));
      this.app.report(summary(results));
    } catch (error) {
      this.#failed(error, start);
    }
    this.app.changed();
  }

  async plan() {
    const { text, start } = this.editor.chosen;
    this.#clear();
    this.app.report('…');
    try {
      for (const statement of statements(text)) {
        const [{ rows }] = await this.app.source.query(`EXPLAIN QUERY PLAN ${statement.sql}`);
        this.results.append(planTree(rows));
      }
      this.app.report('Plan');
    } catch (error) {
      if (error.offset !== undefined) error.offset = Math.max(0, error.offset - 'EXPLAIN QUERY PLAN '.length);
      this.#failed(error, start);
    }
  }

  #shown(result) {
    const place = element('div', { className: 'place' });
    const grid = new Grid({
      columns: result.columns, count: result.rows.length, failed: (error) => this.app.report('', error),
      fetch: async (offset, limit) => result.rows.slice(offset, offset + limit),
    });
    this.#grids.push(grid);
    place.append(grid.root);
    grid.show();
    const bar = element('div', { className: 'bar' },
      button('Rows', () => place.replaceChildren(grid.root)),
      button('Chart', () => place.replaceChildren(chartOf(result, Math.max(400, this.results.clientWidth - 40)))),
      button('CSV', () => download('result.csv', toCsv(result), 'text/csv')),
      button('JSON', () => download('result.json', toJson(result), 'application/json')));
    return element('div', { className: 'result' }, bar, place);
  }
}

function summary(results) {
  const texts = results.map(({ columns, rows, isCut, changes }) =>
    columns.length ? `${rows.length}${isCut ? ' of more' : ''} rows` : `${changes} rows changed`);
  const time = results.reduce((total, result) => Math.max(total, result.time), 0);
  return `${texts.join('; ') || 'nothing to run'}${results.length ? `, ${time < 10 ? time.toFixed(1) : Math.round(time)} ms` : ''}`;
}
