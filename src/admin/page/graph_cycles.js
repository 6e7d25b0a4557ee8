// SPDX-License-Identifier: Apache-2.0
// The locks of a cycle: the holder and the waiter of each lock, and the order in which the locks become free. Pure
// functions.

// Returns the edges of a cycle. In a cycle with the ids [a, b, c], a waits for b, b for c, and c for a.
function waits_of(cycle, edges) {
  return cycle.map((from, i) => {
    const to = cycle[(i + 1) % cycle.length];
    return edges.find((edge) => edge.from === from && edge.to === to) ?? { from, to, path: '', kind: '' };
  });
}

const same_lock = (one, other) => one.path === other.path && one.kind === other.kind;

// Returns the locks of a cycle in the order in which they become free, as [{path, kind, holder, waiter}]. A person
// releases the first lock. Its waiter gets that lock, continues, and releases the next lock, and so on. Several
// successive waits may be for the same lock. The result has this lock once, with the holder at the end of these waits.
export function release_order(cycle, edges) {
  const waits = waits_of(cycle, edges);
  const first = waits.findIndex((wait, i) => !same_lock(wait, waits[(i + waits.length - 1) % waits.length]));
  const turned = [...waits.slice(Math.max(first, 0)), ...waits.slice(0, Math.max(first, 0))];
  const locks = [];
  for (const wait of turned) {
    const last = locks.at(-1);
    if (last && same_lock(last, wait)) last.holder = wait.to;
    else locks.push({ path: wait.path, kind: wait.kind, holder: wait.to, waiter: wait.from });
  }
  const [head, ...rest] = locks;
  return [head, ...rest.reverse()];
}

// Returns a set with the text "FROM TO" for each wait of these cycles.
export function waits_in(cycles) {
  const found = new Set();
  for (const cycle of cycles) cycle.forEach((id, i) => found.add(`${id} ${cycle[(i + 1) % cycle.length]}`));
  return found;
}
