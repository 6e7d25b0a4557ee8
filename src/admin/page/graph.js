// SPDX-License-Identifier: Apache-2.0
// The wait-for graph over all locks, with its cycles marked, as a picture and as a table.
import { read } from './api.js';
import { h, name } from './dom.js';
import { release_order, waits_in } from './graph_cycles.js';
import { fold } from './graph_folding.js';
import { picture } from './graph_picture.js';
import { link_to_lock } from './links.js';
import { json_link, room, view_head } from './parts.js';
import { table } from './table.js';
import { many, plain } from './text.js';

const k_most_nodes = 60;
const k_most_rows = 300;

export const title = () => 'Wait-for graph';

export const load = () => read('graph');

// Chooses the edges of the picture. Edges of cycles come first, so that the picture shows them even if other edges do
// not fit.
function chosen_edges({ edges, cycles, possible }) {
  const cyclic = waits_in(cycles);
  const perhaps = waits_in(possible);
  const style_of = (wait) => (cyclic.has(wait) ? 'is-cycle' : perhaps.has(wait) ? 'is-possible' : '');
  const marked = edges.map((edge) => {
    const style = style_of(`${edge.from} ${edge.to}`);
    return { ...edge, style, cyclic: style !== '' };
  });
  const k_rank = { 'is-cycle': 0, 'is-possible': 1, '': 2 };
  marked.sort((one, other) => k_rank[one.style] - k_rank[other.style]);
  const { edges: lines, folded } = fold(marked);
  const nodes = new Set();
  const shown = [];
  for (const edge of lines) {
    const more = Number(!nodes.has(edge.from)) + Number(!nodes.has(edge.to));
    if (nodes.size + more > k_most_nodes) continue;
    nodes.add(edge.from).add(edge.to);
    shown.push(edge);
  }
  return { all: marked, edges: shown, nodes: [...nodes], folded, left_out: lines.length - shown.length };
}

const k_marks = { 'is-cycle': ['kind is-bad', 'in a cycle'], 'is-possible': ['kind is-warm', 'possible cycle'], '': ['muted', 'no'] };

function lock_link(lock) {
  return h('a', { href: link_to_lock(lock), class: 'path', title: plain(lock.path) }, name(lock.path));
}

function edge_table(edges, labels) {
  const mark = (edge) => {
    const [style, text] = k_marks[edge.style];
    return h('span', { class: style }, text);
  };
  return table({
    caption: 'Who waits for whom',
    kind: 'is-plain',
    columns: [
      { title: 'Waits', class: 'col-first', cell: (edge) => h('bdi', null, labels(edge.from)) },
      { title: 'For', class: 'col-first', cell: (edge) => h('bdi', null, labels(edge.to)) },
      { title: 'Lock', class: 'col-long', cell: lock_link },
      { title: 'Cycle', cell: mark },
    ],
    rows: edges,
    key: (edge) => `${edge.from} ${edge.to} ${edge.path}`,
    row_class: (edge) => (edge.style === 'is-cycle' ? 'is-bad' : null),
    empty: 'Nothing waits.',
  });
}

// Lists the locks of a cycle in the order of their release. A person releases the first lock; the other locks follow.
function order_list(cycle, edges, labels) {
  const who = (id) => h('bdi', { class: 'strong' }, labels(id));
  const [first, ...rest] = release_order(cycle, edges);
  if (!rest.length)
    return h('p', null, 'All contenders of this cycle wait at ', lock_link(first), ': ', cycle.flatMap((id, i) => [i ? ', ' : null, who(id)]), '. End one of these contenders.');
  return h('ol', { class: 'release-order' },
    h('li', { 'data-key': 'first' }, 'Release ', lock_link(first), ', which ', who(first.holder), ' holds: ', who(first.waiter), ' goes on.'),
    rest.map((lock, i) =>
      h('li', { 'data-key': `${i} ${lock.path}` }, lock_link(lock), ' follows when ', who(lock.holder), ' releases it: ', who(lock.waiter), ' goes on.')));
}

function cycle_card({ cycles, id, style, heading, text }, edges, labels) {
  if (!cycles.length) return null;
  return h('section', { class: `card ${style}`, 'aria-labelledby': id, 'data-key': id },
    h('h2', { id }, heading),
    h('p', null, text),
    h('ul', { class: 'plain cycles' }, cycles.map((cycle) =>
      h('li', { 'data-key': cycle.join(' ') }, order_list(cycle, edges, labels)))));
}

function cycle_cards({ cycles, possible, edges }, labels) {
  return [
    cycle_card({ cycles, id: 'cycles-title', style: 'is-alarm', heading: many(cycles.length, 'cycle'),
      text: 'These contenders wait for each other, so none can go on (a deadlock). Release one lock of a cycle; then the others become free in this order. ' +
        'You can begin with any lock of the cycle.' }, edges, labels),
    cycle_card({ cycles: possible, id: 'possible-title', style: 'is-warning', heading: `${many(possible.length, 'possible cycle')}, being confirmed`,
      text: 'The server read the queues one after the other, so this cycle may never have existed at one instant. ' +
        'The next round of reading confirms it or removes it.' },
    edges, labels),
  ];
}

function summary_of({ nodes, edges, cycles, possible }) {
  const text = `${many(nodes.length, 'contender')}, ${many(edges.length, 'wait')}, `;
  if (!possible.length) return `${text}${many(cycles.length, 'cycle')}.`;
  const sure = cycles.length ? `${many(cycles.length, 'cycle')}, ` : '';
  return `${text}${sure}${many(possible.length, 'possible cycle')}, being confirmed.`;
}

export function render(graph, context) {
  const { nodes, edges, cycles, possible, truncated, meta } = graph;
  const by_id = new Map(nodes.map((node) => [node.id, node]));
  const known = (id) => by_id.get(id) ?? { id, label: id };
  const labels = (id) => plain(known(id).label) || plain(id);
  const chosen = chosen_edges(graph);
  const in_cycle = new Set(cycles.flat());
  const perhaps = new Set(possible.flat());
  const style_of = (id) => (in_cycle.has(id) ? 'is-cycle' : perhaps.has(id) ? 'is-possible' : '');
  const summary = summary_of(graph);
  return [
    view_head({ title: 'Wait-for graph', meta, context, json: json_link('graph'), under: h('p', { class: 'muted figures' }, summary) }),
    cycle_cards(graph, labels),
    edges.length
      ? h('section', { class: 'card', 'aria-label': 'Picture' }, picture(chosen, { known, style_of, room: room(), summary }),
        chosen.left_out > 0 ? h('p', { class: 'muted note' }, `${many(chosen.left_out, 'wait')} more in the JSON.`) : null)
      : null,
    truncated ? h('p', { class: 'muted note' }, 'The server has cut the graph: there are more waits than it sends.') : null,
    h('section', { class: 'card is-list', 'aria-label': 'Table' }, edge_table(chosen.all.slice(0, k_most_rows), labels)),
    chosen.all.length > k_most_rows
      ? h('p', { class: 'muted note' }, `The first ${k_most_rows} of ${many(chosen.all.length, 'wait')}; all of them are in the JSON.`)
      : null,
  ];
}
