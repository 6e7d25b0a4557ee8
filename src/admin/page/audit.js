// SPDX-License-Identifier: Apache-2.0
// Shows the audit log, newest entries first: each entry's user, request, reason and outcome; and the orders in
// progress.
import { address_of, change, may, me, read } from './api.js';
import { h, name } from './dom.js';
import { link_to, link_to_lock, number_in } from './links.js';
import { choices, json_link, view_head } from './parts.js';
import { pager, table } from './table.js';
import { clock, date_and_clock, duration, many, plain, sentence } from './text.js';

const k_page = 50;
const k_typing_pause_ms = 250;
const k_filters = ['list', 'who', 'path', 'action', 'outcome', 'since', 'until'];
const k_actions = { ask: 'asked to release', take: 'took', sign_in_failed: 'sign-in failed' };
const k_good = new Set(['begun', 'asked', 'gave_way', 'deleted', 'gone_before']);

const form_state = { timer: null, visits: 0, problem: '' };

export const title = () => 'Audit log';

export const reread_ms = 2000;

export function enter() {
  clearTimeout(form_state.timer);
  Object.assign(form_state, { visits: form_state.visits + 1, problem: '' });
}

const filters_in = (query) => Object.fromEntries(k_filters.map((key) => [key, query.get(key) ?? '']));

export async function load(query) {
  const page = { ...filters_in(query), offset: number_in(query, 'offset') || '', limit: k_page };
  const [log, { orders }] = await Promise.all([read('audit', page), read('orders')]);
  return { ...log, orders };
}

function outcome(entry) {
  const text = plain(entry.outcome ?? '').replaceAll('_', ' ');
  const style = k_good.has(entry.outcome) ? 'kind' : 'kind is-bad';
  return [text ? h('span', { class: style }, text) : null, entry.message ? [' ', name(entry.message)] : null];
}

function locked_path(entry) {
  if (!entry.path) return h('span', { class: 'muted' }, '–');
  return h('a', { href: link_to_lock(entry), class: 'path', title: plain(entry.znode) }, name(entry.path));
}

// A shared secret does not identify a person. The entry then has the name that the person typed.
function author(entry) {
  const said = entry.user && entry.who && entry.user !== entry.who ? h('span', { class: 'muted' }, ' with the shared ', name(entry.user)) : null;
  return [name(entry.who || entry.user), said, ' ', h('span', { class: 'muted mono' }, name(entry.from))];
}

const k_order_columns = [
  { title: 'Time', class: 'col-date figures', cell: (entry) => date_and_clock(entry.time) },
  { title: 'Action', class: 'col-action', cell: (entry) => k_actions[entry.action] ?? plain(entry.action) },
  { title: 'Lock', class: 'col-long', cell: locked_path },
  { title: 'By', class: 'col-by', cell: author },
  { title: 'Why', class: 'col-long', cell: (entry) => (entry.why ? name(entry.why) : null) },
  { title: 'Outcome', class: 'col-long', cell: outcome },
];

const k_sign_in_columns = [
  { title: 'Last time', class: 'col-date figures', cell: (entry) => date_and_clock(entry.time) },
  { title: 'What', class: 'col-action', cell: () => 'sign-in failed' },
  { title: 'From', class: 'col-first', cell: (entry) => name(entry.from, { class: 'mono' }) },
  { title: 'Name', class: 'col-first', cell: (entry) => (entry.user ? name(entry.user) : h('span', { class: 'muted' }, 'unknown')) },
  { title: 'Times', class: 'col-long figures', cell: (entry) => plain(entry.times) },
];

async function cancel(order, context) {
  form_state.problem = '';
  try {
    await change('cancel', { order, ...(me().shared ? { who: 'an operator of the page' } : {}) });
  } catch (reason) {
    form_state.problem = sentence(reason.message);
  }
  context.refresh();
}

function under_way(orders, context) {
  if (!orders.length && !form_state.problem) return null;
  const columns = [
    { title: 'Since', class: 'col-action figures', cell: (one) => clock(one.begun) },
    { title: 'Lock', class: 'col-long', cell: locked_path },
    { title: 'By', class: 'col-by', cell: author },
    { title: 'Why', class: 'col-long', cell: (one) => name(one.why) },
    { title: 'Lasts at most', class: 'col-action figures', cell: (one) => duration(one.at_most_ms) },
  ];
  if (may('take'))
    columns.push({ title: 'Cancel', hidden: true, class: 'col-act', cell: (one) =>
      h('button', { type: 'button', class: 'button', onclick: () => cancel(one.order, context) }, 'Cancel', h('span', { class: 'unseen' }, ` order ${one.order}`)) });
  return h('section', { class: 'card is-list', 'aria-label': 'Under way', 'data-key': 'under-way' },
    h('p', { class: 'problem', role: 'alert' }, form_state.problem),
    table({ caption: 'Orders under way', kind: 'is-plain', columns, rows: orders, key: (one) => String(one.order), empty: 'No order is under way.' }));
}

function search_form(query, context) {
  const address = (form) => {
    const said = Object.fromEntries(['who', 'path', 'action', 'since', 'until'].map((key) => [key, form.elements[key]?.value.trim() ?? '']));
    return link_to('/audit', { ...filters_in(context.query), ...said });
  };
  const go = (form) => {
    clearTimeout(form_state.timer);
    context.go(address(form), { replace: true });
  };
  const now = (event) => {
    event.preventDefault();
    go(event.target.form ?? event.target);
  };
  const soon = ({ target: { form } }) => {
    clearTimeout(form_state.timer);
    form_state.timer = setTimeout(() => go(form), k_typing_pause_ms);
  };
  const field = (text, control) => h('label', { class: 'field' }, h('span', null, text), control);
  const input = (key, type, hint, handlers) => h('input', { type, name: key, value: query.get(key) ?? '', placeholder: hint, autocomplete: 'off', ...handlers });
  return h('form', { class: 'search', role: 'search', 'aria-label': 'Audit log', onsubmit: now, 'data-key': `search ${form_state.visits}` },
    field('By', input('who', 'search', 'name, address', { oninput: soon })),
    field('Lock', input('path', 'search', '/locks/shop', { oninput: soon })),
    field('From', input('since', 'date', '', { onchange: now })),
    field('Before', input('until', 'date', '', { onchange: now })));
}

export function render(log, context) {
  const { total, offset, limit, entries, orders } = log;
  const { query } = context;
  const filters = filters_in(query);
  const sign_ins = filters.list === 'sign_ins';
  const lists = [['', 'Orders'], ['sign_ins', 'Failed sign-ins']];
  return [
    view_head({ title: 'Audit log', context, json: json_link('audit', { ...filters, offset: offset || '', limit }),
      under: h('p', { class: 'muted' }, many(total, 'entry').replace('entrys', 'entries')) }),
    under_way(orders, context),
    h('div', { class: 'queue-head' },
      choices('List', lists, filters.list, (list) => link_to('/audit', { list })),
      h('a', { href: address_of('audit.csv', filters), class: 'json', download: '' }, 'CSV'),
      h('a', { href: address_of('audit', { ...filters, limit: 1000 }), class: 'json', download: 'turnstile-audit.json' }, 'JSON, all')),
    search_form(query, context),
    h('section', { class: 'card is-list', 'aria-label': 'Entries' },
      table({
        caption: 'Audit log, newest first',
        kind: 'is-plain',
        columns: sign_ins ? k_sign_in_columns : k_order_columns,
        rows: entries.map((entry, i) => ({ ...entry, key: `${filters.list} ${total - offset - i}` })),
        key: (entry) => entry.key,
        empty: sign_ins ? 'No sign-in has failed so far.' : 'So far no holder was asked to release, and no lock was taken.',
      })),
    pager({ total, offset, limit, noun: 'the log', link: (target) => link_to('/audit', { ...filters, offset: target }) }),
  ];
}
