// SPDX-License-Identifier: Apache-2.0
// Places for the nodes of a wait-for graph: waiters left of what they wait for. Pure.
//
// Layers by the longest path, edges that close a cycle left out; then each layer is ordered by where its neighbours
// stand (barycentres), which leaves few crossings.

const k_sweeps = 6;

// The edges without those that lead back to a node of the path they are found on.
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
  // A path has at most as many edges as there are nodes.
  for (let round = 0; round < ids.length; ++round) {
    let changed = false;
    for (const { from, to } of edges)
      if (depth.get(to) <= depth.get(from)) {
        depth.set(to, depth.get(from) + 1);
        changed = true;
      }
    if (!changed) break;
  }
  // A waiter stands right before the first that it waits for.
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

// The parts of the graph that have no edge between them, in the order of their first nodes: [{nodes, edges}].
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

// {places: Map of id to {column, row}, columns, rows}: rows count from 0, and may be halves.
export function layout(ids, edges) {
  const forward = without_back_edges(ids, edges);
  const layers = layers_of(ids, forward);
  const row = order(layers, edges);
  const rows = Math.max(1, ...layers.map((layer) => layer.length));
  const places = new Map();
  layers.forEach((layer, column) => layer.forEach((id) => places.set(id, { column, row: row.get(id) + (rows - 1) / 2 })));
  return { places, columns: layers.length, rows };
}
