// SPDX-License-Identifier: Apache-2.0
// The view of a lock: holders, the queue, the timeline of holds, and the durations of holds and waits.
import { may, me, read } from './api.js';
import { holder_cards, holder_table, k_most_cards, queue_table } from './contenders.js';
import { distribution } from './distribution.js';
import { h, name } from './dom.js';
import { link_to, number_in } from './links.js';
import { choices, json_link, view_head } from './parts.js';
import { follow_release, open_release } from './release.js';
import { pager } from './table.js';
import { count, kind_text, many, plain } from './text.js';
import { timeline } from './timeline.js';

// The user can choose how many rows of the queue the page shows: few at first, so that the timeline stays visible.
const k_rows = ['8', '50', '200'];
const k_typing_pause_ms = 250;

const typing = { timer: null, visits: 0 };

const key_in = (query) => ({ path: query.get('path') ?? '', kind: query.get('kind') ?? '' });
const rows_in = (query) => (k_rows.includes(query.get('rows')) ? query.get('rows') : k_rows[0]);

// Returns the address of this lock's view with the present parameters; `changes` replaces some of them.
function here(query, changes) {
  const kept = Object.fromEntries(['rows', 'contender', 'offset', 'for'].map((key) => [key, query.get(key)]));
  return link_to('/lock', { ...key_in(query), ...kept, ...changes });
}

export function enter() {
  clearTimeout(typing.timer);
  ++typing.visits;
}

export const title = (query) => plain(query.get('path') || 'Lock');

// Returns which events the view follows. While the kind is unknown, the view follows the events of all locks, because
// the page learns the kind only when the lock exists.
export function follows(query, data) {
  const kind = data?.lock.kind ?? query.get('kind');
  return kind ? { path: key_in(query).path, kind } : {};
}

// The view reads its data again after this time, because the bars grow also while nothing changes.
export const reread_ms = 5000;

const queue_in = (query) => ({ contender: query.get('contender') ?? '', offset: number_in(query, 'offset') || '', limit: rows_in(query) });

export function load(query) {
  return read('lock', { ...key_in(query), ...queue_in(query) });
}

export function problem_title(problem) {
  if (problem.code === 'no_such_lock') return 'This lock is free';
  return undefined;
}

function crumbs() {
  return h('p', { class: 'crumbs' }, h('a', { href: '/' }, 'Overview'), h('span', { 'aria-hidden': 'true' }, ' / '), 'Lock');
}

function under_title(lock) {
  const waiting = lock.waiters_total ?? Math.max(0, lock.contenders - lock.holders.length);
  const parts = [h('span', { class: 'kind' }, kind_text(lock)), many(lock.holders_total ?? lock.holders.length, 'holder')];
  parts.push(`${count(waiting)} waiting`);
  return h('p', { class: 'under figures' }, parts.flatMap((part, i) => (i ? [' · ', part] : [part])));
}

function read_only_note() {
  if (may('ask')) return null;
  if (!me().read_only)
    return h('p', { class: 'muted note' }, 'Your role is ', h('code', null, plain(me().role)), ': you may look, but not ask a holder to release.');
  return h('p', { class: 'muted note' }, 'This page is read-only: the server was started without ',
    h('code', null, '--allow-changes'), '. From a shell: ', h('code', null, 'turnstile ask'), ' and ', h('code', null, 'turnstile take'), '.');
}

// Adds to each holder the duration of its hold. The holder's age counts from the creation of the znode and includes the
// wait.
function with_holds(lock, timeline) {
  const now = Date.parse(timeline?.to);
  const since = new Map(timeline?.spans.filter((span) => !span.to).map((span) => [span.znode, span.from]));
  const holders = lock.holders.map((holder) => {
    const from = since.get(holder.znode);
    return { ...holder, held_since: from, held_ms: from ? now - Date.parse(from) : holder.age_ms };
  });
  return { ...lock, holders };
}

function holders(lock, release) {
  if (!lock.holders.length)
    return h('p', { class: 'empty' }, lock.contenders ? 'No contender holds this lock at this moment.' : 'This lock is free.');
  return lock.holders.length > k_most_cards ? holder_table(lock, release) : holder_cards(lock, release);
}

function section(id, title_of, ...inside) {
  return h('section', { class: 'block', 'aria-labelledby': id, 'data-key': id }, h('h2', { id }, title_of), inside);
}

function queue_search(query, context) {
  const go = (form) => {
    clearTimeout(typing.timer);
    context.go(here(context.query, { contender: form.elements.contender.value.trim(), offset: '' }), { replace: true });
  };
  const now = (event) => {
    event.preventDefault();
    go(event.target);
  };
  const soon = ({ target: { form } }) => {
    clearTimeout(typing.timer);
    typing.timer = setTimeout(() => go(form), k_typing_pause_ms);
  };
  return h('form', { class: 'queue-search', role: 'search', 'aria-label': 'Queue', onsubmit: now, 'data-key': `search ${typing.visits}` },
    h('input', { type: 'search', name: 'contender', 'aria-label': 'Search the queue', placeholder: 'host, pid, label, owner, session', oninput: soon,
      value: query.get('contender') ?? '', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }));
}

function queue(lock, page, query, context) {
  const searched = query.get('contender');
  const found = searched ? h('p', { class: 'muted figures', role: 'status' }, `${count(page.total)} of ${count(lock.waiters_total)} match`) : null;
  const long = lock.waiters_total > Number(k_rows[0]) || searched;
  const sizes = k_rows.map((rows) => [rows, `${rows} rows`]);
  const link_rows = (rows) => here(query, { rows: rows === k_rows[0] ? '' : rows, offset: '' });
  return h('section', { class: 'block', 'aria-labelledby': 'queue-title', 'data-key': 'queue-title' },
    h('div', { class: 'queue-head' },
      h('h2', { id: 'queue-title' }, 'Queue'),
      long ? [queue_search(query, context), found, choices('Rows', sizes, rows_in(query), link_rows)] : null),
    h('div', { class: 'card is-list' }, queue_table(lock, page, searched ? 'No contender of the queue matches.' : 'The queue is empty.')),
    pager({ total: page.total, offset: page.offset, limit: page.limit, noun: 'the queue', link: (offset) => here(query, { offset }) }));
}

export function render(data, context) {
  const { waiters, meta } = data;
  const lock = with_holds(data.lock, data.timeline);
  const { query } = context;
  follow_release(data);
  const release = !may('ask')
    ? null
    : (holder) => open_release({ path: lock.path, kind: lock.kind, holder, seen: meta.as_of }, context);
  const { hold_ms, wait_ms } = data.distributions ?? {};
  return [
    crumbs(),
    view_head({
      title: name(lock.path, { class: 'mono' }),
      meta,
      context,
      json: json_link('lock', { ...key_in(query), ...queue_in(query) }),
      under: under_title(lock),
    }),
    section('holders-title', lock.holders.length > 1 ? 'Holders' : 'Holder', holders(lock, release), read_only_note()),
    queue(lock, waiters, query, context),
    section('timeline-title', 'Past and present holds',
      timeline(data, {
        chosen: query.get('for') ?? '',
        link: (span) => here(query, { for: span }),
      })),
    section('times-title', 'How long',
      h('div', { class: 'pair' },
        distribution('Holds', 'hold', hold_ms),
        distribution('Waits', 'wait', wait_ms))),
  ];
}
