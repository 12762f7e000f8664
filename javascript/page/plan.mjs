// The plan of a statement as a tree.

import { element } from './dom.mjs';

/** Scans of a whole table are what a reader looks for. */
const kindOf = (detail) => (/^SCAN/.test(detail) ? 'scan' : /^SEARCH/.test(detail) ? 'search' : /TEMP B-TREE/.test(detail) ? 'sort' : '');

/** @param {any[][]} rows Of EXPLAIN QUERY PLAN: id, parent, an unused column, and the text. */
export function planTree(rows) {
  const children = (parent) => rows.filter(([, of]) => of === parent);
  const branch = (parent, role) =>
    element('ul', { attributes: { role } }, ...children(parent).map(([id, , , detail]) =>
      element('li', { attributes: { role: 'treeitem' } },
        element('span', { className: `step ${kindOf(detail)}`, textContent: detail }),
        children(id).length ? branch(id, 'group') : null)));
  const tree = branch(0, 'tree');
  tree.className = 'plan';
  tree.setAttribute('aria-label', 'plan');
  return tree;
}
