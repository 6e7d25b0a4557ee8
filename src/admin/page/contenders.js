// SPDX-License-Identifier: Apache-2.0
// Shows the holders and waiters of a lock, as cards and as tables.
import { h, name, svg } from './dom.js';
import { age, contender_name } from './parts.js';
import { table } from './table.js';
import { date_and_clock, duration, host_or_text, many, ordinal, plain } from './text.js';

export const k_most_cards = 4;

// Returns a button whose label names the holder, because a screen reader reads one such button after another.
function release_button(holder, release) {
  if (!release) return null;
  return h(
    'button',
    { type: 'button', class: 'button', 'aria-haspopup': 'dialog', onclick: () => release(holder) },
    'Release …',
    h('span', { class: 'unseen' }, ` ${plain(host_or_text(holder))} ${plain(holder.pid)}`),
  );
}

function fact(title, value) {
  return [h('dt', null, title), h('dd', null, value)];
}

const code = (text) => name(text, { class: 'mono' });

export function holder_cards(lock, release) {
  return h(
    'ul',
    { class: 'holders plain' },
    lock.holders.map((holder) =>
      h(
        'li',
        { class: 'card holder', 'data-key': holder.znode },
        h('div', { class: 'holder-head' },
          h('p', { class: 'holder-name' }, contender_name(holder)),
          h('p', { class: 'holder-age' }, h('span', { class: 'muted' }, 'holds for '), age(holder.held_ms, { class: 'figures strong' })),
          release_button(holder, release)),
        h('dl', { class: 'facts is-spread' },
          fact('Came', h('span', { class: 'figures' }, date_and_clock(holder.created))),
          holder.held_since ? fact('Holds since', h('span', { class: 'figures' }, date_and_clock(holder.held_since))) : null,
          fact('Fencing token', code(holder.token)),
          fact('Session', code(holder.session)),
          fact('Session timeout, as the contender claims', duration_of(holder.session_timeout_ms)),
          holder.permits > 1 ? fact('Permits', many(holder.permits, 'permit')) : null,
          holder.owner ? fact('Owner', name(holder.owner)) : null,
          is_mixed(lock) ? fact('Holds as', plain(holder.kind).replaceAll('_', ' ')) : null,
          fact('Znode', code(holder.znode))),
      ),
    ),
  );
}

function duration_of(text) {
  const ms = Number(text);
  return text !== '' && text !== null && Number.isFinite(ms) ? duration(ms) : name(text || '–');
}

const k_contender = { title: 'Contender', class: 'col-first', cell: contender_name };
const k_kind = {
  title: 'As',
  class: 'col-kind',
  cell: (one) => h('span', { class: 'kind' }, plain(one.kind).replaceAll('_', ' ')),
};
// True if readers and writers share the lock's queue.
const is_mixed = (lock) => lock.kind === 'shared_mutex' || lock.kind === 'kazoo';
const kind_column = (lock) => (is_mixed(lock) ? [k_kind] : []);
const k_token = { title: 'Token', class: 'col-token', cell: (one) => code(one.token) };
const k_session = { title: 'Session', class: 'col-token', cell: (one) => code(one.session) };

export function holder_table(lock, release) {
  const columns = [k_contender, ...kind_column(lock), { title: 'Holds for', class: 'col-time', cell: (one) => age(one.held_ms) }, k_token, k_session];
  if (release)
    columns.push({ title: 'Release', hidden: true, class: 'col-act', cell: (holder) => release_button(holder, release) });
  return h('div', { class: 'card is-list' },
    table({ caption: 'Holders', kind: 'is-plain', columns, rows: lock.holders, key: (one) => one.znode, empty: '' }));
}

const k_bar = 100;

// Returns a cell that shows the wait as a bar, in proportion to the longest wait on this page.
function wait_cell(waiter, longest) {
  const part = longest > 0 ? Math.max(0.02, waiter.age_ms / longest) : 0;
  return h('span', { class: 'wait' },
    age(waiter.age_ms),
    svg('svg', { class: 'wait-bar', viewBox: `0 0 ${k_bar} 6`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      svg('rect', { class: 'is-waiting', x: 0, y: 0, width: (part * k_bar).toFixed(1), height: 6, rx: 2 })));
}

export function queue_table(lock, page, empty) {
  const longest = Math.max(0, ...page.waiters.map((waiter) => waiter.age_ms ?? 0));
  return table({
    caption: 'Queue, next in line first',
    kind: 'queue',
    columns: [
      { title: 'Place', class: 'col-place figures', cell: (waiter) => ordinal(waiter.place) },
      k_contender,
      { title: 'Waits for', class: 'col-wait', cell: (waiter) => wait_cell(waiter, longest) },
      ...kind_column(lock),
      k_token,
      k_session,
    ],
    rows: page.waiters,
    key: (waiter) => waiter.znode,
    empty,
  });
}
