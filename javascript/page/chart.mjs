// A chart of a result: numeric columns over the first column.

import uPlot from 'uplot';

import { button, element } from './dom.mjs';
import { shown } from './values.mjs';

const COLORS = ['#3b82f6', '#f97316', '#10b981', '#a855f7', '#ef4444', '#eab308'];
const MAX_POINTS = 50_000;
const MAX_LABEL = 24;

/** Bars begin at zero; lines have the range of their values. */
const FROM_ZERO = { min: { pad: 0.1, soft: 0, mode: 1 }, max: { pad: 0.1, soft: 0, mode: 1 } };
/** Labels have whole numbers, and a half of the first and last bar is beyond theirs. */
const WHOLE = Array.from({ length: 16 }, (_, power) => [10 ** power, 2 * 10 ** power, 5 * 10 ** power]).flat();
const HALF_BEYOND = (_, min, max) => [min - 0.5, max + 0.5];

const isNumber = (value) => typeof value === 'number' || typeof value === 'bigint';
const numberOf = (value) => (isNumber(value) ? Number(value) : null);

/** Seconds of a text that is a date. */
function timeOf(value) {
  if (typeof value !== 'string' || !/^\d{4}-\d\d(-\d\d)?/.test(value)) return null;
  const time = Date.parse(value.replace(' ', 'T'));
  return Number.isNaN(time) ? null : time / 1000;
}

function labelOf(value) {
  const text = shown(value);
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text;
}

/** The positions of a column: its values, times, or 0, 1, 2 … with labels. */
function positions(values) {
  if (values.every(isNumber)) return { xs: values.map(Number), isTime: false, labels: null };
  const times = values.map(timeOf);
  if (times.every((time) => time !== null)) return { xs: times, isTime: true, labels: null };
  return { xs: values.map((_, index) => index), isTime: false, labels: values.map(labelOf) };
}

/** Points in the order of x, as uPlot needs them. */
function ordered(xs, series) {
  const order = xs.map((_, index) => index).sort((a, b) => xs[a] - xs[b]);
  return [order.map((index) => xs[index]), ...series.map((values) => order.map((index) => values[index]))];
}

const PATHS = { line: () => uPlot.paths.linear(), bars: () => uPlot.paths.bars({ size: [0.7, 60] }), points: () => () => null };

export function chartOf({ columns, rows }, width) {
  const points = rows.slice(0, MAX_POINTS);
  const column = (index) => points.map((row) => row[index]);
  const measured = columns.map((_, index) => index).filter((index) => points.some((row) => isNumber(row[index])));
  const ys = measured.length > 1 || columns.length === 1 ? measured.filter((index) => index !== 0 || columns.length === 1) : measured;
  if (ys.length === 0 || points.length === 0) return element('p', { className: 'empty', textContent: 'A chart needs a column of numbers.' });
  const first = ys.includes(0) ? points.map((_, index) => index) : column(0);
  const { xs, isTime, labels } = positions(first);
  const data = ordered(xs, ys.map((index) => column(index).map(numberOf)));
  const place = element('div', { className: 'plot', attributes: { role: 'img', 'aria-label': `chart of ${ys.map((index) => columns[index].name).join(', ')}` } });
  const style = getComputedStyle(document.documentElement);
  const axis = { stroke: style.getPropertyValue('--text'), grid: { stroke: style.getPropertyValue('--line') }, ticks: { stroke: style.getPropertyValue('--line') } };
  let plot = null;
  const draw = (kind) => {
    plot?.destroy();
    plot = new uPlot({
      width, height: 320,
      scales: { x: { time: isTime, ...(labels ? { range: HALF_BEYOND } : {}) }, y: kind === 'bars' ? { range: FROM_ZERO } : {} },
      axes: [{ ...axis, ...(labels ? { incrs: WHOLE, values: (_, splits) => splits.map((at) => labels[at] ?? '') } : {}) }, axis],
      series: [{ label: columns[0].name }, ...ys.map((index, at) => {
        const color = COLORS[at % COLORS.length];
        return { label: columns[index].name, stroke: color, width: 2, paths: PATHS[kind](), fill: kind === 'bars' ? `${color}66` : undefined, points: { show: kind === 'points' || (kind === 'line' && points.length < 50) } };
      })],
    }, data, place);
  };
  draw(labels ? 'bars' : 'line');
  const kinds = Object.keys(PATHS).map((kind) => button(kind, () => draw(kind)));
  return element('div', {}, element('div', { className: 'bar' }, ...kinds), place);
}
