// SPDX-License-Identifier: Apache-2.0
// Tables that become cards on a phone. The elements have explicit roles: a browser drops a table's
// own roles if the style sheet displays the table as something else.
import { h } from './dom.js';

// Returns a table. columns: [{title, cell: row => children, class, hidden}]; `hidden` shows the title only to screen
// readers. key: row => string.
export function table({ caption, columns, rows, key, row_class, empty, kind = '' }) {
  if (rows.length === 0) return h('p', { class: 'empty' }, empty);
  const head = columns.map(({ title, class: style, hidden }) =>
    h('th', { scope: 'col', role: 'columnheader', class: style }, hidden ? h('span', { class: 'unseen' }, title) : title),
  );
  const body = rows.map((row) =>
    h(
      'tr',
      { role: 'row', 'data-key': key(row), class: row_class?.(row) },
      columns.map(({ title, cell, class: style, hidden }) =>
        h('td', { role: 'cell', class: style, 'data-title': hidden ? null : title }, cell(row)),
      ),
    ),
  );
  return h(
    'table',
    { class: `table ${kind}`, role: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
    h('tbody', { role: 'rowgroup' }, body),
  );
}

// Returns a text such as "51–100 of 10,000", and links to the first, previous, next and last page. link: offset =>
// address.
export function pager({ total, offset, limit, noun, link }) {
  if (total <= limit && offset === 0) return null;
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const step = (title, target, possible) =>
    possible
      ? h('a', { href: link(target), class: 'step', 'data-key': title }, title)
      : h('span', { class: 'step', 'aria-disabled': 'true', role: 'link', 'data-key': title }, title);
  const end = Math.min(offset + limit, total);
  const figures = (number) => number.toLocaleString('en-US');
  return h(
    'nav',
    { class: 'pager', 'aria-label': `Pages of ${noun}` },
    h('span', { class: 'figures' }, `${figures(Math.min(offset + 1, end))}–${figures(end)} of ${figures(total)}`),
    step('First', 0, offset > 0),
    step('Previous', Math.max(0, offset - limit), offset > 0),
    step('Next', offset + limit, offset + limit < total),
    step('Last', last, offset < last),
  );
}
