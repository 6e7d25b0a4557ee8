// SPDX-License-Identifier: Apache-2.0
// Shows one view at a time, and reads its data again at each change that the event stream reports.
import { me, read_me } from './api.js';
import { h, show } from './dom.js';
import { live_stream } from './live.js';
import { stays_here, view_at } from './router.js';
import { draw_foot, draw_notice, draw_sections, draw_tools } from './shell.js';
import { sign_in_form } from './sign_in.js';
import { seconds, sentence } from './text.js';

const main = document.getElementById('main');
const k_late_ms = 250; // after this time without an answer, the page shows that it is reading

const state = {
  view: null,
  query: new URLSearchParams(),
  address: '', // the address of the present view
  data: null, // the view's data, as last read
  problem: null, // why there is no data
  read_at: 0, // when it was read, by performance.now()
  stale: false,
  stream: 'opening',
};

// The data and functions that the page gives to each view.
const context = {
  get query() {
    return state.query;
  },
  get live() {
    return state.stream === 'open' && !is_stale();
  },
  get stream() {
    return state.stream;
  },
  me,
  go,
  draw,
  refresh,
  sign_in,
};

const stream = new live_stream({
  on_news: refresh,
  on_state(now) {
    state.stream = now;
    if (now === 'lost') look_at_sign_in();
    draw();
  },
  on_stale(now) {
    state.stale = now;
    draw();
  },
});

const is_stale = () => state.stale || Boolean(state.data?.meta?.stale);

function panel(title, text, action) {
  return h('section', { class: 'panel' }, h('h1', { tabindex: '-1' }, title), h('p', null, text), action);
}

function problem_panel(problem) {
  if (problem.code === 'no_snapshot')
    return panel('Not read yet', 'The servers have not answered so far. This page shows the locks as soon as the servers answer.');
  const again = h('button', { type: 'button', class: 'button', onclick: refresh }, 'Try again');
  return panel(state.view.problem_title?.(problem) ?? 'This page could not be read', sentence(problem.message), again);
}

function content() {
  if (!state.view) return panel('No such page', 'There is nothing at this address.', h('a', { href: '/' }, 'Overview'));
  if (state.problem?.status === 401) return sign_in_form(context);
  if (state.problem) return problem_panel(state.problem);
  return state.data ? state.view.render(state.data, context) : loading_panel();
}

// Returns the panel that the page shows until the first answer arrives.
function loading_panel() {
  return [
    h('div', { class: 'view-head' }, h('h1', { tabindex: '-1' }, state.view.title(state.query))),
    h('div', { class: 'loading', role: 'status' }, h('span', { class: 'unseen' }, 'Reading …'),
      [0, 1, 2, 3].map(() => h('div', { class: 'loading-row', 'aria-hidden': 'true' }))),
  ];
}

function draw() {
  draw_sections(window.location.pathname);
  draw_tools(context);
  draw_notice({ stream: state.stream, stale: is_stale(), as_of: state.data?.meta?.as_of });
  draw_foot();
  show(main, content());
  document.title = `${state.view?.title?.(state.query) ?? 'Not found'} · Turnstile`;
}

// Only one read runs at a time. Changes during a read lead to one more read. After a change of the view or the query,
// the page does not wait for the old read.
const reads = { generation: 0, wanted: 0, done: 0, running: null };

async function read_view() {
  const { generation } = reads;
  let data = null;
  let problem = null;
  try {
    data = await state.view.load(state.query);
  } catch (reason) {
    problem = reason;
  }
  if (generation !== reads.generation) return;
  // If the page's server does not answer, the page keeps its last data, and a notice says so.
  if (problem && problem.status === 0 && state.data) return;
  if (data) {
    state.data = data;
    state.read_at = performance.now();
    state.stale = Boolean(data.meta?.stale);
  }
  state.problem = problem;
  draw();
}

async function read_until_done(generation) {
  while (generation === reads.generation && reads.done < reads.wanted) {
    reads.done = reads.wanted;
    await read_view();
  }
  if (generation === reads.generation) reads.running = null;
}

function refresh() {
  if (!state.view) return Promise.resolve();
  ++reads.wanted;
  reads.running ??= read_until_done(reads.generation);
  return reads.running;
}

function read_anew() {
  ++reads.generation;
  reads.running = null;
  return refresh();
}

// Called when the event stream has ended. If the user's sign-in has ended too, reads the view again, and the page then
// shows the sign-in form.
async function look_at_sign_in() {
  try {
    const { must_sign_in, signed_in } = await read_me();
    if (must_sign_in && !signed_in) await refresh();
  } catch {
    // The page's server does not answer. A notice on the page says so, and the stream tries again.
  }
}

// Returns the part of the address that selects the view, which excludes the part after #.
const address_here = () => window.location.pathname + window.location.search;

async function enter({ focus }) {
  const address = new URL(window.location.href);
  state.address = address_here();
  state.view = view_at(address.pathname);
  state.query = address.searchParams;
  state.data = null;
  state.problem = null;
  if (!state.view) {
    stream.close();
    draw();
    return;
  }
  state.view.enter?.(context);
  main.setAttribute('aria-busy', 'true');
  draw_sections(address.pathname);
  const late = setTimeout(draw, k_late_ms);
  await read_anew();
  clearTimeout(late);
  if (state.address !== address_here()) return; // another view was entered meanwhile
  main.removeAttribute('aria-busy');
  stream.follow(state.view.follows?.(state.query, state.data) ?? {});
  if (focus) main.querySelector('h1')?.focus({ preventScroll: true });
}

// Shows another address. `replace`: the new address replaces the present address in the browser's history, for example
// while a user types.
function go(address, { replace = false, focus = true } = {}) {
  const target = new URL(address, window.location.href);
  if (replace) window.history.replaceState(null, '', target);
  else window.history.pushState(null, '', target);
  if (!replace) window.scrollTo(0, 0);
  return replace ? requery() : enter({ focus });
}

// Reads the data of the present view for another query. The page shows the old data until the answer arrives.
async function requery() {
  state.address = address_here();
  state.query = new URL(window.location.href).searchParams;
  await read_anew();
}

async function sign_in() {
  await read_me();
  stream.close();
  await enter({ focus: true });
}

function count_on() {
  if (!context.live) return;
  const passed = performance.now() - state.read_at;
  if (passed > (state.view?.reread_ms ?? Infinity) && document.visibilityState === 'visible') refresh();
  for (const element of document.querySelectorAll('[data-age]')) {
    const text = seconds(Number(element.dataset.age) + passed);
    if (element.textContent !== text) element.textContent = text;
  }
}

async function start() {
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (!link || !stays_here(event, link)) return;
    event.preventDefault();
    go(link.href);
  });
  // The skip link changes only the part after #. The page then keeps its view and the focus.
  window.addEventListener('popstate', () => state.address !== address_here() && enter({ focus: true }));
  window.addEventListener('resize', () => state.data && draw());
  setInterval(count_on, 1000);
  try {
    await read_me();
  } catch {
    // enter() reads the view's data next, and shows the error if the server still does not answer.
  }
  await enter({ focus: false });
}

start();
