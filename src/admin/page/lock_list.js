// SPDX-License-Identifier: Apache-2.0
// The list of locks with its search. While the pointer or the focus is in the list, its order does not change, so that
// no lock moves away from a click. New locks are appended, and free locks are marked.
import { h, name } from './dom.js';
import { link_to, link_to_lock } from './links.js';
import { age, contender_name, json_link, pips, unreadable_note } from './parts.js';
import { pager, table } from './table.js';
import { count, kind_text, many, plain } from './text.js';

export const k_page = 50;
const k_kinds = ['mutex', 'shared_mutex', 'semaphore', 'latch', 'kazoo'];
const k_typing_pause_ms = 200;

const key_of = (lock) => `${lock.kind} ${lock.path}`;

// `locks`: the locks in the order in which the page shows them. The order changes only after another search, or while
// the list is not in use (is_in_use()). `search`: the last search.
const list = { locks: [], search: '', visits: 0, timer: null };

export function start_list() {
  clearTimeout(list.timer);
  Object.assign(list, { locks: [], search: '', visits: list.visits + 1 });
}

function is_in_use() {
  const shown = document.querySelector('.is-list');
  const pointed = window.matchMedia('(hover: hover)').matches && shown?.matches(':hover');
  return Boolean(pointed || shown?.matches(':focus-within'));
}

function in_order(found, search, limit) {
  const present = new Map(found.map((lock) => [key_of(lock), lock]));
  const same_search = list.search === JSON.stringify(search);
  list.search = JSON.stringify(search);
  if (!same_search || !is_in_use()) {
    list.locks = found;
    return found;
  }
  const kept = list.locks.map((lock) => {
    const now = present.get(key_of(lock));
    present.delete(key_of(lock));
    return now ?? { ...lock, gone: true };
  });
  list.locks = [...kept, ...present.values()].slice(0, Math.max(limit, kept.length));
  return list.locks;
}

function holder_cell(lock) {
  if (lock.gone) return h('i', { class: 'muted' }, 'no longer here');
  const [first] = lock.holders;
  if (!first) return h('span', { class: 'muted' }, '–');
  const others = holders_of(lock) - 1;
  const more = others > 0 ? `and ${count(others)} more` : null;
  return [
    contender_name(first, { label: '' }),
    h('span', { class: 'second' }, first.host && first.label ? name(first.label) : null, more ? ` ${more}` : null),
  ];
}

function holders_of(lock) {
  return lock.holders_total ?? lock.holders.length;
}

function queue_cell(lock) {
  if (lock.gone) return '';
  const holders = holders_of(lock);
  const waiting = lock.waiters_total ?? Math.max(0, lock.contenders - holders);
  return [pips(holders, waiting), h('span', { class: 'queue-text figures' }, waiting ? count(waiting) : '')];
}

const k_columns = [
  {
    title: 'Lock',
    class: 'col-lock',
    cell: (lock) => [
      h('a', { href: link_to_lock(lock), class: 'path', title: plain(lock.path) }, name(lock.path)),
      h('span', { class: 'second' }, kind_text(lock)),
    ],
  },
  { title: 'Held by', class: 'col-holder', cell: holder_cell },
  { title: 'Held for', class: 'col-time', cell: (lock) => age(lock.gone ? null : lock.held_for_ms) },
  { title: 'Waiting', class: 'col-queue', cell: queue_cell },
  { title: 'Longest wait', class: 'col-time', cell: (lock) => age(lock.gone ? null : lock.waited_ms) },
];

function field(title, control) {
  return h('label', { class: 'field' }, h('span', null, title), control);
}

function choice(title, key, value, options, change) {
  return field(
    title,
    h('select', { name: key, onchange: change },
      options.map(([of, text]) => h('option', { value: of, selected: of === value }, text))),
  );
}

// Returns the address for the form's fields. An empty field adds no parameter.
function address_of_form(form) {
  const read = (key) => form.elements[key].value.trim();
  return link_to('/', { prefix: read('prefix'), holder: read('holder'), kind: read('kind'), sort: read('sort') });
}

function search_form(search, context) {
  const now = (event) => {
    event.preventDefault();
    clearTimeout(list.timer);
    context.go(address_of_form(event.target.form ?? event.target), { replace: true });
  };
  const soon = (event) => {
    const { form } = event.target;
    clearTimeout(list.timer);
    list.timer = setTimeout(() => context.go(address_of_form(form), { replace: true }), k_typing_pause_ms);
  };
  const text = (key, title, hint) =>
    field(title, h('input', { type: 'search', name: key, value: search[key], placeholder: hint, oninput: soon,
      autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }));
  return h(
    'form',
    { class: 'search', role: 'search', 'aria-label': 'Locks', onsubmit: now, 'data-key': `search ${list.visits}` },
    text('prefix', 'Path', '/locks/shop'),
    text('holder', 'Holder', 'host, pid, label'),
    choice('Kind', 'kind', search.kind, [['', 'any'], ...k_kinds.map((kind) => [kind, kind.replaceAll('_', ' ')])], now),
    choice('Order', 'sort', search.sort,
      [['', 'contended first'], ['held', 'longest held first'], ['path', 'by path']], now),
  );
}

export function lock_list(page, search, context) {
  const { offset, ...rest } = search;
  const link = (target) => link_to('/', { ...rest, offset: target });
  const searched = rest.prefix || rest.holder || rest.kind;
  const { limit = k_page } = page;
  return [
    h('div', { class: 'list-head' },
      h('h2', { id: 'locks-title' }, 'Locks'),
      h('p', { class: 'muted figures', role: 'status' }, many(page.total, 'lock'), searched ? ' found' : ''),
      h('a', { href: json_link('locks', { ...rest, offset: offset || '', limit }), class: 'json' }, 'JSON')),
    search_form(search, context),
    h('div', { class: 'card is-list' },
      table({
        caption: 'Locks',
        kind: 'locks',
        columns: k_columns,
        rows: in_order(page.locks, search, limit),
        key: key_of,
        row_class: (lock) => (lock.gone ? 'is-gone' : null),
        empty: searched ? 'No lock matches.' : 'No lock is held or waited for.',
      })),
    pager({ total: page.total, offset: page.offset ?? offset, limit, noun: 'locks', link }),
    unreadable_note(page.unreadable),
  ];
}
