// SPDX-License-Identifier: Apache-2.0
// The forced release of one holder. First the user sends the holder a request to release the lock. If the holder does
// not release it, the user orders a take: the server deletes the holder's znode. Request and take name the znode that
// the dialog showed when it opened, so they cannot affect a later contender.
//
// state.done is null until a change has ended, then {good, text}.
import { change, failure, may, me } from './api.js';
import { h, name, show } from './dom.js';
import { contender_name } from './parts.js';
import { clock, date_and_clock, duration, identity, plain, sentence } from './text.js';

const k_who = 'turnstile.who';
const k_outcomes = {
  gave_way: 'The holder released the lock by itself.',
  deleted: 'The holder did not release the lock, so its znode was deleted. The lock goes to the next contender in the queue.',
  gone_before: 'The holder had left before this order began.',
};

const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'release-title' });
let state = null; // state of the open dialog; null: closed
let context = null;

function remembered() {
  try {
    return window.localStorage.getItem(k_who) ?? '';
  } catch {
    return '';
  }
}

function remember(who) {
  try {
    window.localStorage.setItem(k_who, who);
  } catch {
    // The browser may forbid storage. The user then types the name again next time.
  }
}

// Compares the token, too: another library may use a znode's name again, and a token never repeats.
const holds = (lock, { znode, token }) => lock.holders.some((holder) => holder.znode === znode && holder.token === token);

function presence(lock) {
  if (holds(lock, state.holder)) return { here: true, text: 'This contender still holds the lock.' };
  const next = lock.holders[0];
  const text = next ? `This contender is gone. ${plain(identity(next))} holds the lock now.` : 'This contender is gone. The lock is free now.';
  return { here: false, text };
}

// Checks in each new snapshot whether the dialog's contender still holds the lock.
export function follow_release({ lock }) {
  if (!state || lock.path !== state.path || lock.kind !== state.kind) return;
  state.presence = presence(lock);
  draw();
}

function problem_text(problem) {
  if (problem.code === 'gone') return 'The contender is no longer in the queue, so nothing was done.';
  if (problem.status === 401) return 'Your sign-in has ended: close this dialog, sign in, and try again.';
  return sentence(problem.message);
}

// True if the text is the path, or the path with escapes as the page shows it: a user cannot type invisible characters.
const confirms = (text) => text === state.path || text === plain(state.path);

async function order(action, more) {
  const { path, kind, holder } = state;
  const form = dialog.querySelector('form');
  const who = me().shared ? form.elements.who.value.trim() : me().user;
  const why = form.elements.why.value.trim();
  const mine = state;
  if (me().shared) remember(who);
  Object.assign(state, { busy: action, problem: '' });
  draw();
  try {
    const { znode, token } = holder;
    const { outcome } = await change(action, { path, kind, znode, token, who, why, ...more });
    if (action === 'ask') mine.asked_at = new Date().toISOString();
    else mine.done = k_outcomes[outcome] ?? plain(outcome);
  } catch (problem) {
    if (!(problem instanceof failure)) throw problem;
    mine.problem = problem_text(problem);
  }
  mine.busy = null;
  if (mine !== state) return;
  draw();
  context.refresh();
  dialog.querySelector(mine.done ? '[data-key=close]' : '[data-key=ask]')?.focus();
}

function ask(event) {
  event.preventDefault();
  if (!state.busy && !state.done) order('ask');
}

function take() {
  const form = dialog.querySelector('form');
  const { confirm } = form.elements;
  confirm.setCustomValidity(confirms(confirm.value) ? '' : 'This is not the path of the lock.');
  confirm.required = true;
  if (form.reportValidity()) order('take', { confirm: state.path });
  confirm.required = false;
  confirm.setCustomValidity('');
}

function seen_part() {
  const { holder, seen } = state;
  const fact = (title, value) => [h('dt', null, title), h('dd', null, value)];
  return h('div', { class: 'seen' },
    h('p', { class: 'holder-name' }, contender_name(holder)),
    h('dl', { class: 'facts' },
      fact('Came', h('span', { class: 'figures' }, date_and_clock(holder.created))),
      holder.held_since ? fact('Holds since', h('span', { class: 'figures' }, date_and_clock(holder.held_since))) : null,
      fact('Token', name(holder.token, { class: 'mono' })),
      fact('Znode', name(holder.znode, { class: 'mono' })),
      fact('Seen', h('span', { class: 'figures' }, clock(seen)))));
}

// Returns a sentence with the longest time until a take has removed the holder's znode. This time depends on the
// session timeout that the holder claims.
function longest() {
  const ms = state.holder.take_at_most_ms;
  return ms ? `This lasts up to ${duration(Math.ceil(ms / 1000) * 1000)}.` : 'This may last a minute.';
}

function result_part() {
  const { asked_at, done, problem, busy } = state;
  const here = state.presence;
  const lines = [];
  if (asked_at) lines.push(`Asked at ${clock(asked_at)}. A holder that handles such requests releases the lock when it can.`);
  if (busy === 'take') lines.push(`Taking the lock: the holder is asked first, and has a few seconds. ${longest()}`);
  if (done) lines.push(done);
  return [
    h('p', { class: `result ${here.here ? '' : 'is-good'}`, role: 'status' }, [...lines, here.text].join(' ')),
    h('p', { class: 'problem', role: 'alert' }, problem),
  ];
}

function text_field(title, key, hint, more) {
  return h('label', { class: 'field' }, h('span', null, title),
    h('input', { type: 'text', name: key, required: true, maxlength: 200, placeholder: hint, autocomplete: 'off', ...more }));
}

// Returns the section in which the user orders a take, the removal of the holder's znode. The section is closed until
// the user opens it, or has sent the holder a request.
function take_part(closed) {
  return h('details', { class: 'take', open: Boolean(state.asked_at), 'data-key': state.asked_at ? 'after' : 'before' },
    h('summary', null, 'Take it from the holder'),
    h('p', null, 'The server asks the holder once more. If the holder does not release the lock, its znode is deleted, and the next contender gets the lock. ',
      `${longest()} `,
      h('strong', null, 'A program that does not watch for the loss works on without the lock.')),
    h('label', { class: 'field' },
      h('span', null, 'To confirm, type ', name(state.path, { class: 'mono' })),
      h('input', { type: 'text', name: 'confirm', class: 'mono', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
        disabled: closed })),
    h('button', { type: 'button', class: 'button is-danger', onclick: take, disabled: closed },
      state.busy === 'take' ? 'Taking …' : 'Take the lock'));
}

function draw() {
  if (!state) return;
  const closed = Boolean(state.busy || state.done || !state.presence.here);
  show(dialog, [
    h('form', { class: 'stack', onsubmit: ask, 'data-key': state.holder.znode },
      h('h2', { id: 'release-title' }, 'Release ', name(state.path, { class: 'mono' })),
      seen_part(),
      result_part(),
      me().shared
        ? text_field('Who you are', 'who', 'for the holder and the audit log', { value: remembered(), disabled: closed })
        : h('p', null, 'You are ', name(me().user, { class: 'strong' }), ', for the holder and the audit log.'),
      text_field('Why', 'why', 'stuck since noon', { disabled: closed }),
      h('div', { class: 'actions' },
        h('button', { type: 'submit', class: 'button is-primary', disabled: closed, 'data-key': 'ask' },
          state.busy === 'ask' ? 'Asking …' : state.asked_at ? 'Ask again' : 'Ask to release'),
        h('button', { type: 'button', class: 'button', onclick: () => dialog.close(), 'data-key': 'close' }, 'Close')),
      may('take') ? take_part(closed) : null),
  ]);
}

dialog.onclose = () => {
  state = null;
  show(dialog, []);
};

// Opens the dialog. holder: the holder as the page showed it; seen: the time of the snapshot with that holder.
export function open_release({ path, kind, holder, seen }, view) {
  context = view;
  state = { path, kind, holder, seen, presence: { here: true, text: 'This contender still holds the lock.' }, busy: null, asked_at: null, done: null, problem: '' };
  if (!dialog.isConnected) document.body.append(dialog);
  draw();
  dialog.showModal();
  const { who, why } = dialog.querySelector('form').elements;
  (who && !who.value ? who : why).focus();
}
