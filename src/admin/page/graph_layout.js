// SPDX-License-Identifier: Apache-2.0
// Computes the positions of a wait-for graph's nodes. A waiter is left of the node that it waits for. Pure functions.
//
// The longest path to a node decides its layer; edges that close a cycle do not count. The average position of a node's
// neighbours (barycentre) decides its position in the layer, which leaves few crossings. A long edge takes a position
// in each layer that it crosses, so that no box covers it.

const k_sweeps = 6;

// Returns the edges of the graph without the edges that close a cycle.
function without_back_edges(ids, edges) {
  const next = new Map(ids.map((id) => [id, []]));
  for (const edge of edges) next.get(edge.from).push(edge);
  const state = new Map();
  const kept = [];
  for (const start of ids) {
    if (state.has(start)) continue;
    const path = [{ id: start, i: 0 }];
    state.set(start, 'open');
    while (path.length) {
      const top = path[path.length - 1];
      const edge = next.get(top.id)[top.i++];
      if (!edge) {
        state.set(top.id, 'done');
        path.pop();
      } else if (state.get(edge.to) !== 'open') {
        kept.push(edge);
        if (!state.has(edge.to)) {
          state.set(edge.to, 'open');
          path.push({ id: edge.to, i: 0 });
        }
      }
    }
  }
  return kept;
}

function layers_of(ids, edges) {
  const depth = new Map(ids.map((id) => [id, 0]));
  // No path has more edges than the graph has nodes, so this number of rounds is enough.
  for (let round = 0; round < ids.length; ++round) {
    let changed = false;
    for (const { from, to } of edges)
      if (depth.get(to) <= depth.get(from)) {
        depth.set(to, depth.get(from) + 1);
        changed = true;
      }
    if (!changed) break;
  }
  // A node for which no other node waits moves to the layer just before the nearest node that it waits for.
  for (const id of ids) {
    const targets = edges.filter((edge) => edge.from === id).map((edge) => depth.get(edge.to));
    if (targets.length && !edges.some((edge) => edge.to === id)) depth.set(id, Math.min(...targets) - 1);
  }
  const layers = [];
  for (const id of ids) (layers[depth.get(id)] ??= []).push(id);
  return layers.filter(Boolean);
}

function order(layers, edges) {
  const row = new Map();
  const number_rows = (layer) => layer.forEach((id, i) => row.set(id, i - (layer.length - 1) / 2));
  layers.forEach(number_rows);
  const centre = (id) => {
    const rows = edges.filter((edge) => edge.from === id || edge.to === id).map((edge) => row.get(edge.from === id ? edge.to : edge.from));
    return rows.length ? rows.reduce((sum, each) => sum + each, 0) / rows.length : row.get(id);
  };
  for (let sweep = 0; sweep < k_sweeps; ++sweep)
    for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
      const centres = new Map(layer.map((id) => [id, centre(id)]));
      layer.sort((one, other) => centres.get(one) - centres.get(other));
      number_rows(layer);
    }
  return row;
}

// Returns the connected parts of the graph, in the order of their first nodes: [{nodes, edges}].
export function components(ids, edges) {
  const part = new Map();
  const neighbours = new Map(ids.map((id) => [id, []]));
  for (const { from, to } of edges) {
    neighbours.get(from).push(to);
    neighbours.get(to).push(from);
  }
  const found = [];
  for (const start of ids) {
    if (part.has(start)) continue;
    const nodes = [start];
    part.set(start, found.length);
    for (let i = 0; i < nodes.length; ++i)
      for (const next of neighbours.get(nodes[i]))
        if (!part.has(next)) {
          part.set(next, found.length);
          nodes.push(next);
        }
    found.push(nodes);
  }
  return found.map((nodes, i) => ({ nodes, edges: edges.filter((edge) => part.get(edge.from) === i) }));
}

// Gives each long edge a position in every layer that the edge crosses. Returns {layers, edges, routes: Map of an edge
// to these positions}.
function with_passages(layers, edges) {
  const column = new Map(layers.flatMap((layer, i) => layer.map((id) => [id, i])));
  const wider = layers.map((layer) => [...layer]);
  const parts = [];
  const routes = new Map();
  for (const edge of edges) {
    const passages = [];
    for (let i = column.get(edge.from) + 1; i < column.get(edge.to); ++i) {
      const id = Symbol('passage');
      wider[i].push(id);
      passages.push(id);
    }
    routes.set(edge, passages);
    const way = [edge.from, ...passages, edge.to];
    for (let i = 1; i < way.length; ++i) parts.push({ from: way[i - 1], to: way[i] });
  }
  return { layers: wider, edges: parts, routes };
}

// Returns {places, routes, columns, rows}. `places` is a Map of id to {column, row}; rows count from 0 and may be halves.
// `routes` is a Map of an edge to its positions in the layers that it crosses. The route of an edge that leads back to
// the same or an earlier column is empty. `columns` and `rows` are the numbers of columns and rows.
export function layout(ids, edges) {
  const all = with_passages(layers_of(ids, without_back_edges(ids, edges)), edges);
  const row = order(all.layers, all.edges);
  const rows = Math.max(1, ...all.layers.map((layer) => layer.length));
  const known = new Map();
  all.layers.forEach((layer, column) => layer.forEach((id) => known.set(id, { column, row: row.get(id) + (rows - 1) / 2 })));
  const places = new Map(ids.map((id) => [id, known.get(id)]));
  const routes = new Map(edges.map((edge) => [edge, all.routes.get(edge).map((id) => known.get(id))]));
  return { places, routes, columns: all.layers.length, rows };
}
