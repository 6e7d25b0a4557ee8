// SPDX-License-Identifier: Apache-2.0
// Requests to the server of this page: reads, changes, and errors with the server's own message.

export class failure extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const k_read_limit_ms = 20_000;
// Limits the wait for the answer to a change. The longest change is a take, the removal of a holder from a lock. The
// server answers a take when the holder has released the lock, or when the holder's lease has certainly ended.
const k_change_limit_ms = 180_000;

let session = { read_only: true, must_sign_in: false, signed_in: false, names: false, sign_out: false, user: null, shared: true, role: 'none', csrf: null,
  version: '', servers: '' };

const k_roles = ['none', 'look', 'ask', 'take'];

// Returns true if this browser's user has the role. The server checks the role again.
export const may = (role) => !session.read_only && k_roles.indexOf(session.role) >= k_roles.indexOf(role);

// Returns the server's latest description of itself and of this browser's sign-in.
export const me = () => session;

async function body_of(answer) {
  const is_json = (answer.headers.get('content-type') ?? '').includes('json');
  return is_json ? answer.json() : null;
}

async function request(address, options, limit_ms) {
  let answer;
  let body;
  try {
    answer = await fetch(address, { credentials: 'same-origin', ...options, signal: AbortSignal.timeout(limit_ms) });
    body = await body_of(answer);
  } catch (problem) {
    const late = problem.name === 'TimeoutError';
    const message = late
      ? `no answer within ${limit_ms / 1000} s: the server may still execute the request`
      : 'turnstile serve does not answer';
    throw new failure(0, late ? 'late' : 'unreachable', message);
  }
  if (answer.ok) return body;
  const said = body?.error;
  throw new failure(answer.status, said?.code ?? 'http', said?.message ?? `the server answered ${answer.status}`);
}

// Returns the address of a read request. Leaves out the parameters that are empty.
export function address_of(what, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    if (value !== '' && value !== null && value !== undefined) query.set(key, value);
  const text = query.toString();
  return `/api/v1/${what}${text ? `?${text}` : ''}`;
}

export function read(what, parameters) {
  return request(address_of(what, parameters), { headers: { Accept: 'application/json' } }, k_read_limit_ms);
}

export async function read_me() {
  session = await read('me');
  return session;
}

export function change(what, body) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  if (session.csrf) headers['X-Turnstile-CSRF'] = session.csrf;
  return request(`/api/v1/${what}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) }, k_change_limit_ms);
}
