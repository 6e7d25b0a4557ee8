// SPDX-License-Identifier: Apache-2.0
// The picture of a wait-for graph: boxes in columns from left to right, or in layers from top to bottom on a narrow
// screen. A label is between two columns or layers, where no box is, and overlaps no other label.
import { h, svg } from './dom.js';
import { components, layout } from './graph_layout.js';
import { many, plain } from './text.js';

const k_narrow = 640; // in pixels: in a narrower picture, layers go from top to bottom
const k_margin = 10;
const k_label = { most: 18, character: 6.7, height: 15 };
const k_arrow = 9;
const k_lane = 18; // pixels between two edges that lead back
const k_least_scale = 0.72; // smaller text is not readable
const k_across = { box: { width: 150, height: 44 }, apart: 18, way: 26 };
const k_down = { box: { width: 132, height: 44 }, apart: 14, way: 22 };

function cut_end(text, most) {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

// Cuts a long name in its middle: host names differ at their ends as often as at their beginnings.
function cut_middle(text, most) {
  const characters = [...text];
  if (characters.length <= most) return text;
  const front = Math.ceil((most - 1) / 2);
  return `${characters.slice(0, front).join('')}…${characters.slice(characters.length - (most - 1 - front)).join('')}`;
}

// Cuts the beginning of a long path: its end identifies the lock better.
function cut_path(path) {
  const characters = [...path];
  return characters.length <= k_label.most ? path : `…${characters.slice(1 - k_label.most).join('')}`;
}

const width_of = (text) => [...text].length * k_label.character;

// Places the boxes and edges of one component in columns and rows, for both directions of the picture.
function component_of({ nodes, edges }) {
  const found = layout(nodes, edges);
  const back = edges.filter(({ from, to }) => found.places.get(to).column <= found.places.get(from).column);
  const forward = edges.filter((edge) => !back.includes(edge));
  const labels = Array.from({ length: found.columns }, () => []); // the labels in the gap behind each column
  for (const edge of forward) labels[found.places.get(edge.from).column].push(edge);
  return { ...found, nodes, forward, back, labels };
}

const number = (value) => Number(value.toFixed(1));

// Draws the layers as columns, from left to right.
class across {
  constructor(part, top) {
    const { box, apart, way } = k_across;
    Object.assign(this, { part, top, box });
    this.step = box.height + apart;
    const lanes = part.back.length ? k_lane : 0;
    this.left = [k_margin + lanes];
    this.gaps = part.labels.map((edges) => Math.max(56, ...edges.map((edge) => width_of(cut_path(plain(edge.path))) + way + k_arrow)) + 2 * lanes);
    for (let i = 1; i < part.columns; ++i) this.left.push(this.left[i - 1] + box.width + this.gaps[i - 1]);
    this.bottom = top + part.rows * this.step - apart;
    this.width = this.left.at(-1) + box.width + k_margin + lanes;
    this.end = this.bottom + (part.back.length ? part.back.length * k_lane + 12 : 0);
    this.lanes = lanes;
  }

  corner({ column, row }) {
    return { x: this.left[column], y: this.top + row * this.step };
  }

  middle({ row }) {
    return this.top + row * this.step + this.box.height / 2;
  }

  forward(edge) {
    const stops = [this.part.places.get(edge.from), ...this.part.routes.get(edge), this.part.places.get(edge.to)];
    const parts = [];
    stops.slice(1).forEach((stop, i) => {
      const before = stops[i];
      const x1 = this.left[before.column] + this.box.width;
      const x2 = this.left[stop.column] - (i === stops.length - 2 ? k_arrow : 0);
      const [y1, y2] = [this.middle(before), this.middle(stop)];
      const bend = Math.min(60, (x2 - x1) / 2);
      parts.push(i ? `H${x1}` : `M${x1} ${y1}`, `C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
    });
    return parts.join('');
  }

  back(edge, lane) {
    const from = this.part.places.get(edge.from);
    const to = this.part.places.get(edge.to);
    const right = this.left[from.column] + this.box.width;
    const left = this.left[to.column];
    const y = this.bottom + (lane + 1) * k_lane;
    const d = `M${right} ${this.middle(from)}h4q8 0 8 8V${y - 8}q0 8 -8 8H${left - 10}q-8 0 -8 -8V${this.middle(to) + 8}q0 -8 8 -8H${left - k_arrow}`;
    return { d, x: (right + left) / 2, y: y - 4 };
  }

  // Places the labels in the gap after this column: each label beside its edge, and below the previous label.
  labels(column) {
    const x = this.left[column] + this.box.width + (this.gaps[column] - k_arrow) / 2;
    const wanted = this.part.labels[column].map((edge) => {
      const [next = this.part.places.get(edge.to)] = this.part.routes.get(edge);
      return { edge, x, y: (this.middle(this.part.places.get(edge.from)) + this.middle(next)) / 2 - 5 };
    });
    wanted.sort((one, other) => one.y - other.y);
    for (let i = 1; i < wanted.length; ++i) wanted[i].y = Math.max(wanted[i].y, wanted[i - 1].y + k_label.height);
    return wanted;
  }
}

// Draws the layers as rows, from top to bottom.
class down {
  constructor(part, top) {
    const { box, apart, way } = k_down;
    Object.assign(this, { part, box });
    this.step = box.width + apart;
    const rows_end = k_margin + part.rows * this.step - apart;
    this.width = rows_end + k_margin + part.back.length * k_lane;
    this.rows_end = rows_end;
    this.lines = part.labels.map((edges, column) => this.label_lines(edges, column));
    this.tops = [top + (part.back.length ? way : 0)];
    for (let i = 0; i < part.columns; ++i)
      this.tops.push(this.tops[i] + box.height + way + k_arrow + Math.max(...this.lines[i].map(({ line }) => line + 1), 0) * k_label.height);
    this.end = this.tops[part.columns] - way + (part.back.length ? k_label.height : -k_arrow);
  }

  centre({ row }) {
    return k_margin + row * this.step + this.box.width / 2;
  }

  corner({ column, row }) {
    return { x: k_margin + row * this.step, y: this.tops[column] };
  }

  // Distributes the labels in the gap after this layer over several lines of text, so that no label overlaps another.
  label_lines(edges, column) {
    const ends = [];
    const back = this.part.back.filter((edge) => this.part.places.get(edge.from).column === column);
    const wanted = [...edges, ...back].map((edge) => {
      const from = this.part.places.get(edge.from);
      const [next = this.part.places.get(edge.to)] = this.part.routes.get(edge);
      const width = width_of(cut_path(plain(edge.path)));
      const middle = back.includes(edge) ? this.centre(from) : (this.centre(from) + this.centre(next)) / 2;
      return { edge, width, x: Math.min(Math.max(middle, k_margin + width / 2), Math.max(this.width - width / 2 - 4, k_margin + width / 2)) };
    });
    wanted.sort((one, other) => one.x - other.x);
    for (const each of wanted) {
      const left = each.x - each.width / 2;
      const free = ends.findIndex((end) => end + 6 <= left);
      each.line = free < 0 ? ends.length : free;
      ends[each.line] = left + each.width;
    }
    return wanted;
  }

  forward(edge) {
    const stops = [this.part.places.get(edge.from), ...this.part.routes.get(edge), this.part.places.get(edge.to)];
    const parts = [];
    stops.slice(1).forEach((stop, i) => {
      const before = stops[i];
      const y1 = this.tops[before.column] + this.box.height;
      const y2 = this.tops[stop.column] - (i === stops.length - 2 ? k_arrow : 0);
      const [x1, x2] = [this.centre(before), this.centre(stop)];
      const bend = (y2 - y1) / 2;
      parts.push(i ? `V${y1}` : `M${x1} ${y1}`, `C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`);
    });
    return parts.join('');
  }

  back(edge, lane) {
    const from = this.part.places.get(edge.from);
    const to = this.part.places.get(edge.to);
    const x = this.rows_end + 6 + lane * k_lane;
    const [x1, x2] = [this.centre(from), this.centre(to)];
    const y1 = this.tops[from.column] + this.box.height;
    const y2 = this.tops[to.column];
    return { d: `M${x1} ${y1}v2q0 6 6 6H${x - 6}q6 0 6 -6V${y2 - 14}q0 -6 -6 -6H${x2 + 6}q-6 0 -6 6V${y2 - k_arrow}` };
  }

  labels(column) {
    const top = this.tops[column] + this.box.height + 20;
    return this.lines[column].map(({ edge, x, line }) => ({ edge, x, y: top + line * k_label.height }));
  }
}

function draw_label(edge, x, y) {
  return svg('text', { class: `edge-label ${edge.style}`, x: number(x), y: number(y), 'text-anchor': 'middle', 'data-key': `${edge.from} ${edge.to} ${edge.path}` },
    svg('title', null, plain(edge.path)), cut_path(plain(edge.path)));
}

function draw_edge(edge, d) {
  return svg('path', { class: `edge ${edge.style}`, d, 'marker-end': `url(#arrow${edge.style ? `-${edge.style}` : ''})`,
    'data-key': `${edge.from} ${edge.to} ${edge.path}` });
}

// A box shows the host, and below it pid and label. The pid is never cut.
function box_text(node, line, most) {
  const more = line ? ` +${line.length - 1}` : '';
  if (!node.host) return [cut_middle(plain(node.label || node.id), most - more.length) + more, ''];
  const pid = node.pid ? `pid ${plain(node.pid)}` : '';
  const label = plain(node.said ?? '');
  const below = [pid, label].filter(Boolean).join(' · ');
  return [cut_middle(plain(node.host), most - more.length) + more, cut_end(below, Math.max(most + 2, [...pid].length))];
}

function draw_node(node, line, { x, y }, box, style) {
  const most = Math.floor((box.width - 14) / 7.4);
  const [above, below] = box_text(node, line, most);
  const text = plain(node.label || node.id);
  const hint = line ? `${text}, and ${many(line.length - 1, 'contender')} in line behind it` : text;
  const middle = x + box.width / 2;
  return svg('g', { class: `node ${style}`, 'data-key': node.id },
    svg('title', null, hint),
    line ? svg('rect', { x: number(x + 4), y: number(y + 4), rx: 8, ...box }) : null,
    svg('rect', { class: 'front', x: number(x), y: number(y), rx: 8, ...box }),
    svg('text', { x: number(middle), y: number(y + (below ? 18 : 26)), 'text-anchor': 'middle' }, above),
    below ? svg('text', { class: 'below', x: number(middle), y: number(y + 34), 'text-anchor': 'middle' }, below) : null);
}

function arrow(style) {
  return svg('marker', { id: `arrow${style ? `-${style}` : ''}`, class: style, viewBox: '0 0 8 8', refX: 1, refY: 4, markerWidth: 8,
    markerHeight: 8, orient: 'auto', markerUnits: 'userSpaceOnUse' }, svg('path', { d: 'M0 0L8 4L0 8z' }));
}

// Returns the picture. edges: [{from, to, path, style}]; nodes: ids; known: id => {id, label, host, pid, said}; folded:
// Map of a node's id to the ids of the waiters that this node represents; style_of: id => class; room: the width in
// pixels.
export function picture({ edges, nodes, folded }, { known, style_of, room, summary }) {
  const orientation = room < k_narrow ? down : across;
  const drawn = { edges: [], labels: [], nodes: [] };
  let top = k_margin;
  let width = 0;
  for (const component of components(nodes, edges)) {
    const part = component_of(component);
    const placed = new orientation(part, top);
    part.forward.forEach((edge) => drawn.edges.push(draw_edge(edge, placed.forward(edge))));
    part.back.forEach((edge, lane) => {
      const { d, x, y } = placed.back(edge, lane);
      drawn.edges.push(draw_edge(edge, d));
      if (x !== undefined) drawn.labels.push(draw_label(edge, x, y));
    });
    for (let column = 0; column < part.columns; ++column)
      for (const { edge, x, y } of placed.labels(column)) drawn.labels.push(draw_label(edge, x, y));
    for (const id of component.nodes)
      drawn.nodes.push(draw_node(known(id), folded.get(id), placed.corner(part.places.get(id)), placed.box, style_of(id)));
    top = placed.end + 30;
    width = Math.max(width, placed.width);
  }
  const height = top - 14;
  const scale = Math.max(k_least_scale, Math.min(1, room / width));
  return h('div', { class: 'picture is-wide', tabindex: '0', role: 'region', 'aria-label': 'Picture of the graph' },
    svg('svg', { class: 'graph', role: 'img', 'aria-label': `${summary} The table below shows the same data.`, viewBox: `0 0 ${number(width)} ${number(height)}`,
      width: Math.floor(width * scale), height: Math.ceil(height * scale) },
    svg('defs', null, ['', 'is-cycle', 'is-possible'].map(arrow)), drawn.edges.reverse(), drawn.nodes, drawn.labels));
}
