// SPDX-License-Identifier: Apache-2.0
// The frame around each view: sections, badge, colours, sign-out, the notice, and the footer.
import { change, me } from './api.js';
import { h, name, show, svg } from './dom.js';
import { k_sections } from './router.js';
import { clock, plain } from './text.js';

const place = (id) => document.getElementById(id);

export function draw_sections(path) {
  const present = path === '/lock' ? '/' : path;
  show(
    place('sections'),
    k_sections.map(({ path: target, title }) =>
      h('a', { href: target, 'data-key': target, 'aria-current': target === present ? 'page' : null }, title),
    ),
  );
}

const k_sun =
  'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M4.9 4.9l1.8 1.8M17.3 17.3l1.8 1.8' +
  'M4.9 19.1l1.8-1.8M17.3 6.7l1.8-1.8';
const k_moon = 'M20 14.2A8.2 8.2 0 0 1 9.8 4 8.3 8.3 0 1 0 20 14.2z';

function is_dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
}

function turn_colours(context) {
  const theme = is_dark() ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
  try {
    window.localStorage.setItem('turnstile.theme', theme);
  } catch {
    // The browser may forbid storage. The choice of colours then lasts for this visit.
  }
  context.draw();
}

function colour_switch(context) {
  const dark = is_dark();
  return h(
    'button',
    {
      type: 'button',
      class: 'icon-button',
      role: 'switch',
      'aria-checked': String(dark),
      'aria-label': 'Dark colours',
      title: dark ? 'Light colours' : 'Dark colours',
      onclick: () => turn_colours(context),
    },
    svg('svg', { viewBox: '0 0 24 24', width: 18, height: 18, 'aria-hidden': 'true', class: 'icon' },
      svg('path', { d: dark ? k_sun : k_moon })),
  );
}

function badge() {
  const { must_sign_in, signed_in, user, shared, role, read_only } = me();
  if (must_sign_in && !signed_in) return null;
  if (user && !shared && !read_only)
    return h('span', { class: role === 'look' ? 'badge' : 'badge is-warm', title: `You may ${plain(role)}` }, name(user), ` · ${plain(role)}`);
  return read_only
    ? h('span', { class: 'badge', title: 'The server refuses changes: it was started without --allow-changes' }, 'read-only')
    : h('span', { class: 'badge is-warm', title: 'Forced releases are possible' }, 'changes allowed');
}

function sign_out_button(context) {
  if (!me().sign_out) return null;
  const leave = async () => {
    await change('sign-out').catch(() => {});
    await context.sign_in();
  };
  return h('button', { type: 'button', class: 'button is-quiet', onclick: leave }, 'Sign out');
}

export function draw_tools(context) {
  show(place('tools'), [badge(), sign_out_button(context), colour_switch(context)]);
}

// Draws the notice over the page's lower edge, so that nothing moves when the notice appears or disappears.
export function draw_notice({ stream, stale, as_of }) {
  const shown = as_of ? ` This page shows the locks as of ${clock(as_of)}.` : '';
  let text = null;
  if (stream === 'lost') text = `No connection to turnstile serve: trying again.${shown}`;
  else if (stale) text = `The ZooKeeper servers do not answer.${shown}`;
  show(place('notice'), text ? h('p', { class: 'notice' }, text) : null);
}

export function draw_foot() {
  const { version, servers } = me();
  show(place('foot'), [
    h('p', null, version ? `Turnstile ${version}` : 'Turnstile', servers ? [' · ', name(servers, { class: 'mono' })] : null),
    h('p', null,
      h('a', { href: '/api/v1/openapi.json' }, 'API'), ' · ', h('a', { href: '/metrics' }, 'Metrics')),
  ]);
}
