// SPDX-License-Identifier: Apache-2.0
// The view of the ZooKeeper servers, of this program's session with them, and of its requests.
import { read } from './api.js';
import { h, name } from './dom.js';
import { json_link, view_head } from './parts.js';
import { table } from './table.js';
import { count, duration, many, plain, precise } from './text.js';

export const title = () => 'Servers';

export async function load() {
  const overview = await read('overview');
  return { overview, meta: overview.meta };
}

function health(server) {
  if (!server.reachable) return ['is-lost', 'no answer'];
  return server.problem ? ['is-stale', 'trouble'] : ['is-live', 'answers'];
}

function health_mark(server) {
  const [style, text] = health(server);
  return h('span', { class: `dot ${style}`, role: 'img', 'aria-label': text });
}

function session_text(session) {
  return [
    plain(session.state), ' ', h('span', { class: 'mono muted' }, plain(session.id)),
    session.timeout_ms ? h('span', { class: 'muted' }, `, timeout ${duration(session.timeout_ms)}`) : null,
  ];
}

// Rounds a rate, which the server sends with all its decimals.
const rate = (number) => `${Number(number ?? 0).toLocaleString('en-US', { maximumFractionDigits: 1 })} a second`;

// Returns the short list of servers, which the overview shows beside the locks.
export function server_list({ servers, session, requests, watchers }) {
  return [
    h('ul', { class: 'servers plain' },
      servers.map((server) =>
        h('li', { 'data-key': server.address },
          health_mark(server),
          name(server.address, { class: 'mono address' }),
          h('span', { class: 'kind' }, server.reachable ? plain(server.role) : 'no answer'),
          h('span', { class: 'line muted' }, server.problem ? name(server.problem) : figures_of(server))),
      )),
    h('dl', { class: 'facts' },
      h('dt', null, 'Session'), h('dd', null, session_text(session)),
      h('dt', null, 'Requests'), h('dd', { class: 'figures' }, rate(requests.per_second)),
      h('dt', null, 'Browsers'), h('dd', { class: 'figures' }, many(watchers, 'open stream'))),
  ];
}

function figures_of({ latency_ms, connections }) {
  const parts = [];
  if (latency_ms !== null && latency_ms !== undefined) parts.push(`latency ${precise(latency_ms)}`);
  if (connections !== null && connections !== undefined) parts.push(many(connections, 'connection'));
  return parts.join(', ');
}

const k_columns = [
  { title: 'Server', class: 'col-first', cell: (server) => [health_mark(server), name(server.address, { class: 'mono' })] },
  { title: 'Role', cell: (server) => h('span', { class: 'kind' }, plain(server.role)) },
  { title: 'Health', cell: (server) => health(server)[1] },
  { title: 'Version', cell: (server) => h('span', { class: 'mono' }, plain(server.version ?? '–')) },
  { title: 'Latency', class: 'figures', cell: (server) => precise(server.latency_ms) },
  { title: 'Connections', class: 'figures', cell: (server) => (server.connections === null ? '–' : count(server.connections)) },
  { title: 'Problem', class: 'col-long', cell: (server) => (server.problem ? name(server.problem) : h('span', { class: 'muted' }, 'none')) },
];

export function render({ overview, meta }, context) {
  const { servers, session, requests, watchers } = overview;
  return [
    view_head({ title: 'Servers', meta, context, json: json_link('overview') }),
    h('section', { class: 'card is-list', 'aria-label': 'Servers' },
      table({
        caption: 'ZooKeeper servers',
        kind: 'is-plain',
        columns: k_columns,
        rows: servers,
        key: (server) => server.address,
        empty: 'No server is named in the connect string.',
      })),
    h('section', { class: 'card', 'aria-labelledby': 'program-title' },
      h('h2', { id: 'program-title' }, 'This program'),
      h('dl', { class: 'facts is-wide' },
        h('dt', null, 'Session'), h('dd', null, session_text(session)),
        h('dt', null, 'Requests to the servers'),
        h('dd', { class: 'figures' }, `${count(requests.total)} since the start, ${rate(requests.per_second)}`),
        h('dt', null, 'Browsers that show this page'), h('dd', { class: 'figures' }, many(watchers, 'open stream')),
        h('dt', null, 'Forced releases'),
        h('dd', null, overview.read_only ? 'refused: started without --allow-changes' : 'possible, and written to the audit log'))),
  ];
}
