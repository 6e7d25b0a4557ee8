// SPDX-License-Identifier: Apache-2.0
// The audit log: who asked for what, why, and what came of it; newest first.
import { read } from './api.js';
import { h, name } from './dom.js';
import { link_to, number_in } from './links.js';
import { json_link, view_head } from './parts.js';
import { pager, table } from './table.js';
import { date_and_clock, many, plain } from './text.js';

const k_page = 50;
const k_actions = { ask: 'asked to release', take: 'took', sign_in_failed: 'sign-in failed' };
const k_good = new Set(['begun', 'asked', 'gave_way', 'deleted', 'gone_before']);

export const title = () => 'Audit log';

export const load = (query) => read('audit', { offset: number_in(query, 'offset') || '', limit: k_page });

function outcome(entry) {
  const text = plain(entry.outcome ?? '').replaceAll('_', ' ');
  const style = k_good.has(entry.outcome) ? 'kind' : 'kind is-bad';
  return [text ? h('span', { class: style }, text) : null, entry.message ? [' ', name(entry.message)] : null];
}

function locked_path(entry) {
  if (!entry.path) return h('span', { class: 'muted' }, '–');
  return h('a', { href: link_to('/lock', { path: entry.path, kind: entry.kind }), class: 'path', title: plain(entry.znode) },
    name(entry.path));
}

const k_columns = [
  { title: 'Time', class: 'col-date figures', cell: (entry) => date_and_clock(entry.time) },
  { title: 'Action', class: 'col-action', cell: (entry) => k_actions[entry.action] ?? plain(entry.action) },
  { title: 'Lock', class: 'col-long', cell: locked_path },
  { title: 'By', class: 'col-by', cell: (entry) => [name(entry.who), ' ', h('span', { class: 'muted mono' }, name(entry.from))] },
  { title: 'Why', class: 'col-long', cell: (entry) => (entry.why ? name(entry.why) : null) },
  { title: 'Outcome', class: 'col-long', cell: outcome },
];

export function render(log, context) {
  const { total, offset, limit, entries } = log;
  const page = { offset: offset || '', limit };
  return [
    view_head({ title: 'Audit log', context, json: json_link('audit', page), under: h('p', { class: 'muted' }, many(total, 'entry').replace('entrys', 'entries')) }),
    h('section', { class: 'card is-list', 'aria-label': 'Entries' },
      table({
        caption: 'Audit log, newest first',
        kind: 'is-plain',
        columns: k_columns,
        rows: entries.map((entry, i) => ({ ...entry, key: `${total - offset - i}` })),
        key: (entry) => entry.key,
        empty: 'Nothing was asked for or taken so far.',
      })),
    pager({ total, offset, limit, noun: 'the log', link: (target) => link_to('/audit', { offset: target }) }),
  ];
}
