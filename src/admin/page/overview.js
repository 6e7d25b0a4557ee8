// SPDX-License-Identifier: Apache-2.0
// The overview: totals, the locks (contended locks first), the longest holds, and the servers.
import { read } from './api.js';
import { h, name } from './dom.js';
import { link_to, link_to_lock, number_in } from './links.js';
import { k_page, lock_list, start_list } from './lock_list.js';
import { age, contender_name, json_link, view_head } from './parts.js';
import { server_list } from './servers.js';
import { count, many, plain, precise } from './text.js';

export const title = () => 'Overview';

export const enter = start_list;

function filters(query) {
  return {
    prefix: query.get('prefix') ?? '',
    holder: query.get('holder') ?? '',
    kind: query.get('kind') ?? '',
    sort: query.get('sort') ?? '',
    offset: number_in(query, 'offset'),
  };
}

export async function load(query) {
  const { offset, ...search } = filters(query);
  const [overview, times, locks] = await Promise.all([
    read('overview'),
    read('templates'),
    read('locks', { ...search, offset: offset || '', limit: k_page }),
  ]);
  return { overview, templates: times.templates, locks, meta: overview.meta };
}

function total(title_of, number, { href, style } = {}) {
  const figure = h('dd', { class: 'figures' }, count(number));
  const text = href ? h('a', { href }, title_of) : title_of;
  return h('div', { class: `total ${style ?? ''}` }, h('dt', null, text), figure);
}

function totals({ locks, held, contended, contenders, sessions, unreadable }) {
  return h(
    'dl',
    { class: 'totals' },
    total('Locks', locks, { href: '/' }),
    total('Held', held, { href: link_to('/', { sort: 'held' }) }),
    total('Contended', contended, { href: link_to('/', { sort: 'contended' }), style: contended ? 'is-contended' : '' }),
    total('Contenders', contenders),
    total('Sessions', sessions),
    unreadable ? total('Unreadable', unreadable, { style: 'is-warm' }) : null,
  );
}

function longest_holds(holds) {
  if (!holds.length) return h('p', { class: 'empty' }, 'No lock is held.');
  return h(
    'ol',
    { class: 'holds' },
    holds.map((hold) =>
      h(
        'li',
        { 'data-key': `${hold.kind} ${hold.path}` },
        h('a', { href: link_to_lock(hold), class: 'path', title: plain(hold.path) }, name(hold.path)),
        age(hold.held_for_ms, { class: 'figures strong' }),
        h('span', { class: 'line' }, contender_name(hold.holder)),
      ),
    ),
  );
}

// Shows the median and the 99th percentile of waits and holds, and how the holds ended, for each group of locks with
// similar paths.
function times_of(templates) {
  const seen = templates.filter((each) => each.hold_ms.count > 0);
  if (!seen.length) return h('p', { class: 'empty' }, 'No hold has ended yet.');
  const times = (word, { count: number, p50, p99 }) =>
    h('span', { class: 'line figures' }, number ? `${word} ${precise(p50)}, 99 % ${precise(p99)}` : `${word} –`);
  return h(
    'ol',
    { class: 'holds' },
    seen.map(({ template, hold_ms, wait_ms, taken, unknown }) =>
      h(
        'li',
        { 'data-key': template },
        h('span', { class: 'path', title: plain(template) }, name(template)),
        h('span', { class: 'figures strong' }, many(hold_ms.count, 'hold')),
        times('wait', wait_ms),
        times('hold', hold_ms),
        taken || unknown
          ? h('span', { class: 'line muted figures' }, `${count(taken)} taken, ${count(unknown)} released or lost`)
          : null,
      ),
    ),
  );
}

export function render({ overview, templates, locks, meta }, context) {
  const search = filters(context.query);
  return [
    view_head({ title: 'Overview', meta, context, json: json_link('overview') }),
    totals(overview.totals),
    h(
      'div',
      { class: 'columns' },
      h('section', { class: 'wide', 'aria-labelledby': 'locks-title' }, lock_list(locks, search, context)),
      h(
        'div',
        { class: 'aside' },
        h('section', { class: 'card', 'aria-labelledby': 'holds-title' },
          h('h2', { id: 'holds-title' }, 'Longest holds'), longest_holds(overview.longest_holds)),
        h('section', { class: 'card', 'aria-labelledby': 'times-title' },
          h('h2', { id: 'times-title' }, 'Waits and holds'), times_of(templates)),
        h('section', { class: 'card', 'aria-labelledby': 'servers-title' },
          h('h2', { id: 'servers-title' }, h('a', { href: '/servers' }, 'Servers')), server_list(overview)),
      ),
    ),
  ];
}
