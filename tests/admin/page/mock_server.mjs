// SPDX-License-Identifier: Apache-2.0
// A mock of the page's server. A test sets the mock's `state`, and `change` alters the state and notifies the browsers.
//
// To look at the page by hand: node mock_server.mjs [PORT]
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { iso, k_now, scene_audit, scene_graph, scene_locks, scene_servers } from './mock_data.mjs';

const k_here = dirname(fileURLToPath(import.meta.url));
const [, k_version] = readFileSync(join(k_here, '../../../CMakeLists.txt'), 'utf8').match(/^ +VERSION ([0-9.]+)$/m);
const k_page = process.env.TURNSTILE_PAGE ?? join(k_here, '../../../src/admin/page');
const k_views = new Set(['/', '/lock', '/graph', '/audit', '/servers']);
const k_types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const k_policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

class refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

export const scene = () => ({
  locks: scene_locks(),
  graph: scene_graph(),
  audit: scene_audit(),
  servers: scene_servers(),
  session: { state: 'connected', id: '0x100003f2a7c0001', timeout_ms: 10_000 },
  unreadable: [],
  read_only: false,
  user: null, // the user's name; null: all users share one password
  role: 'take',
  names: false,
  orders: [],
  password: null,
  stale: false,
  snapshot: true,
  hold_reads: null, // a promise; each read waits until the promise is kept
  // The answer to a take: {status, code, message}, or the name of an outcome.
  take: 'deleted',
  ask: 'asked',
});

export class mock_server {
  constructor(state = {}) {
    this.state = { ...scene(), ...state };
    this.version = 1;
    this.streams = new Set();
    this.csrf = randomBytes(8).toString('hex');
    this.signed_in = new Set();
    this.changes = []; // requests of browsers that change locks: {action, body}
    this.port = 0;
  }

  async start() {
    this.http = createServer((request, response) => this.answer(request, response));
    await new Promise((done, failed) => {
      this.http.once('error', failed);
      this.http.listen(this.port, '127.0.0.1', done);
    });
    this.port = this.http.address().port;
    return this;
  }

  async stop() {
    const closed = new Promise((done) => this.http.close(done));
    this.http.closeAllConnections();
    this.streams.clear();
    await closed;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  // Alters the state and notifies the open event streams.
  change(alter) {
    const was_stale = this.state.stale;
    alter(this.state);
    ++this.version;
    for (const stream of this.streams) {
      if (was_stale !== this.state.stale) stream.write(`event: ${this.state.stale ? 'stale' : 'fresh'}\ndata: {}\n\n`);
      this.tell(stream);
    }
  }

  tell(stream) {
    const data = JSON.stringify({ as_of: iso(k_now), version: this.version });
    stream.write(`id: ${this.version}\nevent: ${stream.event}\ndata: ${data}\n\n`);
  }

  async answer(request, response) {
    const address = new URL(request.url, this.url);
    response.setHeader('Content-Security-Policy', k_policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    try {
      if (address.pathname.startsWith('/api/v1/')) await this.answer_api(address, request, response);
      else await this.answer_file(address.pathname, response);
    } catch (problem) {
      const { status = 500, code = 'internal', message } = problem;
      this.json(response, { error: { code, message } }, status);
    }
  }

  json(response, body, status = 200) {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  async answer_file(path, response) {
    const file = k_views.has(path) ? 'index.html' : /^\/assets\/[a-z_]+\.[a-z]+$/.test(path) ? path.slice(8) : null;
    if (!file) throw new refusal(404, 'not_found', `there is nothing at ${path}`);
    const content = await readFile(join(k_page, file)).catch(() => {
      throw new refusal(404, 'not_found', `there is no file ${file}`);
    });
    response.writeHead(200, { 'Content-Type': `${k_types[extname(file)]}; charset=utf-8` });
    response.end(content);
  }

  is_signed_in(request) {
    const cookie = /session=([0-9a-f]+)/.exec(request.headers.cookie ?? '')?.[1];
    return !this.state.password || this.signed_in.has(cookie);
  }

  async answer_api(address, request, response) {
    const what = address.pathname.slice(8);
    if (request.method === 'POST') return this.answer_change(what, request, response);
    if (what === 'me') return this.json(response, this.me(request));
    if (!this.is_signed_in(request)) throw new refusal(401, 'sign_in', 'sign in first');
    if (!this.state.snapshot) throw new refusal(503, 'no_snapshot', 'the servers were not read yet');
    if (what === 'events') return this.open_stream(address, response);
    const reads = { overview: this.overview, locks: this.locks, lock: this.lock, graph: this.graph, templates: this.templates,
      audit: this.audit, orders: this.orders };
    await this.state.hold_reads;
    if (!reads[what]) throw new refusal(404, 'not_found', `there is no ${what}`);
    return this.json(response, reads[what].call(this, Object.fromEntries(address.searchParams)));
  }

  open_stream(address, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.event = address.searchParams.has('path') ? 'lock' : 'overview';
    response.write('retry: 200\n\n');
    this.streams.add(response);
    response.on('close', () => this.streams.delete(response));
    this.tell(response);
  }

  me(request) {
    const known = this.is_signed_in(request);
    const told = (value) => (known ? value : null);
    const { user, role, read_only, names } = this.state;
    return { must_sign_in: Boolean(this.state.password), signed_in: Boolean(this.state.password) && known, names,
      sign_out: Boolean(this.state.password) && known, user: told(user ?? 'password'), shared: told(!user), role: known ? role : 'none', csrf: this.csrf,
      read_only: told(read_only), version: told(k_version), servers: told('zk1.example:2181,zk2.example:2181,zk3.example:2181') };
  }

  meta() {
    return { as_of: iso(k_now), age_ms: 0, stale: this.state.stale, reading_ms: 12, oldest_ms: 12 };
  }

  told(lock, most = 3) {
    const { path, kind, permits, holders, waiters } = lock;
    const waiters_total = lock.waiting ?? waiters.length;
    const open = lock.spans?.find((span) => !span.to);
    const held_for_ms = open ? k_now - Date.parse(open.from) : Math.max(...holders.map((each) => each.age_ms));
    return { path, kind, permits, contenders: holders.length + waiters_total, holders: holders.slice(0, most), waiters: waiters.slice(0, 3),
      holders_total: holders.length, waiters_total, held_for_ms: holders.length ? held_for_ms : null,
      waited_ms: waiters.length ? Math.max(...waiters.map((each) => each.age_ms)) : null };
  }

  overview() {
    const { locks, servers, session, unreadable, read_only } = this.state;
    const told = locks.map((lock) => this.told(lock));
    const longest = [...locks].filter((lock) => lock.holders.length).map((lock) => ({ path: lock.path, kind: lock.kind, holder: lock.holders[0],
      held_for_ms: this.told(lock).held_for_ms })).sort((one, other) => other.held_for_ms - one.held_for_ms);
    const contenders = told.reduce((sum, lock) => sum + lock.contenders, 0);
    return { servers, session, totals: { locks: told.length, held: told.filter((lock) => lock.holders_total).length,
      contended: told.filter((lock) => lock.waiters_total).length, contenders, sessions: Math.ceil(contenders * 0.7), unreadable: unreadable.length },
    longest_holds: longest.slice(0, 10), requests: { total: 48_211, per_second: 23.4 }, watchers: this.streams.size, read_only, meta: this.meta() };
  }

  locks({ prefix = '', holder = '', kind = '', sort = 'contended', offset = 0, limit = 50 }) {
    const named = (path) => (prefix.startsWith('/') ? path.startsWith(prefix) : path.includes(prefix));
    const held = (lock) => [...lock.holders, ...lock.waiters].some((each) => says(each, holder));
    const orders = { contended: (one, other) => other.waiters_total - one.waiters_total, held: (one, other) => other.held_for_ms - one.held_for_ms,
      path: (one, other) => one.path.localeCompare(other.path) };
    const found = this.state.locks.filter((lock) => named(lock.path) && (!holder || held(lock)) && (!kind || lock.kind === kind)).map((lock) => this.told(lock));
    found.sort(orders[sort]);
    const from = Number(offset);
    return { total: found.length, offset: from, limit: Number(limit), locks: found.slice(from, from + Number(limit)), unreadable: this.state.unreadable, meta: this.meta() };
  }

  lock({ path, kind, contender = '', offset = 0, limit = 50 }) {
    const lock = this.state.locks.find((each) => each.path === path && (!kind || each.kind === kind));
    if (!lock) throw new refusal(404, 'no_such_lock', `nothing holds ${path} or waits for it, and nothing did since this server looks`);
    const from = Number(offset);
    const matching = lock.waiters.map((each, i) => ({ ...each, place: i + 1 })).filter((each) => says(each, contender));
    const none = { count: 0, p50: null, p90: null, p99: null, max: null, buckets: [] };
    return { lock: this.told(lock, Infinity), waiters: { total: contender ? matching.length : lock.waiting ?? lock.waiters.length, offset: from, limit: Number(limit), waiters: matching.slice(from, from + Number(limit)) },
      timeline: { from: iso(k_now - 3_600_000), to: iso(k_now), spans: lock.spans }, distributions: lock.distributions ?? { hold_ms: none, wait_ms: none },
      history: true, meta: this.meta() };
  }

  graph() {
    return { ...this.state.graph, meta: this.meta() };
  }

  templates() {
    const measured = this.state.locks.filter((lock) => lock.distributions);
    const templates = measured.map(({ path, distributions: { hold_ms, wait_ms } }) => ({ template: path.replace(/[^/]*$/, '{}'), locks: 1, hold_ms, wait_ms,
      released: hold_ms.count - 2, taken: 1, unknown: 1 }));
    return { templates, meta: this.meta() };
  }

  audit({ list = 'orders', who = '', path = '', offset = 0, limit = 50 }) {
    const from = Number(offset);
    const has = (entry) => [entry.user, entry.who, entry.from].some((each) => each.includes(who)) && entry.path.includes(path);
    const found = this.state.audit.filter((entry) => (entry.action === 'sign_in_failed') === (list === 'sign_ins') && has(entry));
    return { total: found.length, offset: from, limit: Number(limit), entries: found.slice(from, from + Number(limit)) };
  }

  orders() {
    return { orders: this.state.orders, most: 4 };
  }

  async answer_change(what, request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    if (request.headers['x-turnstile-csrf'] !== this.csrf) throw new refusal(403, 'csrf', 'the request is not from this page');
    this.changes.push({ action: what, body });
    if (what === 'sign-in') return this.sign_in(body, response);
    if (!this.is_signed_in(request)) throw new refusal(401, 'sign_in', 'sign in first');
    if (what === 'sign-out') {
      this.signed_in.clear();
      response.writeHead(204);
      return response.end();
    }
    if (what === 'cancel') {
      this.change((state) => (state.orders = state.orders.filter(({ order }) => order !== body.order)));
      return this.json(response, { outcome: 'cancelled' });
    }
    return this.json(response, { outcome: await this.release(what, body) });
  }

  sign_in({ password }, response) {
    if (password !== this.state.password) throw new refusal(401, 'sign_in', 'the password is wrong');
    const cookie = randomBytes(8).toString('hex');
    this.signed_in.add(cookie);
    response.writeHead(204, { 'Set-Cookie': `session=${cookie}; HttpOnly; SameSite=Strict; Path=/` });
    return response.end();
  }

  async release(action, { path, znode, token, confirm }) {
    if (this.state.read_only) throw new refusal(403, 'read_only', 'this server was started without --allow-changes');
    const lock = this.state.locks.find((each) => each.path === path);
    if (!lock?.holders.some((holder) => holder.znode === znode && holder.token === token)) throw new refusal(409, 'gone', `${znode} is not at ${path} any more`);
    if (action === 'take' && confirm !== path) throw new refusal(400, 'bad_request', 'confirm is not the path');
    const result = await this.state[action];
    if (typeof result === 'object') throw new refusal(result.status, result.code, result.message);
    if (action === 'take') this.change(() => hand_over(lock, znode));
    return result;
  }
}

// Returns true if `part` occurs in a text that the contender declares about itself.
function says({ host, pid, label, owner, session }, part) {
  return [host, pid, label, owner, session].some((each) => each.toLowerCase().includes(part.toLowerCase()));
}

// Removes the holder. The first waiter becomes the next holder.
export function hand_over(lock, znode) {
  lock.holders = lock.holders.filter((holder) => holder.znode !== znode);
  if (lock.waiters.length) lock.holders.push(lock.waiters.shift());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = new mock_server();
  server.port = Number(process.argv[2] ?? 8080);
  await server.start();
  console.log(server.url);
}
