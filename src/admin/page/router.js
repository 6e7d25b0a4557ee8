// SPDX-License-Identifier: Apache-2.0
// Chooses the view for an address. Each view has its own address, which includes the search. So a user can send the
// address to a colleague, and the browser's back button works.
import * as audit from './audit.js';
import * as graph from './graph.js';
import * as lock from './lock.js';
import * as overview from './overview.js';
import * as servers from './servers.js';

export const k_sections = [
  { path: '/', title: 'Overview', view: overview },
  { path: '/graph', title: 'Wait-for graph', view: graph },
  { path: '/servers', title: 'Servers', view: servers },
  { path: '/audit', title: 'Audit log', view: audit },
];

const k_views = new Map([...k_sections.map(({ path, view }) => [path, view]), ['/lock', lock]]);

export function view_at(path) {
  return k_views.get(path) ?? null;
}

// True if a click on this link shows a view of this page. False if the click opens a new tab, or if the link leads to
// another address, such as /api, or to a position in the present view.
export function stays_here(event, link) {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  const address = new URL(link.href, window.location.href);
  if (link.getAttribute('href').startsWith('#')) return false; // a position in the present view
  return address.origin === window.location.origin && !link.target && view_at(address.pathname) !== null;
}
