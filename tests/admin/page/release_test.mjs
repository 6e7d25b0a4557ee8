// SPDX-License-Identifier: Apache-2.0
// Tests the forced release, the sign-in, and the page of a server without --allow-changes.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fixture, k_orders, lock_at } from './fixture.mjs';
import { hand_over } from './mock_server.mjs';

const { in_tab } = fixture();

const dialog = (page) => page.getByRole('dialog');

async function open_dialog(tab, page) {
  await tab.open(k_orders);
  await tab.is_live();
  await page.getByRole('button', { name: 'Release' }).click();
  await dialog(page).getByRole('heading', { name: 'Release /locks/orders' }).waitFor();
}

async function fill(page, { who = 'ada', why = 'stuck since noon' } = {}) {
  await page.getByLabel('Who you are').fill(who);
  await page.getByLabel('Why').fill(why);
}

async function take(page, path = '/locks/orders') {
  await dialog(page).getByText('Take it from the holder').click();
  await page.getByLabel('To confirm').fill(path);
  await page.getByRole('button', { name: 'Take the lock' }).click();
}

test('ask, then take: the znode that was seen, with who and why', () =>
  in_tab(async (tab, page, mock) => {
    const { znode, token } = lock_at(mock.state, '/locks/orders').holders[0];
    await open_dialog(tab, page);
    await dialog(page).getByText(znode).waitFor();
    await fill(page);
    await page.getByRole('button', { name: 'Ask to release' }).click();
    await dialog(page).getByText('A holder that handles such requests releases the lock when it can. This contender still holds the lock.').waitFor();
    await page.getByLabel('To confirm').fill('/locks/orders');
    await page.getByRole('button', { name: 'Take the lock' }).click();
    await dialog(page).getByText('its znode was deleted. The lock goes to the next contender in the queue.').waitFor();
    await dialog(page).getByText('web-1, pid 90, import holds the lock now.').waitFor();
    const said = { path: '/locks/orders', kind: 'mutex', znode, token, who: 'ada', why: 'stuck since noon' };
    assert.deepEqual(mock.changes, [{ action: 'ask', body: said }, { action: 'take', body: { ...said, confirm: '/locks/orders' } }]);
    await page.getByRole('button', { name: 'Close' }).click();
    await tab.shows('web-1', '.holder');
    assert.equal(await dialog(page).count(), 0);
  }));

test('without who, why and the path nothing is sent', () =>
  in_tab(async (tab, page, mock) => {
    await open_dialog(tab, page);
    await page.getByRole('button', { name: 'Ask to release' }).click();
    assert.ok(await page.getByLabel('Who you are').evaluate((field) => field.matches(':invalid:focus')));
    await fill(page);
    await take(page, '/locks/order');
    assert.ok(await page.getByLabel('To confirm').evaluate((field) => field === document.activeElement));
    await page.getByLabel('To confirm').fill('');
    await page.getByRole('button', { name: 'Take the lock' }).click();
    assert.deepEqual(mock.changes, []);
  }));

test('a holder that goes while the dialog is open', () =>
  in_tab(async (tab, page, mock) => {
    await open_dialog(tab, page);
    await fill(page);
    const orders = lock_at(mock.state, '/locks/orders');
    mock.change(() => hand_over(orders, orders.holders[0].znode));
    await dialog(page).getByText('This contender is gone. web-1, pid 90, import holds the lock now.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Ask to release' }).isDisabled());
    assert.ok(await page.getByRole('button', { name: 'Take the lock', includeHidden: true }).isDisabled());
    assert.deepEqual(mock.changes, []);
  }));

test('a holder that went before the page heard of it: nothing is done to its successor', () =>
  in_tab(async (tab, page, mock) => {
    await open_dialog(tab, page);
    await fill(page);
    const orders = lock_at(mock.state, '/locks/orders');
    hand_over(orders, orders.holders[0].znode);
    await page.getByRole('button', { name: 'Ask to release' }).click();
    await page.getByRole('alert').getByText('The contender is no longer in the queue, so nothing was done.').waitFor();
    assert.equal(orders.holders[0].host, 'web-1');
  }));

// Names of another library's contenders repeat after their folder was deleted and made again. The page must not take
// the new contender for the old one.
test('a holder that went, and another one of the same name', () =>
  in_tab(async (tab, page, mock) => {
    await open_dialog(tab, page);
    await fill(page);
    const [holder] = lock_at(mock.state, '/locks/orders').holders;
    mock.change(() => Object.assign(holder, { token: '0x9999', host: 'web-9', pid: '9', label: 'other' }));
    await dialog(page).getByText('This contender is gone. web-9, pid 9, other holds the lock now.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Ask to release' }).isDisabled());
    assert.deepEqual(mock.changes, []);
  }));

for (const [what, state, text] of [
  ['refused', { ask: { status: 403, code: 'read_only', message: 'this server is read-only' } }, 'this server is read-only'],
  ['one of too many', { ask: { status: 429, code: 'too_many', message: '31 changes within a minute; 30 are allowed' } }, '30 are allowed'],
  ['failing', { ask: { status: 500, code: 'connection_lost', message: 'the servers do not answer' } }, 'the servers do not answer'],
])
  test(`a request that is ${what} says so, and can be sent again`, () =>
    in_tab(async (tab, page, mock) => {
      await open_dialog(tab, page);
      await fill(page);
      await page.getByRole('button', { name: 'Ask to release' }).click();
      await page.getByRole('alert').getByText(text).waitFor();
      mock.state.ask = 'asked';
      await page.getByRole('button', { name: 'Ask to release' }).click();
      await page.getByRole('button', { name: 'Ask again' }).waitFor();
    }, { state }));

for (const [outcome, text] of [['gave_way', 'The holder released the lock by itself.'], ['gone_before', 'had left before this order']])
  test(`a take that ends with ${outcome}`, () =>
    in_tab(async (tab, page) => {
      await open_dialog(tab, page);
      await fill(page);
      await take(page);
      await dialog(page).getByText(text).waitFor();
    }, { state: { take: outcome } }));

test('a take says before and while it lasts how long it may be, and its fields are closed', () =>
  in_tab(async (tab, page, mock) => {
    let end;
    mock.state.take = new Promise((done) => (end = done));
    lock_at(mock.state, '/locks/orders').holders[0].take_at_most_ms = 65_001;
    await open_dialog(tab, page);
    await dialog(page).getByText('Take it from the holder').click();
    await dialog(page).locator('details').getByText('This lasts up to 1 min 6 s.').waitFor();
    await dialog(page).getByText('Take it from the holder').click();
    await fill(page);
    await take(page);
    await dialog(page).getByRole('status').getByText('This lasts up to 1 min 6 s.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Taking' }).isDisabled());
    end('gave_way');
    await dialog(page).getByText('The holder released the lock by itself.').waitFor();
  }));

test('with the keyboard alone, from the overview to the end', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    const tab_to = async (holds) => {
      for (let i = 0; i < 60; ++i) {
        if (await page.evaluate(holds)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail('the keyboard does not reach it');
    };
    await tab_to(() => document.activeElement.matches('.locks .path') && document.activeElement.textContent === '/locks/orders');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: '/locks/orders' }).waitFor();
    await tab_to(() => document.activeElement.textContent.startsWith('Release'));
    await page.keyboard.press('Enter');
    await tab.eventually(() => document.activeElement.name === 'who');
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('stuck');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    await tab_to(() => document.activeElement.name === 'confirm');
    await page.keyboard.type('/locks/orders');
    await tab_to(() => document.activeElement.textContent === 'Take the lock');
    await page.keyboard.press('Space');
    await dialog(page).getByText('its znode was deleted').waitFor();
    await tab.eventually(() => document.activeElement.textContent === 'Close');
    assert.deepEqual(mock.changes.map(({ action }) => action), ['ask', 'take']);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
  }));

test('read-only: a badge, no button, and the way from a shell', () =>
  in_tab(async (tab, page) => {
    await tab.open(k_orders);
    await page.getByText('read-only', { exact: true }).waitFor();
    await tab.shows('--allow-changes');
    assert.equal(await page.getByRole('button', { name: 'Release' }).count(), 0);
    const status = await page.evaluate(async () => {
      const { csrf } = await (await fetch('/api/v1/me')).json();
      const headers = { 'Content-Type': 'application/json', 'X-Turnstile-CSRF': csrf };
      return (await fetch('/api/v1/ask', { method: 'POST', headers, body: '{}' })).status;
    });
    assert.equal(status, 403);
  }, { state: { read_only: true } }));

test('sign-in: a wrong password, the right one, the view that was asked for, and out again', () =>
  in_tab(async (tab, page) => {
    await tab.open('/audit');
    await page.locator('h1', { hasText: 'Sign in' }).waitFor();
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The password is wrong.').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await tab.shows('stuck since noon, ticket 4812');
    await tab.is_live();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('h1', { hasText: 'Sign in' }).waitFor();
    assert.equal(await page.getByText('stuck since noon').count(), 0);
  }, { state: { password: 'correct horse' } }));

test('a sign-in that ends while the page is open', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await page.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await tab.is_live();
    mock.signed_in.clear();
    mock.change(() => {});
    await page.locator('h1', { hasText: 'Sign in' }).waitFor();
    assert.equal(await page.getByText('/locks/orders').count(), 0);
  }, { state: { password: 'correct horse' } }));

const k_named = { password: 'correct horse', names: true, user: 'ada' };

async function sign_in_as_ada(tab, page, path) {
  await tab.open(path);
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill('correct horse');
  await page.keyboard.press('Enter');
  await tab.is_live();
}

test('a named user gives orders in that name', () =>
  in_tab(async (tab, page, mock) => {
    await sign_in_as_ada(tab, page, k_orders);
    await page.getByText('ada · take', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Release' }).click();
    await dialog(page).getByText('You are ada').waitFor();
    assert.equal(await page.getByLabel('Who you are').count(), 0);
    await page.getByLabel('Why').fill('stuck');
    await page.getByRole('button', { name: 'Ask to release' }).click();
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    assert.deepEqual(mock.changes.map(({ body }) => body.user ?? body.who), ['ada', 'ada']);
    await tab.check_accessibility('a named user');
  }, { state: k_named }));

test('the role decides what is offered', () =>
  in_tab(async (tab, page, mock) => {
    await sign_in_as_ada(tab, page, k_orders);
    await tab.shows('you may look');
    assert.equal(await page.getByRole('button', { name: 'Release' }).count(), 0);
    mock.state.role = 'ask';
    await page.reload();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'Ask to release' }).waitFor();
    assert.equal(await page.getByText('Take it from the holder').count(), 0);
  }, { state: { ...k_named, role: 'look' } }));

test('an order that is under way is listed, and cancelled', () =>
  in_tab(async (tab, page, mock) => {
    const [entry] = mock.state.audit;
    mock.change((state) => (state.orders = [{ ...entry, order: 7, begun: entry.time, at_most_ms: 65_000 }]));
    await tab.open('/audit');
    await tab.shows('1 min 5 s');
    await tab.check_accessibility('an order under way');
    await page.getByRole('button', { name: 'Cancel order 7' }).click();
    await page.getByRole('table', { name: 'Orders under way' }).waitFor({ state: 'detached' });
    assert.equal(mock.changes.at(-1).body.order, 7);
  }));

test('the audit log is filtered, and failed sign-ins have a list of their own', () =>
  in_tab(async (tab, page) => {
    await tab.open('/audit');
    await tab.shows('4 entries');
    assert.equal(await page.getByText('sign-in failed').count(), 0);
    await page.getByRole('searchbox', { name: 'By' }).fill('grace');
    await tab.shows('2 entries');
    assert.match(await page.getByRole('link', { name: 'CSV' }).getAttribute('href'), /audit\.csv\?who=grace/);
    await page.getByRole('link', { name: 'Failed sign-ins' }).click();
    await tab.shows('unknown');
    await tab.check_accessibility('failed sign-ins');
  }));
