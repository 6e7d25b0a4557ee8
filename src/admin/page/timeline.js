// SPDX-License-Identifier: Apache-2.0
// The timeline of a lock, as a picture and as a table: a row for each contender, light for a wait, dark for a hold.
import { h, name, svg } from './dom.js';
import { choices, room } from './parts.js';
import { table } from './table.js';
import { clock, date_and_clock, duration, identity, many, plain } from './text.js';

const k_most_lanes = 12;
const k_lane = 30;
const k_bar = 20;
const k_axis = 26;
const k_character = 6.6; // width of a character in the picture, in pixels
// The durations to choose from, in seconds. For '' the page chooses a duration that shows the latest hand-overs.
const k_windows = [['', 'auto'], ['60', '1 min'], ['600', '10 min'], ['3600', '1 h'], ['all', 'all']];
const k_holds_in_auto = 24;
const k_steps_s = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

const k_ends = { released: 'released by the holder', taken: 'taken from the holder' };

const at = (time) => Date.parse(time);

// Groups the bars by the contenders' own descriptions, so that a process that returns keeps its row.
function lanes_of({ timeline, lock, waiters }) {
  const lanes = new Map();
  const now = at(timeline.to);
  const add = (contender, bar) => {
    const title = plain(identity(contender));
    if (!lanes.has(title)) lanes.set(title, { title, bars: [], latest: 0 });
    const lane = lanes.get(title);
    lane.bars.push(bar);
    lane.latest = Math.max(lane.latest, bar.to);
  };
  const known = new Set();
  for (const span of timeline.spans) {
    const to = span.to ? at(span.to) : now;
    known.add(span.znode);
    if (span.created && at(span.created) < at(span.from))
      add(span, { kind: 'waiting', from: at(span.created), to: at(span.from), span });
    add(span, { kind: 'holding', from: at(span.from), to, span });
  }
  for (const waiter of waiters.offset ? [] : waiters.waiters)
    if (!known.has(waiter.znode)) add(waiter, { kind: 'waiting', from: at(waiter.created), to: now + 1, span: waiter });
  for (const holder of lock.holders)
    if (!known.has(holder.znode)) add(holder, { kind: 'holding', from: at(holder.created), to: now, span: holder });
  const latest = [...lanes.values()].sort((one, other) => other.latest - one.latest);
  const shown = latest.slice(0, k_most_lanes).sort((one, other) => one.title.localeCompare(other.title, 'en', { numeric: true }));
  return { shown, hidden: latest.length - shown.length };
}

function window_of(timeline, chosen) {
  const to = at(timeline.to);
  const start = at(timeline.from);
  const whole = Math.max(to - start, 1000);
  if (chosen === 'all') return { from: to - whole, to };
  if (chosen) return { from: Math.max(to - 1000 * Number(chosen), Math.min(start, to - 1000)), to };
  const latest = timeline.spans.map((span) => at(span.from)).sort((one, other) => other - one);
  const first = latest.length > k_holds_in_auto ? latest[k_holds_in_auto] : start;
  return { from: Math.min(Math.max(first, start), to - 5000), to };
}

function ticks_of({ from, to }, width) {
  const least_s = ((to - from) / 1000 / Math.max(1, width)) * 84;
  const step = 1000 * (k_steps_s.find((seconds) => seconds >= least_s) ?? 86_400 * Math.ceil(least_s / 86_400));
  const ticks = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) ticks.push(time);
  return ticks.map((time) => ({ time, text: new Date(time).toISOString().slice(11, step < 60_000 ? 19 : 16) }));
}

function hint(lane, bar) {
  if (bar.kind === 'waiting') return `${lane.title}: waited ${duration(bar.to - bar.from)}`;
  const end = bar.span.to ? k_ends[bar.span.end] ?? 'ended' : 'holds it now';
  return `${lane.title}: held for ${duration(bar.to - bar.from)}, token ${plain(bar.span.token)}, ${end}`;
}

function cut(text, width) {
  const most = Math.floor(width / k_character);
  return text.length <= most ? text : `${[...text].slice(0, Math.max(1, most - 1)).join('')}…`;
}

class picture {
  constructor(span, width) {
    this.span = span;
    this.narrow = width < 560;
    this.width = width;
    this.left = this.narrow ? 0 : Math.min(240, Math.round(width * 0.24));
    this.right = width - 8;
    this.step = this.narrow ? k_lane + 16 : k_lane;
  }

  x(time) {
    const { from, to } = this.span;
    const part = (Math.min(Math.max(time, from), to) - from) / (to - from);
    return this.left + part * (this.right - this.left);
  }

  bar(lane, bar, y) {
    if (bar.to < this.span.from || bar.from > this.span.to) return null;
    const x = this.x(bar.from);
    const width = Math.max(1.5, this.x(bar.to) - x);
    const taken = bar.kind === 'holding' && bar.span.end === 'taken';
    const token = plain(bar.span.token);
    const fits = bar.kind === 'holding' && token.length * k_character + 8 < width;
    const box = { x: x.toFixed(1), y, width: width.toFixed(1), height: k_bar };
    return svg('g', { class: 'span' },
      svg('title', null, hint(lane, bar)),
      svg('rect', { class: `is-${bar.kind}`, rx: 2, ...box }),
      taken ? svg('rect', { class: 'end', x: (x + width - 3).toFixed(1), y: y - 3, width: 3, height: k_bar + 6 }) : null,
      fits ? svg('text', { class: 'token', x: (x + width / 2).toFixed(1), y: y + 14, 'text-anchor': 'middle' }, token) : null);
  }

  lane(lane, i) {
    const y = i * this.step + (this.narrow ? 18 : 2);
    const title = this.narrow
      ? { x: 0, y: y - 5 }
      : { x: this.left - 10, y: y + 14, 'text-anchor': 'end' };
    return svg('g', { 'data-key': lane.title },
      svg('text', { class: 'lane-name', ...title }, cut(lane.title, this.narrow ? this.width : this.left - 12),
        svg('title', null, lane.title)),
      svg('rect', { class: 'row', x: this.left, y, width: this.right - this.left, height: k_bar, rx: 2 }),
      lane.bars.filter((bar) => bar.kind === 'waiting').map((bar) => this.bar(lane, bar, y)),
      lane.bars.filter((bar) => bar.kind === 'holding').map((bar) => this.bar(lane, bar, y)));
  }

  axis(y) {
    const line = svg('line', { class: 'grid', x1: this.left, x2: this.right, y1: y, y2: y });
    const marks = ticks_of(this.span, this.right - this.left).map(({ time, text }) => {
      const x = this.x(time);
      const half = (text.length * k_character) / 2;
      const fits = x - half >= this.left - 20 && x - half >= 0 && x + half <= this.width;
      return [
        svg('line', { class: 'tick', x1: x, x2: x, y1: y, y2: y + 4 }),
        fits ? svg('text', { class: 'muted', x, y: y + 17, 'text-anchor': 'middle' }, text) : null,
      ];
    });
    return [line, marks];
  }

  draw(lanes, label) {
    const bottom = lanes.length * this.step + (this.narrow ? 4 : 6);
    return svg('svg', { class: 'timeline', role: 'img', 'aria-label': label, width: this.width, height: bottom + k_axis },
      lanes.map((lane, i) => this.lane(lane, i)), this.axis(bottom));
  }
}

function legend() {
  const entry = (style, text) => h('li', null, h('span', { class: `swatch ${style}`, 'aria-hidden': 'true' }), text);
  return h('ul', { class: 'legend plain' }, entry('is-waiting', 'waits'), entry('is-holding', 'holds'),
    entry('is-taken', 'hold taken'));
}

function as_table(spans) {
  return h('details', { class: 'as-table' }, h('summary', null, 'As a table'),
    table({
      caption: 'Holds, newest first',
      kind: 'is-plain',
      columns: [
        { title: 'Contender', class: 'col-first', cell: (span) => name(identity(span)) },
        { title: 'Waited from', class: 'figures', cell: (span) => clock(span.created) },
        { title: 'Held from', class: 'figures', cell: (span) => clock(span.from) },
        { title: 'To', class: 'figures', cell: (span) => (span.to ? clock(span.to) : 'holds it now') },
        { title: 'End', cell: (span) => (span.to ? k_ends[span.end] ?? 'ended' : '–') },
        { title: 'Token', cell: (span) => name(span.token, { class: 'mono' }) },
      ],
      rows: spans,
      key: (span) => `${span.znode} ${span.from}`,
      empty: 'This server has seen no hold yet.',
    }));
}

// Returns the timeline. chosen: the shown duration: seconds as text, '' or 'all'. link: returns the address for another
// choice.
export function timeline(data, { chosen, link }) {
  const { timeline: seen } = data;
  if (!seen) return h('p', { class: 'empty' }, 'This server has not observed this lock yet.');
  const valid = k_windows.some(([value]) => value === chosen) ? chosen : '';
  const { shown, hidden } = lanes_of(data);
  const span = window_of(seen, valid);
  const width = room();
  const label = `Rows of ${many(shown.length, 'contender')} from ${clock(seen.from)} to ${clock(seen.to)}: ` +
    `${many(seen.spans.length, 'hold')}. The table below shows the same data.`;
  const newest = [...seen.spans].sort((one, other) => at(other.from) - at(one.from));
  return h('div', { class: 'card' },
    h('div', { class: 'timeline-head' }, legend(), choices('Time shown', k_windows, valid, link)),
    h('div', { class: 'picture' }, new picture(span, width).draw(shown, label)),
    h('p', { class: 'muted note' }, `UTC. This server has observed the lock since ${date_and_clock(seen.from)}.`,
      hidden > 0 ? ` Not shown: ${many(hidden, 'earlier contender')}.` : ''),
    as_table(newest));
}
