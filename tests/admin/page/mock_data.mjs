// SPDX-License-Identifier: Apache-2.0
// Makes locks, queues and histories, all at one instant, in the form in which the page's server sends them.

export const k_now = Date.parse('2026-11-21T04:38:36.123Z');

export const iso = (ms) => new Date(ms).toISOString();

// number of contenders so far; each contender has a distinct session and sequence number
let made = 0;

// Makes a contender that has queued for `age_ms`.
export function contender(host, pid, label, age_ms, more = {}) {
  const sequence = 100 + ++made;
  const session = `0x10000${(0x5a00 + made).toString(16)}`;
  return {
    znode: `_c_${(made * 2654435761 % 0xffffffff).toString(16).padStart(8, '0')}-lock-${String(sequence).padStart(10, '0')}`,
    kind: 'mutex',
    position: 0,
    permits: 1,
    sequence,
    token: `0x5${(0xa0 + made).toString(16).padStart(8, '0')}`,
    session,
    created: iso(k_now - age_ms),
    host,
    pid: String(pid),
    thread: '1',
    label,
    owner: '',
    session_timeout_ms: '10000',
    take_at_most_ms: 25_000,
    text: '',
    age_ms,
    ...more,
  };
}

export function lock(path, kind, holders, waiters, permits = null) {
  return { path, kind, permits, holders, waiters, spans: [] };
}

// Returns a small random generator with a fixed seed, so that each run has the same history.
function dice(seed) {
  let state = seed;
  return (from, to) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from));
  };
}

const k_workers = [['web-1', 90, 'import'], ['web-1', 118, 'export'], ['web-2', 4711, 'nightly'], ['web-3', 77, 'import'],
  ['web-3', 2040, 'prices'], ['batch-1', 12, 'invoices']];

// Makes the history of workers that held the lock one after the other for ten minutes. `holder` has the last hold.
export function history(holder, seed = 7) {
  const roll = dice(seed);
  const spans = [];
  let end = Date.parse(holder.created) + Math.round(holder.age_ms * 0.4);
  spans.push({ ...holder, created: holder.created, from: iso(end), to: null, end: null });
  for (let i = 0; end > k_now - 600_000; ++i) {
    const [host, pid, label] = k_workers[(i * 4 + Math.floor(i / 3)) % k_workers.length];
    const to = end - roll(20, 300);
    const from = to - roll(1500, 22_000);
    const how = i % 4 === 1 ? 'unknown' : i === 11 ? 'taken' : 'released';
    const token = `0x5${(0x9f - i).toString(16).padStart(8, '0')}`;
    spans.push({ znode: `_c_${i}-lock-${1000 - i}`, host, pid: String(pid), label, token, created: iso(from - roll(800, 30_000)), from: iso(from),
      to: iso(to), end: how });
    end = from;
  }
  return spans.reverse();
}

export function distribution(counts, quantiles) {
  const bounds = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, null];
  const [p50, p90, p99, max] = quantiles;
  return {
    count: counts.reduce((sum, each) => sum + each, 0),
    p50, p90, p99, max,
    buckets: bounds.map((le_ms, i) => ({ le_ms, count: counts[i] ?? 0 })),
  };
}

function orders() {
  const holder = contender('web-2', 4711, 'nightly', 31_000);
  const queue = [['web-1', 90, 'import', 24_400], ['web-3', 77, 'import', 21_100], ['batch-1', 12, 'invoices', 12_700],
    ['web-1', 118, 'export', 8_300], ['web-3', 2040, 'prices', 2_900], ['batch-2', 31, '', 1_200]];
  const found = lock('/locks/orders', 'mutex', [holder], queue.map((each) => contender(...each)));
  found.spans = history(holder);
  found.distributions = {
    hold_ms: distribution([0, 0, 3, 9, 22, 41, 60, 88, 121, 96, 31, 4], [2600, 9800, 19_700, 41_000]),
    wait_ms: distribution([14, 8, 12, 20, 31, 38, 52, 70, 84, 75, 58, 13], [1900, 14_200, 31_000, 62_000]),
  };
  return found;
}

export function scene_locks() {
  made = 0;
  const mutex = (path, holder, ...waiters) => lock(path, 'mutex', [contender(...holder)], waiters.map((each) => contender(...each)));
  return [
    orders(),
    lock('/locks/prices', 'shared_mutex',
      [contender('web-1', 90, 'report', 3_400, { kind: 'reader' }), contender('web-2', 4711, 'report', 2_900, { kind: 'reader' })],
      [contender('batch-1', 12, 'new prices', 2_100, { kind: 'writer' }), contender('web-3', 77, 'report', 900, { kind: 'reader' })]),
    lock('/locks/gpu', 'semaphore',
      ['gpu-1', 'gpu-2', 'gpu-3', 'gpu-4', 'gpu-5'].map((host, i) => contender(host, 812 + i, 'train', 7_300_000 - 911_000 * i, { kind: 'permit' })),
      [contender('gpu-6', 80, 'train', 340_000, { kind: 'permit' })], 5),
    lock('/election/scheduler', 'latch', [contender('ops-1', 402, 'scheduler', 518_400_000 + 7_200_000)],
      [contender('ops-2', 377, 'scheduler', 432_000_000), contender('ops-3', 95, 'scheduler', 86_400_000)]),
    mutex('/locks/shop/stock/berlin', ['web-4', 1902, 'reserve', 640], ['web-1', 90, 'reserve', 410], ['web-2', 51, 'reserve', 230]),
    mutex('/locks/shop/stock/hamburg', ['web-2', 51, 'reserve', 180], ['web-4', 1902, 'reserve', 90]),
    mutex('/jobs/report', ['batch-1', 12, 'report', 921_000]),
    mutex('/jobs/backup', ['batch-2', 31, 'pg_dump shop', 4_460_000]),
    mutex('/locks/shop/catalogue', ['web-3', 2040, 'prices', 5_200]),
    lock('/legacy/celery-beat', 'kazoo', [contender('', '', '', 71_000, { text: 'beat@legacy-1' })], []),
  ];
}

export function scene_graph() {
  const nodes = ['web-1 pid 90', 'web-2 pid 4711', 'batch-1 pid 12', 'web-3 pid 77', 'web-4 pid 1902', 'batch-2 pid 31', 'web-2 pid 51', 'web-5 pid 8', 'web-6 pid 8', 'web-7 pid 8']
    .map((label, i) => ({ id: `o${i + 1}`, label, host: label.split(' ')[0], pid: label.split(' ')[2], said: '' }));
  const edge = (from, to, path) => ({ from: `o${from}`, to: `o${to}`, path, kind: path === '/locks/prices' ? 'shared_mutex' : 'mutex', confirmed: true });
  return {
    nodes,
    edges: [edge(1, 2, '/locks/orders'), edge(2, 3, '/locks/prices'), edge(3, 1, '/locks/invoices'), edge(4, 2, '/locks/orders'),
      edge(5, 7, '/locks/shop/stock/hamburg'), edge(7, 5, '/locks/shop/stock/berlin'), edge(6, 4, '/locks/shop/catalogue'), edge(8, 4, '/jobs/report'),
      edge(9, 8, '/jobs/report'), edge(10, 9, '/jobs/report')],
    cycles: [['o1', 'o2', 'o3'], ['o5', 'o7']],
    possible: [],
    truncated: false,
  };
}

export function scene_audit() {
  const entry = (seconds, action, path, who, why, outcome, message = '') => ({ time: iso(k_now - seconds * 1000), action, path, kind: 'mutex',
    znode: path ? '_c_9f2b-lock-0000000042' : '', user: who, who, why, from: '10.0.4.17', outcome, message, times: path ? 1 : 7 });
  return [
    entry(190, 'take', '/locks/orders', 'ada', 'stuck since noon, ticket 4812', 'deleted'),
    entry(260, 'ask', '/locks/orders', 'ada', 'stuck since noon, ticket 4812', 'asked'),
    entry(4_000, 'ask', '/jobs/backup', 'grace', 'deployment of 4.2', 'asked'),
    entry(9_300, 'take', '/locks/shop/catalogue', 'grace', 'deployment of 4.2', 'gave_way'),
    entry(9_900, 'sign_in_failed', '', '', '', 'refused', 'wrong password or token'),
  ];
}

export const scene_servers = () => [
  { address: 'zk1.example:2181', role: 'follower', reachable: true, version: '3.9.3', latency_ms: 0.6, connections: 41, problem: null },
  { address: 'zk2.example:2181', role: 'leader', reachable: true, version: '3.9.3', latency_ms: 0.4, connections: 38, problem: null },
  { address: 'zk3.example:2181', role: 'unknown', reachable: false, version: null, latency_ms: null, connections: null, problem: 'connection refused' },
];

// Returns `number` locks. Every tenth lock has waiters, and a hundred locks have hundreds of waiters.
export function many_locks(number) {
  const all = [];
  for (let i = 0; i < number; ++i) {
    const waiting = i % 100 === 0 ? 900 : i % 10 === 0 ? 3 : 0;
    const found = lock(`/locks/shard-${String(i % 64).padStart(2, '0')}/item-${String(i).padStart(5, '0')}`, 'mutex',
      [contender(`web-${i % 40}`, 1000 + i, 'reserve', 1000 + (i * 37) % 90_000)],
      Array.from({ length: Math.min(waiting, 3) }, (_, n) => contender(`web-${(i + n) % 40}`, 2000 + n, 'reserve', 900 - n * 100)));
    found.waiting = waiting;
    all.push(found);
  }
  return all;
}
