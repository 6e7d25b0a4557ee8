// SPDX-License-Identifier: Apache-2.0
// The wait-for graph over all locks: who waits for whom, cycles marked. A picture, and the same as a table.
import { read } from './api.js';
import { h, name, svg } from './dom.js';
import { fold } from './graph_folding.js';
import { components, layout } from './graph_layout.js';
import { link_to } from './links.js';
import { json_link, view_head } from './parts.js';
import { table } from './table.js';
import { many, plain } from './text.js';

const k_most_nodes = 60;
const k_most_rows = 300;
const k_box = { width: 160, height: 38 };
const k_gap = { x: 140, y: 24 };
const k_dip = 46; // below a component, for the edges that lead back
const k_margin = 28;
const k_turn = 18; // of an edge that leads back, beside its boxes

export const title = () => 'Wait-for graph';

export const load = () => read('graph');

// "a b" for each edge from a to b of a cycle.
function cycle_edges(cycles) {
  const found = new Set();
  for (const cycle of cycles) cycle.forEach((id, i) => found.add(`${id} ${cycle[(i + 1) % cycle.length]}`));
  return found;
}

// Edges of cycles first: where not all fit into the picture, those do.
function chosen_edges({ edges, cycles }) {
  const cyclic = cycle_edges(cycles);
  const is_cyclic = (edge) => cyclic.has(`${edge.from} ${edge.to}`);
  const marked = edges.map((edge) => ({ ...edge, cyclic: is_cyclic(edge) }));
  marked.sort((one, other) => Number(other.cyclic) - Number(one.cyclic));
  const { edges: lines, folded } = fold(marked);
  const nodes = new Set();
  const shown = [];
  for (const edge of lines) {
    const more = Number(!nodes.has(edge.from)) + Number(!nodes.has(edge.to));
    if (nodes.size + more > k_most_nodes) continue;
    nodes.add(edge.from).add(edge.to);
    shown.push(edge);
  }
  return { all: marked, shown, nodes: [...nodes], folded, left_out: lines.length - shown.length };
}

function cut(text, most) {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

// The end of a path says more than its beginning.
function cut_path(path, most) {
  const characters = [...path];
  return characters.length <= most ? path : `…${characters.slice(1 - most).join('')}`;
}

const left_of = ({ column }) => k_margin + column * (k_box.width + k_gap.x);
const middle_of = ({ row, top }) => top + row * (k_box.height + k_gap.y) + k_box.height / 2;

// From box to box: forward from side to side; back around the boxes, below all of the component.
function line_of(from, to) {
  const y1 = middle_of(from);
  const y2 = middle_of(to);
  if (to.column > from.column) {
    const x1 = left_of(from) + k_box.width;
    const x2 = left_of(to) - 8;
    const bend = Math.min(70, (x2 - x1) / 2);
    return { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, x: (x1 + x2) / 2, y: (y1 + y2) / 2 };
  }
  const right = left_of(from) + k_box.width;
  const left = left_of(to);
  const y = from.bottom + k_dip - 20;
  const d = `M${right} ${y1}h4q${k_turn - 4} 0 ${k_turn - 4} 12V${y - 12}q0 12 -12 12H${left - k_turn + 4}q-12 0 -12 -12` +
    `V${y2 + 12}q0 -12 12 -12H${left - 8}`;
  return { d, x: (left + right) / 2, y };
}

function draw_edge(edge, places) {
  const { d, x, y } = line_of(places.get(edge.from), places.get(edge.to));
  const style = edge.cyclic ? 'edge is-cycle' : 'edge';
  return svg('g', { class: style, 'data-key': `${edge.from} ${edge.to} ${edge.path}` },
    svg('path', { d, 'marker-end': edge.cyclic ? 'url(#arrow-cycle)' : 'url(#arrow)' }),
    svg('text', { x, y: y - 5, 'text-anchor': 'middle' }, svg('title', null, plain(edge.path)), cut_path(plain(edge.path), 20)));
}

// What stands in a node, and what is said of it in full.
function node_text(id, labels, folded) {
  const line = folded.get(id);
  if (!line) return { text: cut(labels(id), 21), hint: labels(id) };
  const hint = `${many(line.length, 'contender')} in line: ${line.slice(0, 10).map(labels).join('; ')}${line.length > 10 ? '; …' : ''}`;
  return { text: `${cut(labels(id), 15)} +${line.length - 1}`, hint, line: true };
}

function draw_node(id, { text, hint, line }, place, in_cycle) {
  const x = left_of(place);
  const y = middle_of(place) - k_box.height / 2;
  return svg('g', { class: in_cycle ? 'node is-cycle' : 'node', 'data-key': id },
    svg('title', null, hint),
    line ? svg('rect', { x: x + 4, y: y + 4, rx: 8, ...k_box }) : null,
    svg('rect', { x, y, rx: 8, ...k_box }),
    svg('text', { x: x + k_box.width / 2, y: y + k_box.height / 2 + 4, 'text-anchor': 'middle' }, text));
}

function arrow(id) {
  return svg('marker', { id, viewBox: '0 0 8 8', refX: 1, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto', markerUnits: 'userSpaceOnUse' },
    svg('path', { d: 'M0 0L8 4L0 8z' }));
}

// Components one below the other: {places: Map of id to {column, row, top, bottom}, width, height}.
function place_components(nodes, edges) {
  const places = new Map();
  let top = k_margin;
  let columns = 1;
  for (const component of components(nodes, edges)) {
    const found = layout(component.nodes, component.edges);
    const bottom = top + found.rows * (k_box.height + k_gap.y) - k_gap.y;
    for (const [id, place] of found.places) places.set(id, { ...place, top, bottom });
    const leads_back = component.edges.some(({ from, to }) => found.places.get(to).column <= found.places.get(from).column);
    columns = Math.max(columns, found.columns);
    top = bottom + k_gap.y + (leads_back ? k_dip : 8);
  }
  return { places, width: 2 * k_margin + columns * k_box.width + (columns - 1) * k_gap.x, height: top - k_gap.y + 12 };
}

function picture({ shown, nodes, folded }, labels, cyclic_nodes, summary) {
  const { places, width, height } = place_components(nodes, shown);
  return h('div', { class: 'picture is-wide', tabindex: '0', role: 'region', 'aria-label': 'Picture of the graph' },
    svg('svg', { class: 'graph', role: 'img', 'aria-label': `${summary} The table below says the same.`, width, height },
      svg('defs', null, arrow('arrow'), arrow('arrow-cycle')),
      // Those of cycles last, over the others.
      [...shown].reverse().map((edge) => draw_edge(edge, places)),
      nodes.map((id) => draw_node(id, node_text(id, labels, folded), places.get(id), cyclic_nodes.has(id)))));
}

function edge_table(edges, labels) {
  return table({
    caption: 'Who waits for whom',
    kind: 'is-plain',
    columns: [
      { title: 'Waits', class: 'col-first', cell: (edge) => h('bdi', null, labels(edge.from)) },
      { title: 'For', class: 'col-first', cell: (edge) => h('bdi', null, labels(edge.to)) },
      { title: 'Lock', class: 'col-long', cell: (edge) => h('a', { href: link_to('/lock', { path: edge.path, kind: edge.kind }), class: 'path' }, name(edge.path)) },
      { title: 'Cycle', cell: (edge) => (edge.cyclic ? h('span', { class: 'kind is-bad' }, 'in a cycle') : h('span', { class: 'muted' }, 'no')) },
    ],
    rows: edges,
    key: (edge) => `${edge.from} ${edge.to} ${edge.path}`,
    row_class: (edge) => (edge.cyclic ? 'is-bad' : null),
    empty: 'Nothing waits.',
  });
}

function cycle_list(cycles, labels) {
  if (!cycles.length) return null;
  return h('section', { class: 'card is-alarm', 'aria-labelledby': 'cycles-title' },
    h('h2', { id: 'cycles-title' }, many(cycles.length, 'cycle')),
    h('p', null, 'These wait for each other and none can go on. Release one of their locks, or end one of them.'),
    h('ol', { class: 'plain cycles' },
      cycles.map((cycle) =>
        h('li', { 'data-key': cycle.join(' ') },
          [...cycle, cycle[0]].flatMap((id, i) => [i ? h('span', { class: 'muted' }, ' waits for ') : null, h('bdi', { class: 'strong' }, labels(id))])))));
}

export function render(graph, context) {
  const { nodes, edges, cycles, truncated, meta } = graph;
  const known = new Map(nodes.map((node) => [node.id, plain(node.label) || plain(node.id)]));
  const labels = (id) => known.get(id) ?? plain(id);
  const chosen = chosen_edges(graph);
  const summary = `${many(nodes.length, 'contender')}, ${many(edges.length, 'wait')}, ${many(cycles.length, 'cycle')}.`;
  return [
    view_head({ title: 'Wait-for graph', meta, context, json: json_link('graph'), under: h('p', { class: 'muted figures' }, summary) }),
    cycle_list(cycles, labels),
    edges.length
      ? h('section', { class: 'card', 'aria-label': 'Picture' }, picture(chosen, labels, new Set(cycles.flat()), summary),
        chosen.left_out > 0 ? h('p', { class: 'muted note' }, `${many(chosen.left_out, 'wait')} more in the JSON.`) : null)
      : null,
    truncated ? h('p', { class: 'muted note' }, 'The server has cut the graph: there are more waits than it sends.') : null,
    h('section', { class: 'card is-list', 'aria-label': 'Table' }, edge_table(chosen.all.slice(0, k_most_rows), labels)),
    chosen.all.length > k_most_rows
      ? h('p', { class: 'muted note' }, `The first ${k_most_rows} of ${many(chosen.all.length, 'wait')}; all of them are in the JSON.`)
      : null,
  ];
}
