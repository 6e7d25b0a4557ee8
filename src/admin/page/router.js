// SPDX-License-Identifier: Apache-2.0
// Which view an address shows. Every view has an address of its own, with what was searched for in it, so that it can
// be sent to a colleague and the browser's back button works.
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

// Whether a click on this link stays in the page: no new tab, no download, no address of the interface.
export function stays_here(event, link) {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  const address = new URL(link.href, window.location.href);
  if (link.getAttribute('href').startsWith('#')) return false; // a place in what is shown
  return address.origin === window.location.origin && !link.target && view_at(address.pathname) !== null;
}
