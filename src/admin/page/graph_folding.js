// SPDX-License-Identifier: Apache-2.0
// Shows a long queue as one node. Each waiter waits for the waiter ahead, so a queue of 900 would be a path of 900
// nodes that shows nothing but its length. Pure functions.

const k_shortest = 3;

// edges: [{from, to, path, cyclic}]. Returns {edges, folded}: `folded` maps a node that represents several waiters to
// the ids of these waiters, from the front of the queue. Nodes of cycles, and nodes at which queues meet, are not
// folded.
export function fold(edges) {
  const out = new Map();
  const into = new Map();
  for (const edge of edges) {
    out.set(edge.from, [...(out.get(edge.from) ?? []), edge]);
    into.set(edge.to, [...(into.get(edge.to) ?? []), edge]);
  }
  // True if the node waits for exactly one other node, and if at most one node waits for this node, at the same lock.
  const is_in_line = (id) => {
    const [ahead, ...others] = out.get(id) ?? [];
    const behind = into.get(id) ?? [];
    if (!ahead || others.length || behind.length > 1 || ahead.cyclic) return false;
    return behind.every((edge) => edge.path === ahead.path && !edge.cyclic);
  };
  const stands_for = new Map();
  const folded = new Map();
  for (const edge of edges) {
    if (!is_in_line(edge.from) || is_in_line(edge.to)) continue;
    const line = [edge.from];
    for (let [behind] = into.get(edge.from) ?? []; behind && is_in_line(behind.from); [behind] = into.get(behind.from) ?? [])
      line.push(behind.from);
    if (line.length < k_shortest) continue;
    folded.set(edge.from, line);
    for (const id of line) stands_for.set(id, edge.from);
  }
  const node = (id) => stands_for.get(id) ?? id;
  const kept = edges.map((edge) => ({ ...edge, from: node(edge.from), to: node(edge.to) })).filter(({ from, to }) => from !== to);
  return { edges: kept, folded };
}
