// SPDX-License-Identifier: Apache-2.0
// Makes small elements that several views show, such as ages, names of contenders and headings.
import { address_of } from './api.js';
import { h, name, svg } from './dom.js';
import { clock, date_and_clock, duration, host_or_text, many, plain, seconds } from './text.js';

// Returns an element that shows a duration. While the page is live, app.js (count_on) raises the duration each second.
export function age(ms, attributes) {
  if (ms === null || ms === undefined) return h('span', { class: 'figures', ...attributes }, '–');
  return h('span', { class: 'figures', 'data-age': ms, ...attributes }, seconds(ms));
}

// Returns host, pid and label of a contender. Each is in a separate element, so that a right-to-left text in one of
// them does not reorder the others.
export function contender_name(contender, { label = contender.label } = {}) {
  if (!contender.host) {
    const text = host_or_text(contender);
    return h('span', { class: 'who' }, text ? name(text) : h('i', { class: 'muted' }, 'another client'));
  }
  return h(
    'span',
    { class: 'who' },
    name(contender.host, { class: 'host' }),
    contender.pid ? [h('span', { class: 'muted' }, ' pid '), name(contender.pid, { class: 'figures' })] : null,
    label ? [' ', name(label, { class: 'label' })] : null,
  );
}

const k_pip = 9;
const k_most_pips = 8;

// Returns the queue as a row of squares: dark for holders, light for waiters.
export function pips(holders, waiters) {
  const shown = Math.min(holders + waiters, k_most_pips);
  const squares = [];
  for (let i = 0; i < shown; ++i)
    squares.push(
      svg('rect', { class: i < holders ? 'pip is-holding' : 'pip is-waiting', x: i * k_pip, y: 0, width: 7, height: 14, rx: 1.5 }),
    );
  return svg('svg', { class: 'pips', width: k_most_pips * k_pip, height: 14, 'aria-hidden': 'true' }, squares);
}

// The server reads one lock after another. If the oldest of these reads is older than this time, the page shows the
// read's age.
const k_soon = 2_000;
function looked_at(meta) {
  return meta.oldest_ms > k_soon ? `, each lock within ${duration(meta.oldest_ms)}` : `, read in ${duration(meta.reading_ms)}`;
}

function live_text(context, meta) {
  if (context.stream === 'lost') return ['is-lost', 'Offline'];
  if (meta?.stale) return ['is-stale', 'Stale'];
  return context.live ? ['is-live', 'Live'] : ['is-opening', 'Opening'];
}

// Returns the heading of a view: its title, the age of its data, and a link to its JSON.
export function view_head({ title, meta, json, context, under }) {
  const [style, state] = live_text(context, meta);
  return h(
    'div',
    { class: 'view-head' },
    h('div', null, h('h1', { tabindex: '-1' }, title), under),
    h(
      'p',
      { class: 'freshness' },
      h('span', { class: `dot ${style}`, 'aria-hidden': 'true' }),
      h('span', { class: 'state' }, state),
      h('span', { class: 'as-of figures', title: meta ? date_and_clock(meta.as_of) : null },
        meta ? `as of ${clock(meta.as_of)}${looked_at(meta)}` : ''),
      h('a', { href: json, class: 'json' }, 'JSON'),
    ),
  );
}

export const json_link = (what, parameters) => address_of(what, parameters);

export function unreadable_note(paths) {
  if (!paths?.length) return null;
  return h(
    'details',
    { class: 'unreadable' },
    h('summary', null, `${many(paths.length, 'folder')} may not be read`),
    h('p', { class: 'muted' }, 'An ACL forbids this server to read these folders. This page does not show the locks below them.'),
    h('ul', { class: 'mono plain' }, paths.map((path) => h('li', { 'data-key': path }, name(path)))),
  );
}

export const lock_title = (lock) => plain(lock.path);

// Returns the inner width of a card in pixels. A picture of that width has text of the page's own size.
export function room() {
  const main = document.getElementById('main');
  const { paddingLeft, paddingRight } = window.getComputedStyle(main);
  return Math.max(240, Math.floor(main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)) - 34);
}

// Returns links, of which one is marked as chosen. values: [[value, text]]; link: value => address.
export function choices(title, values, chosen, link) {
  return h('nav', { class: 'choices', 'aria-label': title },
    values.map(([value, text]) =>
      h('a', { href: link(value), 'data-key': text, 'aria-current': value === chosen ? 'true' : null }, text)));
}
