// SPDX-License-Identifier: Apache-2.0
// The sign-in form, which replaces a view until the user has signed in. The address does not change, so the user then
// sees that view.
import { change, me } from './api.js';
import { h } from './dom.js';
import { sentence } from './text.js';

let trying = false;
let problem = '';

async function sign_in(event, context) {
  event.preventDefault();
  const { password: field, user } = event.target.elements;
  trying = true;
  problem = '';
  context.draw();
  try {
    await change('sign-in', { password: field.value, ...(user?.value.trim() ? { user: user.value.trim() } : {}) });
    field.value = '';
    trying = false;
    await context.sign_in();
  } catch (reason) {
    trying = false;
    problem = sentence(reason.message);
    context.draw();
    field.select();
  }
}

export function sign_in_form(context) {
  const submit = (event) => sign_in(event, context);
  return h(
    'section',
    { class: 'panel is-narrow' },
    h('h1', { tabindex: '-1' }, 'Sign in'),
    h('p', null, 'This server shows its locks only after a sign-in with its password.'),
    h(
      'form',
      { class: 'stack', onsubmit: submit },
      me().names
        ? h('label', { class: 'field' }, h('span', null, 'Name'),
          h('input', { type: 'text', name: 'user', autocomplete: 'username', autocapitalize: 'off', spellcheck: 'false', maxlength: 64 }))
        // Password managers store a password under a user name, so the form has a hidden user name.
        : h('input', { type: 'hidden', name: 'username', autocomplete: 'username', value: 'turnstile' }),
      h('label', { class: 'field' }, h('span', null, 'Password'),
        h('input', {
          type: 'password',
          name: 'password',
          autocomplete: 'current-password',
          required: true,
          'aria-describedby': 'sign-in-problem',
          'aria-invalid': problem ? 'true' : null,
        })),
      h('p', { class: 'problem', id: 'sign-in-problem', role: 'alert' }, problem),
      h('button', { type: 'submit', class: 'button is-primary', disabled: trying }, trying ? 'Signing in …' : 'Sign in'),
    ),
  );
}
