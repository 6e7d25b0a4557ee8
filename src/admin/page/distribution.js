// SPDX-License-Identifier: Apache-2.0
// Shows the durations of holds or waits: quantiles, and a bar for each range of durations.
import { h, svg } from './dom.js';
import { count, many, precise } from './text.js';

const k_width = 480;
const k_height = 84;
const k_gap = 3;

// Returns the ranges without the empty ranges at both ends.
function filled(buckets) {
  const first = buckets.findIndex((bucket) => bucket.count > 0);
  const last = buckets.findLastIndex((bucket) => bucket.count > 0);
  return first < 0 ? [] : buckets.slice(first, last + 1);
}

function range_text(buckets, i) {
  const { le_ms } = buckets[i];
  return le_ms === null ? `more than ${precise(buckets[i - 1]?.le_ms ?? 0)}` : `up to ${precise(le_ms)}`;
}

function bars(buckets, style, title) {
  const shown = filled(buckets);
  const most = Math.max(1, ...shown.map((bucket) => bucket.count));
  const step = k_width / Math.max(6, shown.length);
  const rectangles = shown.map((bucket, i) => {
    const height = bucket.count > 0 ? Math.max(2, (bucket.count / most) * k_height) : 0;
    return svg('g', null,
      svg('title', null, `${range_text(shown, i)}: ${count(bucket.count)}`),
      svg('rect', { class: 'back', x: i * step, y: 0, width: step, height: k_height }),
      svg('rect', { class: style, x: i * step + k_gap / 2, y: k_height - height, width: step - k_gap, height, rx: 1.5 }));
  });
  return [
    svg('svg', { class: 'histogram', role: 'img', 'aria-label': `${title}: ${many(shown.length, 'range')} of times`,
      viewBox: `0 0 ${k_width} ${k_height}`, preserveAspectRatio: 'none' },
    rectangles,
    svg('line', { class: 'grid', x1: 0, x2: k_width, y1: k_height, y2: k_height })),
    shown.length > 1
      ? h('p', { class: 'ends muted figures', 'aria-hidden': 'true' },
        h('span', null, range_text(shown, 0)), h('span', null, range_text(shown, shown.length - 1)))
      : null,
  ];
}

// Returns the picture of the durations. word: "hold" or "wait", which decides the colour of the bars.
export function distribution(title, word, data) {
  const style = word === 'hold' ? 'is-holding' : 'is-waiting';
  if (!data?.count) return h('div', { class: 'card' }, h('h3', null, title), h('p', { class: 'empty' }, `No ${word} has ended yet.`));
  const fact = (name, value) => h('div', null, h('dt', null, name), h('dd', { class: 'figures' }, precise(value)));
  return h('div', { class: 'card' },
    h('div', { class: 'list-head' }, h('h3', null, title), h('p', { class: 'muted figures' }, many(data.count, word))),
    bars(data.buckets, style, title),
    h('dl', { class: 'quantiles' }, fact('Median', data.p50), fact('90 %', data.p90), fact('99 %', data.p99), fact('Longest', data.max)));
}
